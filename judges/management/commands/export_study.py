"""`manage.py export_study STUDY FOLDER`: everything of a study as tidy tables."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.exports import pseudonyms
from judges.exports.study_folder import write_study
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "Write a study as a folder that import_study --format tidy can import again."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("folder", type=Path)
        parser.add_argument("--images", action="store_true", help="the pictures too")
        parser.add_argument("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])

    def handle(self, *, study, folder, images, **options) -> None:
        try:
            about = write_study(
                study_or_error(study), folder, people=options["pseudonyms"], files=images
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        rows = ", ".join(f"{count} {name}" for name, count in about["counts"].items())
        self.stdout.write(f"Wrote {folder}: {rows}.")
