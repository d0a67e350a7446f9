"""`manage.py export_pairs STUDY`: votes on pairs as tidy rows."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.exports import pseudonyms
from annotations.models import Study
from annotations.pairs import files


class Command(BaseCommand):
    help = "Write the votes on a study's pairs as CSV, one row per person, pair and question."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, help="a file instead of the screen")
        parser.add_argument("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])

    def handle(self, *, study, out, **options) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        people = options["pseudonyms"]
        event_log.note(place, "exported", f"exported the votes on pairs, people: {people}")
        lines = files.csv_lines(files.vote_rows(place, people=people))
        if out is None:
            sys.stdout.writelines(lines)
            return
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise CommandError(f"{out} could not be written: {error.strerror}.") from None
        self.stdout.write(f"Wrote {out}.")
