"""Whether an installation is well, part by part, in sentences that say what to do.

`/readyz` asks the parts without which no page works; `manage.py doctor` asks all of them.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from annotations.media import media
from judges import registry
from judges.models import Chunk, Run

SCARCE = 2 * 1024**3  # bytes of free disk
SLOW_CLOCK = timedelta(seconds=5)
UNHEARD = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    state: str  # "well", "look" or "broken"
    words: str


def needed_now() -> list[Finding]:
    """What every page needs."""
    return [_asked(part) for part in (database, migrations, images)]


def everything() -> list[Finding]:
    parts = (database, migrations, clock, images, disk, broker, workers, secret_key, safety)
    return [*(_asked(part) for part in parts), *gpu(), *judges()]


def database() -> Finding:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        if connection.vendor == "sqlite":
            mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
            if mode != "wal":
                return _look("database", f"SQLite answers, but its journal is {mode!r}, not WAL.")
            return _well("database", "SQLite answers, journal in WAL mode.")
        cursor.execute("SHOW server_version")
        return _well("database", f"PostgreSQL {cursor.fetchone()[0]} answers.")


def migrations() -> Finding:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return _well("migrations", "The tables are those of this version.")
    names = ", ".join(f"{step.app_label}.{step.name}" for step, _ in plan[:3])
    return _broken(
        "migrations",
        f"{len(plan)} migrations have not been applied ({names}); run `manage.py migrate`.",
    )


def clock() -> Finding:
    if settings.TIME_ZONE != "UTC" or not settings.USE_TZ:
        return _look("clock", "TIME_ZONE is not UTC: leases and dates may jump in spring.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT now()")
            apart = abs(cursor.fetchone()[0] - datetime.now(UTC))
        if apart > SLOW_CLOCK:
            return _broken(
                "clock",
                f"This machine's clock and the database's are {apart.total_seconds():.0f} s apart; "
                "leases would end early or late. Set up time synchronisation.",
            )
    return _well("clock", "UTC, in step with the database.")


def images() -> Finding:
    if settings.MEDIA_BUCKET:
        name = f"probes/{uuid.uuid4().hex}"
        media().keep(name, b"may this be written?")
        media().remove(name)
        return _well(
            "images", f"The bucket “{settings.MEDIA_BUCKET['bucket_name']}” can be written."
        )
    folder = settings.MEDIA_ROOT
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"may this be written?")
    return _well("images", f"{folder} can be written.")


def disk() -> Finding:
    free = shutil.disk_usage(settings.VAR_DIR).free
    words = f"{free / 1024**3:.1f} GiB free under {settings.VAR_DIR}."
    if free < SCARCE:
        return _look("disk", f"Only {words} Runs stop and imports are refused when it is full.")
    return _well("disk", words)


def broker() -> Finding:
    from audit.celery import app

    name = settings.CELERY_BROKER_URL.partition("://")[0]
    with app.connection_for_write() as link:
        link.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=3)
    if name == "filesystem":
        return _well("broker", "Messages are files: one machine, no server needed.")
    return _well("broker", f"{name} answers.")


def workers() -> Finding:
    """By their work: a chunk that waits while nobody holds any has nobody to do it."""
    running = Chunk.objects.filter(run__state=Run.State.RUNNING)
    waiting = running.filter(
        state=Chunk.State.WAITING, run__started_at__lt=timezone.now() - UNHEARD
    ).count()
    held = running.filter(
        state=Chunk.State.LEASED, leased_until__gt=timezone.now() - UNHEARD
    ).count()
    if waiting and not held:
        return _broken(
            "workers",
            f"{waiting} pieces of work wait and no worker has taken any for {UNHEARD.seconds // 60}"
            " minutes; start one: `celery --app audit worker --queues jurybox,judges`.",
        )
    if held:
        return _well("workers", f"{held} pieces of work in hand, {waiting} waiting.")
    return _well("workers", "No judge has work to do.")


def secret_key() -> Finding:
    if settings.IN_PRODUCTION:
        return _well("secret key", "Given by the environment.")
    return _well("secret key", f"This installation's own, in {settings.VAR_DIR / 'secret_key'}.")


def safety() -> Finding:
    if settings.DEBUG:
        return _look("safety", "DEBUG is on: error pages show code and settings.")
    if not settings.IN_PRODUCTION:
        return _well("safety", "Reachable from this machine only.")
    return _well("safety", f"Answers for {', '.join(settings.ALLOWED_HOSTS)}, by HTTPS only.")


def gpu() -> list[Finding]:
    if find_spec("torch") is None:
        return [_well("GPU", "The neural engines are not installed; the built-in ones need none.")]
    from judges.engines.shared.torch_setup import prepare

    torch = prepare()
    if not torch.cuda.is_available():
        return [_look("GPU", "None here: neural judges run on the processor, which is slow.")]
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return [_well("GPU", ", ".join(names))]


def judges() -> list[Finding]:
    told = []
    for name in registry.JUDGES:
        lacking = registry.why_not(name)
        told.append(_look(name, lacking) if lacking else _well(name, "Can run here."))
    return told


def _asked(part: Callable[[], Finding]) -> Finding:
    """A part that cannot even be asked is broken, with the words of what stopped it."""
    name = part.__name__.replace("_", " ")
    try:
        return part()
    except (OSError, DatabaseError) as error:
        return _broken(name, _FAILED[name].format(error=_first_line(error)))
    except Exception as error:
        # Brokers raise errors of their own clients.
        return _broken(name, f"{type(error).__name__}: {_first_line(error)}")


_FAILED = {
    "database": "The database does not answer ({error}); is it running, is DATABASE_URL right?",
    "migrations": "The tables cannot be read ({error}).",
    "clock": "The database does not tell its time ({error}).",
    "images": "MEDIA_ROOT cannot be written ({error}); images could not be imported.",
    "disk": "The disk cannot be read ({error}).",
    "broker": "The broker does not answer ({error}): work waits, nothing is lost. "
    "Is CELERY_BROKER_URL right?",
    "workers": "The rows of the runs cannot be read ({error}).",
}


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _well(part: str, words: str) -> Finding:
    return Finding(part, "well", words)


def _look(part: str, words: str) -> Finding:
    return Finding(part, "look", words)


def _broken(part: str, words: str) -> Finding:
    return Finding(part, "broken", words)
