"""What the commands share: their arguments in short, the study found, refusals as sentences."""

from __future__ import annotations

import errno
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db.utils import OperationalError, ProgrammingError

from annotations.errors import Refused
from annotations.models import Study


class Arguments:
    """Adds to a parser; called with the name and the help."""

    def __init__(self, parser: CommandParser) -> None:
        self.parser = parser
        self.verbs: Any = None

    def __call__(self, name: str, help: str | None = None, **more: Any) -> None:
        self.parser.add_argument(name, help=help, **more)

    def flag(self, name: str, help: str | None = None) -> None:
        self(name, help, action="store_true")

    def many(self, name: str, help: str | None = None, *, metavar: str) -> None:
        self(name, help, action="append", default=[], metavar=metavar)

    def json(self, help: str = "print one object") -> None:
        self.flag("--json", help)

    def verb(self, name: str, help: str) -> Arguments:
        self.verbs = self.verbs or self.parser.add_subparsers(dest="verb", required=True)
        return Arguments(self.verbs.add_parser(name, help=help))


class PlainCommand(BaseCommand):
    """What `handle` returns is printed; what it refuses is a sentence and exit status 1."""

    # Django's own checks import every page, which takes longer than most commands; `manage.py check`
    # makes them.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        self.arguments(Arguments(parser))

    def arguments(self, add: Arguments) -> None:
        """A command adds its own here."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        except (OperationalError, ProgrammingError) as error:
            if not re.search(r"no such table|relation .* does not exist", str(error)):
                raise
            raise CommandError(
                "The database has no tables of this version yet. Run `manage.py upgrade` first."
            ) from None
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}:
                raise
            where = f" at {error.filename}" if error.filename else ""
            raise CommandError(
                f"Nothing can be written{where}: {error.strerror}. Make room, then try again."
            ) from None


class StudyCommand(PlainCommand):
    """A command whose first argument is a study."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="the study's short name")
        super().add_arguments(parser)

    def handle(self, *, study: str, **options: Any) -> str | None:
        return self.do(study_called(study), **options)

    def do(self, *args: Any, **options: Any) -> str | None:
        """A command without verbs has its own `do(study, …)`."""
        return getattr(self, f"_{options['verb'].replace('-', '_')}")(*args, options)


def study_called(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”.")
    return study


def as_json(body: Any, **how: Any) -> str:
    return json.dumps(body, ensure_ascii=False, **how)


def pairs(given: list[str], flag: str, roles: str, example: str) -> dict[str, str]:
    """`caption=prompt`, as often as one likes; a name may hold the sign, what it is does not."""
    if wrong := [pair for pair in given if "=" not in pair]:
        raise CommandError(f"{flag} {wrong[0]}: write {roles}, like {flag} {example}.")
    return {name: value for name, _, value in (pair.rpartition("=") for pair in given)}


def write_lines(lines: Iterable[str], out: Path | None) -> str | None:
    """The file's signature, or None where none was named and the lines went to the screen."""
    if out is not None:
        # Not every command writes files.
        from annotations.exports import files

        return files.write_lines(out, lines)
    # Not a command's own stdout: it would add a line end to each.
    sys.stdout.writelines(lines)
    return None


def write_file(out: Path | str, content: str | bytes) -> None:
    try:
        Path(out).write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as error:
        raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
