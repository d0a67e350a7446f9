"""What the three import commands share: flags, outcome, exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management import CommandError
from django.db import DatabaseError
from tqdm import tqdm

from annotations.database.read_only import cannot_write
from annotations.imports.outcome import Outcome
from annotations.management.command import Arguments, PlainCommand, StudyCommand, as_json
from annotations.models import Study
from jurybox_formats.registry import FORMATS, Source
from jurybox_formats.sources.archives import unpacked
from jurybox_formats.sources.expected_rows import expected_rows
from jurybox_judging.recipes.peoples_unit import add_unit

Importer = Callable[..., Outcome]


class ImportCommand(PlainCommand):
    def add_flags(self, add: Arguments) -> None:
        add.flag("--dry-run", "only check, import nothing")
        add.flag("--strict", "import all rows, or none and end with status 1")
        add.json("print the outcome as one object")

    def carry_out(
        self, importer: Importer, *, strict: bool, expected: int | None = None, **given: Any
    ) -> Outcome:
        try:
            with bar(expected) as advance:
                return importer(strict=strict, progress=advance, **given)
        except (OSError, DatabaseError) as error:
            if not cannot_write(error):
                raise
            raise CommandError(
                f"Nothing more can be written ({error}). What was imported so far is kept; "
                "make room, then import the same file again to complete it."
            ) from error

    def show(self, outcome: Outcome, *, json: bool, strict: bool) -> None:
        self.stdout.write(as_json(outcome.as_json()) if json else outcome.as_text())
        if strict and outcome.rejected_in_all:
            raise CommandError(
                f"{outcome.rejected_in_all} rows were refused; nothing was imported."
            )


class IntoStudy(ImportCommand, StudyCommand):
    """One file into an existing study; `importer` decides what is imported from it."""

    importer: Importer
    formats: Sequence[str] = tuple(FORMATS)

    def arguments(self, add: Arguments) -> None:
        add("file", type=Path)
        add("--format", choices=list(self.formats), default="tidy")
        add("--generator", "who made the images", default="", metavar="NAME")
        add("--judge", "who gave the scores", default="", metavar="NAME")
        add_unit(add)
        self.add_flags(add)

    def do(self, study: Study, *, file, format, strict, **options) -> None:
        with unpacked(file) as file:
            outcome = self.carry_out(
                self.importer,
                study=study,
                format=format,
                source=Source(
                    file,
                    generator=options["generator"],
                    judge=options["judge"],
                    unit=options["unit"],
                ),
                expected=expected_rows(format, file),
                dry_run=options["dry_run"],
                strict=strict,
            )
        self.show(outcome, json=options["json"], strict=strict)


@contextmanager
def bar(total: int | None, unit: str = " rows") -> Iterator[Callable[[int], None] | None]:
    """Gives a function to call with how much is done; None where there is no terminal. With a `total`
    the bar says how much longer it takes."""
    if not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=total, unit=unit, unit_scale=True, leave=False, dynamic_ncols=True) as shown:

        def show(done: int) -> None:
            shown.update(done - shown.n)

        yield show
