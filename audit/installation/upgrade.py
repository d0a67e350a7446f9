"""What a new version needs before people meet it, and a new installation before its first start: each
step once, in this order. A step that has nothing to do says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from annotations.database import locks
from annotations.errors import Refused
from audit import VERSION
from audit.installation import backups, health, static_files, tables
from jurybox_judging.errors import first_line


class Failed(Exception):
    """A step could not be done, and nothing after it was begun."""


def steps(*, backup: bool) -> Iterator[tuple[str, str]]:
    """Does one step after the other: its name, and what was done."""
    yield from _run_parts((("database", _look_at_database),))
    # Two machines that start a new version at once: the second one waits, and finds nothing to do.
    with locks.hold_alone("upgrade", patiently=True):
        yield from _run_parts(
            (
                *([("backup", _back_up)] if backup else []),
                ("tables", _migrate),
                ("static files", _collect),
                ("health", _check),
            )
        )


def _run_parts(parts: tuple[tuple[str, Callable[[], str]], ...]) -> Iterator[tuple[str, str]]:
    for name, do in parts:
        try:
            yield name, do()
        except Refused as refusal:
            raise Failed(f"{name}: {refusal.message}") from refusal
        except Exception as error:
            # A database, a disk and a migration each have errors of their own.
            words = f"{type(error).__name__}: {first_line(error)}".rstrip(".")
            raise Failed(f"{name}: {words}.") from error


def _look_at_database() -> str:
    found = health.check(health.database)
    if found.state == "broken":
        raise Refused(found.words)
    if words := tables.refusal():
        raise Refused(words)
    return f"{found.words} Jurybox is {VERSION}."


def _back_up() -> str:
    if not tables.are_there():
        return "Nothing to save yet."
    if not tables.pending():
        return "Not needed: the tables stay as they are."
    folder = settings.VAR_DIR / "backups"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"before-{VERSION}-{timezone.now():%Y%m%d-%H%M%S}.tar"
    try:
        contents = backups.back_up(file)
    except Refused as refusal:
        raise Refused(f"{refusal.message} With a backup in hand: `--no-backup`.") from None
    return (
        f"Saved {contents.annotations} annotations, {contents.images} images and {contents.files} files "
        f"with the secret key in {file}."
    )


def _migrate() -> str:
    count = len(tables.pending())
    # Also with none left: what follows the last one (permissions of new tables) may have been cut off.
    call_command("migrate", interactive=False, verbosity=0)
    if not count:
        return "Up to date."
    return f"{count} migration{'' if count == 1 else 's'} applied."


def _collect() -> str:
    if not static_files.are_hashed():
        return "Served from their own folders: nothing to collect."
    count = len(static_files.stale())
    static_files.collect()
    return f"Collected; {count} had changed." if count else "Collected."


def _check() -> str:
    files = health.check(health.static_files)
    findings = [*health.needed_now(), files]
    bad = [found for found in findings if found.state == "broken"]
    if files.state == "look":
        bad.append(files)
    if bad:
        raise Refused(" ".join(f"{found.part}: {found.words}" for found in bad))
    return f"{', '.join(found.part for found in findings)}: well."
