"""`manage.py images STUDY`: the images that fit a filter, as the data page lists them."""

from __future__ import annotations

import sys

from django.core.management import BaseCommand, CommandError

from annotations.exports import study_tables
from annotations.exports.labels import as_csv, as_jsonl
from audit.images import command
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "List the images of a study that fit a filter: the query of the data page."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--format", choices=["keys", "csv", "jsonl"], default="keys")
        parser.add_argument("--count", action="store_true", help="only say how many there are")
        command.add_filters(parser)

    def handle(self, *, study, format, count, **options) -> None:
        searched = study_or_error(study)
        images = command.images(searched, options)
        if count:
            self.stdout.write(str(images.count()))
        elif format == "keys":
            for key in images.values_list("key", flat=True).iterator(chunk_size=5000):
                self.stdout.write(key)
        else:
            among = list(images.order_by("key").values_list("pk", flat=True))
            if not among and images.exists():
                raise CommandError("The images changed while they were listed; try again.")
            rows = study_tables.wide_rows(searched, among=among)
            lines = as_csv(rows, study_tables.WIDE) if format == "csv" else as_jsonl(rows)
            sys.stdout.writelines(lines)
