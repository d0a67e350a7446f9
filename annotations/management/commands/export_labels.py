"""`manage.py export_labels STUDY`: the labelled set as CSV or JSONL."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations import exporting
from annotations.models import Study

WRITERS = {"csv": exporting.as_csv, "jsonl": exporting.as_jsonl}


class Command(BaseCommand):
    help = "Write the labels of a study, one row per person and question."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path)
        parser.add_argument("--format", choices=sorted(WRITERS), default="csv")

    def handle(self, *, study, out, format, **options) -> None:
        try:
            found = Study.objects.get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        lines = WRITERS[format](exporting.label_rows(found))
        if out is None:
            # Not self.stdout: it would add a line end of its own to each.
            sys.stdout.writelines(lines)
            return
        draft = out.with_name(f"{out.name}.part")
        try:
            with draft.open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
            draft.replace(out)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        self.stderr.write(f"Wrote {out}.")
