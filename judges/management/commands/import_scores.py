"""`manage.py import_scores STUDY FILE`: scores into an existing study."""

from __future__ import annotations

from pathlib import Path

from django.core.management import CommandError

from annotations.benchmarks.registry import FORMATS
from annotations.sources.result_files import READERS
from judges.intake import bring_in
from judges.management.imports import IntoStudy, study_or_error


class Command(IntoStudy):
    help = "Import scores into an existing study, from tables or from what other tools wrote."
    importer = staticmethod(bring_in.import_scores)
    formats = (*FORMATS, *READERS)

    def add_arguments(self, parser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--dataset",
            type=Path,
            metavar="FOLDER",
            help=f"{', '.join(READERS)}: what export_dataset wrote; numbers are its rows",
        )
        parser.add_argument(
            "--matching-only",
            action="store_true",
            help=f"{', '.join(READERS)}: import what matches, name the rest; else all or nothing",
        )

    def handle(self, *, study, file, format, dry_run, strict, **options) -> None:
        part = options["matching_only"]
        if format not in READERS:
            if part or options["dataset"]:
                raise CommandError(f"--dataset and --matching-only are for {', '.join(READERS)}.")
            super().handle(
                study=study, file=file, format=format, dry_run=dry_run, strict=strict, **options
            )
            return

        def importer(*, dry_run, strict, progress):
            return bring_in.import_results(
                study=study_or_error(study),
                format=format,
                path=file,
                judge=options["judge"],
                generator=options["generator"],
                dataset=options["dataset"],
                part=part and not strict,
                dry_run=dry_run,
                progress=progress,
            )

        outcome = self.carry_out(importer, dry_run=dry_run, strict=strict)
        self.show(outcome, as_json=options["json"], strict=strict or not part)
