"""`manage.py import_pairs STUDY FILE`: votes on pairs, tidy or in a published layout."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.pair_files.layouts import AUTO, FORMATS
from annotations.pair_files.take import take
from annotations.pairs import files
from annotations.studies import owners


class Command(BaseCommand):
    help = (
        "Take votes on pairs from a local file: tidy rows about images of the study, or a published "
        "set with its prompts and images."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="made by a published set where there is none")
        parser.add_argument(
            "file",
            type=Path,
            help=f"Parquet (a folder of parts, too), CSV, JSONL or JSON; tidy columns: "
            f"{', '.join(files.COLUMNS)}",
        )
        parser.add_argument(
            "--format", choices=FORMATS, default=AUTO, help="auto: known by its columns"
        )
        parser.add_argument(
            "--images", type=Path, metavar="DIR", help="where the paths of the pictures begin"
        )
        parser.add_argument(
            "--skip", action="store_true", help="leave out the rows that do not fit, and name them"
        )
        parser.add_argument("--owner", default="", metavar="NAME", help="of a study that is made")

    def handle(self, *, study, file, format, images, skip, owner, **options) -> None:
        try:
            imported = take(
                slug=study,
                path=file,
                layout=format,
                images=images,
                skip=skip,
                owner=owners.chosen(owner),
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(imported.words())
