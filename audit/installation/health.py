"""Checks each part of an installation, and says in a sentence what to do about it.

`/readyz` checks the parts that every page needs; `manage.py doctor` checks all of them.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection
from django.utils import timezone

from annotations.database.leases import TRIES
from annotations.errors import Refused
from annotations.models import AnswerJob, Deletion, StoredAnswer
from audit.installation import lasting_disk, message_files, own_address, server_errors, tables
from audit.installation import static_files as files_of_pages
from judges.models import Chunk, Run, Upload
from judges.runs.readiness import ABSENT, readiness
from jurybox_judging import catalogue, registry
from jurybox_judging.errors import first_line

LITTLE_DISK = 2 * 1024**3  # bytes
CLOCKS_APART = timedelta(seconds=5)
WITHOUT_WORKER = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    state: str  # "well", "look" or "broken"
    words: str


def needed_now() -> list[Finding]:
    """The parts that every page needs."""
    return [check(part) for part in (database, migrations, images)]


def everything(at: str = "") -> list[Finding]:
    """`at`: the address at which visitors reach this installation, where it is not the usual one."""
    parts = (
        *(database, migrations, clock, images, disk, broker, workers, given_up),
        *(static_files, secret_key, safety, errors),
    )
    return [*(check(part) for part in parts), address(at), *gpu(), *judges()]


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
    if refusal := tables.refusal():
        return _broken("migrations", refusal)
    pending = tables.pending()
    if not pending:
        return _well("migrations", "All tables are up to date.")
    names = ", ".join(pending[:3])
    return _broken(
        "migrations",
        f"{len(pending)} migrations have not been applied ({names}); run `manage.py upgrade`.",
    )


def static_files() -> Finding:
    stale = files_of_pages.stale()
    if not stale:
        return _well("static files", "Those of this version.")
    names = ", ".join(stale[:3])
    return _look(
        "static files",
        f"{len(stale)} files of the pages are not those of this version ({names}): run "
        "`manage.py upgrade`, then start `serve` anew.",
    )


def clock() -> Finding:
    if settings.TIME_ZONE != "UTC" or not settings.USE_TZ:
        return _look(
            "clock", "TIME_ZONE is not UTC: leases and dates jump when summer time begins."
        )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # now() is when the transaction began.
            cursor.execute("SELECT clock_timestamp()")
            apart = abs(cursor.fetchone()[0] - datetime.now(UTC))
        if apart > CLOCKS_APART:
            return _broken(
                "clock",
                f"This machine's clock and the database's are {apart.total_seconds():.0f} s apart; "
                "leases would end early or late. Set up time synchronisation.",
            )
    return _well("clock", "UTC, and in step with the database.")


def images() -> Finding:
    if settings.MEDIA_BUCKET:
        name = default_storage.save(f"probes/{uuid.uuid4().hex}", ContentFile(b"test"))
        default_storage.delete(name)
        return _well(
            "images", f"The bucket “{settings.MEDIA_BUCKET['bucket_name']}” can be written."
        )
    folder = settings.MEDIA_ROOT
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"test")
    return _well("images", f"{folder} can be written.")


def disk() -> Finding:
    free = shutil.disk_usage(settings.VAR_DIR).free
    words = f"{free / 1024**3:.1f} GiB free under {settings.VAR_DIR}."
    if refusal := lasting_disk.refusal():
        return _broken("disk", refusal)
    if free < LITTLE_DISK:
        return _look("disk", f"Only {words} When it is full, runs stop and imports are refused.")
    return _well("disk", words)


def broker() -> Finding:
    from audit.celery import app

    name = settings.CELERY_BROKER_URL.partition("://")[0]
    with app.connection_for_write() as link:
        link.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=3)
    if name == "filesystem":
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        folders = Path(str(options["data_folder_in"])), Path(str(options["control_folder"]))
        if broken := message_files.broken_files(*folders):
            return _look(
                "broker",
                f"{len(broken)} broken files in {folders[0].parent} ({', '.join(broken[:3])}): was "
                "the disk full? Workers pass them over; delete them.",
            )
        return _well("broker", "Messages are files: one machine, no server needed.")
    return _well("broker", f"{name} answers.")


def workers() -> Finding:
    """Judged by their work: if chunks wait and none is being worked on, no worker is running."""
    running = Chunk.objects.filter(run__state=Run.State.RUNNING)
    waiting = running.filter(
        state=Chunk.State.WAITING, run__started_at__lt=timezone.now() - WITHOUT_WORKER
    ).count()
    held = running.filter(
        state=Chunk.State.LEASED, leased_until__gt=timezone.now() - WITHOUT_WORKER
    ).count()
    if waiting and not held:
        return _broken(
            "workers",
            f"{waiting} pieces of work are waiting and no worker has taken one for "
            f"{WITHOUT_WORKER.seconds // 60} minutes; start one: `celery --app audit worker --queues jurybox,judges`.",
        )
    if held:
        return _well("workers", f"{held} pieces of work in progress, {waiting} waiting.")
    return _well("workers", "No work is waiting; whether a worker lives shows once there is some.")


def given_up() -> Finding:
    """Work that failed again and again, and waits for a person."""
    answers = StoredAnswer.objects.filter(job__state=AnswerJob.State.GIVEN_UP)
    counts = {
        "runs": Run.objects.filter(chunks__state=Chunk.State.GIVEN_UP).distinct().count(),
        "reports": answers.filter(question="report").count(),
        "figures": answers.exclude(question="report").count(),
        "imports": Upload.objects.filter(state=Upload.State.GIVEN_UP).count(),
        "deletions of studies": Deletion.objects.filter(state=Deletion.State.GIVEN_UP).count(),
    }
    parts = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    if not parts:
        return _well("given up", "No work was given up.")
    return _look(
        "given up",
        f"{parts}: tried {TRIES} times in vain. Their pages say why, and try again.",
    )


def secret_key() -> Finding:
    if settings.IN_PRODUCTION:
        return _well("secret key", "Set in the environment.")
    return _well("secret key", f"Made for this installation, in {settings.VAR_DIR / 'secret_key'}.")


def safety() -> Finding:
    if settings.DEBUG:
        return _look("safety", "DEBUG is on: error pages show code and settings.")
    if not settings.IN_PRODUCTION:
        return _well("safety", "Reachable from this machine only.")
    return _well("safety", f"Answers to {', '.join(settings.ALLOWED_HOSTS)}, over HTTPS only.")


def errors() -> Finding:
    """What broke in requests, the last ones first."""
    broken = server_errors.newest()
    if not broken:
        return _well("errors", "No request broke.")
    lines = [
        f"\n    {one['at']}  {one['method']} {one['route']}: {one['error']} ({one['file']})"
        for one in broken
    ]
    return _look(
        "errors", f"The last {len(broken)} that broke; each file has its trace:{''.join(lines)}"
    )


def address(at: str = "") -> Finding:
    """What a visitor meets there; tried from here, so only in production or where one is named."""
    at = at or own_address.default()
    if not at:
        return _well("address", "Reachable from this machine only; no proxy is needed.")
    if settings.IN_PRODUCTION and not settings.TRUSTED_PROXIES:
        unnamed = "TRUSTED_PROXIES is empty, so the proxy that ends TLS is not believed."
        return _broken("address", f"{unnamed} {own_address.ask(at).words}")
    seen = own_address.ask(at)
    return (_well if seen.well else _broken)("address", seen.words)


def gpu() -> list[Finding]:
    if find_spec("torch") is None:
        return [
            _well("GPU", "The neural engines are not installed; the built-in ones need no GPU.")
        ]
    from jurybox_judging.engines.shared.torch_setup import prepare

    torch = prepare()
    if not torch.cuda.is_available():
        return [_look("GPU", "None found: neural judges run on the processor, which is slow.")]
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    return [_well("GPU", ", ".join(names))]


def judges() -> list[Finding]:
    """The three states of the page of judges, in its words. Those that cannot run here stand together by what
    they lack."""
    findings, absent = [], dict[str, list[str]]()
    for name, entry in catalogue.JUDGES.items():
        ready = readiness(entry, registry.weights_of(entry))
        words = " ".join(filter(None, [f"{ready.title}.", ready.next_steps]))
        if ready.state == ABSENT:
            absent.setdefault(words, []).append(name)
        else:
            findings.append(_well(name, words))
    for words, names in absent.items():
        part = names[0] if len(names) == 1 else f"{len(names)} judges"
        findings.append(
            _look(part, f"{words} {', '.join(names) if len(names) > 1 else ''}".rstrip())
        )
    return findings


def check(part: Callable[[], Finding]) -> Finding:
    """A part whose check fails is broken, in the words of the error."""
    name = part.__name__.replace("_", " ")
    try:
        return part()
    except Refused as refusal:
        return _broken(name, refusal.message)
    except (OSError, DatabaseError) as error:
        return _broken(name, _FAILED[name].format(error=first_line(error)))
    except Exception as error:
        # Every broker's client library has its own errors.
        return _broken(name, f"{type(error).__name__}: {first_line(error)}")


_FAILED = {
    "database": "The database does not answer ({error}). Is it running? Is DATABASE_URL right?",
    "migrations": "The tables cannot be read ({error}).",
    "static files": "The files of the pages cannot be compared ({error}).",
    "clock": "The time of the database cannot be read ({error}).",
    "images": "Images cannot be saved ({error}), so none can be imported.",
    "disk": "The free space on the disk cannot be read ({error}).",
    "broker": "The broker does not answer ({error}): work waits, but nothing is lost. "
    "Is CELERY_BROKER_URL right?",
    "given up": "The work cannot be read from the database ({error}).",
    "errors": "The kept errors cannot be read ({error}).",
    "workers": "The runs cannot be read from the database ({error}).",
}


def _well(part: str, words: str) -> Finding:
    return Finding(part, "well", words)


def _look(part: str, words: str) -> Finding:
    return Finding(part, "look", words)


def _broken(part: str, words: str) -> Finding:
    return Finding(part, "broken", words)
