"""`manage.py import_labels STUDY FILE`: labels of a study that is there."""

from __future__ import annotations

from pathlib import Path

from annotations.benchmarks.readers import FORMATS, Source
from judges import sources
from judges.management.imports import ImportCommand, study_or_error


class Command(ImportCommand):
    help = "Bring labels into a study that is there."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", type=Path)
        parser.add_argument("--format", choices=list(FORMATS), default="tidy")
        parser.add_argument("--generator", default="", metavar="NAME", help="who made the images")
        parser.add_argument("--judge", default="", metavar="NAME", help="who gave the scores")
        self.add_flags(parser)

    def handle(self, *, study, file, format, dry_run, strict, **options) -> None:
        outcome = self.carry_out(
            sources.import_labels,
            study=study_or_error(study),
            format=format,
            source=Source(file, generator=options["generator"], judge=options["judge"]),
            dry_run=dry_run,
            strict=strict,
        )
        self.show(outcome, as_json=options["json"], strict=strict)
