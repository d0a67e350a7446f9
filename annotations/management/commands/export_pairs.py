"""`manage.py export_pairs STUDY`: votes on pairs as tidy rows."""

import sys
from pathlib import Path

from django.core.management import CommandError

from annotations import event_log
from annotations.exports import pseudonyms
from annotations.management.command import StudyCommand
from annotations.pairs import files


class Command(StudyCommand):
    help = "Write the votes on a study's pairs as CSV, one row per person, pair and question."

    def arguments(self, add) -> None:
        add("--out", "a file instead of the screen", type=Path)
        add("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])

    def do(self, study, *, out, pseudonyms, **options) -> str | None:
        event_log.note(study, "exported", f"exported the votes on pairs, people: {pseudonyms}")
        lines = files.csv_lines(files.vote_rows(study, people=pseudonyms))
        if out is None:
            sys.stdout.writelines(lines)
            return None
        try:
            with out.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        except OSError as error:
            raise CommandError(f"{out} could not be written: {error.strerror}.") from None
        return f"Wrote {out}."
