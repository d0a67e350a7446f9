"""`manage.py import_pairs STUDY FILE`: votes on pairs from tidy rows."""

from __future__ import annotations

import csv
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.errors import Refused
from annotations.models import Study
from annotations.pairs import files


class Command(BaseCommand):
    help = "Take votes on pairs from a CSV file; the images are in the study already."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("file", type=Path, help=f"columns: {', '.join(files.COLUMNS)}")

    def handle(self, *, study, file, **options) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        try:
            with file.open(encoding="utf-8-sig", newline="") as lines:
                rows = csv.DictReader(lines)
                if lacking := [
                    name for name in files.NEEDED if name not in (rows.fieldnames or ())
                ]:
                    raise CommandError(f"{file} has no column {', '.join(lacking)}.")
                taken = files.take(place, rows)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise CommandError(f"{file} could not be read: {error}.") from None
        event_log.note(place, "imported", f"imported votes on pairs: {taken.words()}")
        self.stdout.write(taken.words())
