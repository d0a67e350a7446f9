"""What the three import commands share: flags, outcome, exit status."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from annotations.benchmarks.registry import FORMATS, Source
from annotations.errors import Refused
from annotations.imports.outcome import Outcome
from annotations.management import progress
from annotations.middleware import cannot_write
from annotations.models import Study
from annotations.sources.expected_rows import expected_rows

Importer = Callable[..., Outcome]


class ImportCommand(BaseCommand):
    def add_flags(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only check, import nothing")
        parser.add_argument(
            "--strict", action="store_true", help="import all rows, or none and end with status 1"
        )
        parser.add_argument("--json", action="store_true", help="print the outcome as one object")

    def carry_out(
        self,
        importer: Importer,
        *,
        dry_run: bool,
        strict: bool,
        expected: int | None = None,
        **given: Any,
    ) -> Outcome:
        try:
            with progress.bar(expected) as advance:
                return importer(dry_run=dry_run, strict=strict, progress=advance, **given)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        except (OSError, DatabaseError) as error:
            if not cannot_write(error):
                raise
            raise CommandError(
                f"Nothing more can be written ({error}). What was imported so far is kept; "
                "make room, then import the same file again to complete it."
            ) from error

    def show(self, outcome: Outcome, *, as_json: bool, strict: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(outcome.as_json(), ensure_ascii=False))
        else:
            self.stdout.write(outcome.as_text())
        if strict and outcome.rejected_in_all:
            raise CommandError(
                f"{outcome.rejected_in_all} rows were refused; nothing was imported."
            )


class IntoStudy(ImportCommand):
    """One file into an existing study; `importer` decides what is imported from it."""

    importer: Importer
    formats: Sequence[str] = tuple(FORMATS)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=list(self.formats), default="tidy")
        parser.add_argument("--generator", default="", metavar="NAME", help="who made the images")
        parser.add_argument("--judge", default="", metavar="NAME", help="who gave the scores")
        self.add_flags(parser)

    def handle(self, *, study, file, format, dry_run, strict, **options) -> None:
        outcome = self.carry_out(
            self.importer,
            study=study_or_error(study),
            format=format,
            source=Source(file, generator=options["generator"], judge=options["judge"]),
            expected=expected_rows(format, file),
            dry_run=dry_run,
            strict=strict,
        )
        self.show(outcome, as_json=options["json"], strict=strict)


def study_or_error(slug: str) -> Study:
    try:
        return Study.objects.get(slug=slug)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study “{slug}”.") from None
