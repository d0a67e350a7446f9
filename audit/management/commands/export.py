"""`manage.py export STUDY WHAT`: any table of a study, all of it or the images of a filter."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.consensus import RULES
from annotations.errors import Refused
from annotations.exports import pseudonyms
from annotations.exports.files import write_parts
from audit.images import command
from judges.exports import tables
from judges.exports.tables import TABLES, Asked
from judges.management.imports import study_or_error

FORMATS = sorted({format for table in TABLES.values() for format in table.formats})


class Command(BaseCommand):
    help = "Write a table of a study, or all of them as a zip; the options restrict it to images."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("what", choices=list(TABLES))
        parser.add_argument("--format", choices=FORMATS, help="csv, and zip for the whole study")
        parser.add_argument("--out", type=Path)
        parser.add_argument("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])
        parser.add_argument("--consensus", choices=list(RULES), default="majority")
        parser.add_argument("--of", metavar="JUDGE", default="", help="scores of this judge")
        parser.add_argument("--ratings", default="likert", help="the question of genai_bench")
        parser.add_argument("--pictures", action="store_true", help="the pictures too (study)")
        command.add_filters(parser)

    def handle(self, *, study, what, format, out, **options) -> None:
        exported = study_or_error(study)
        format = format or TABLES[what].formats[0]
        if format not in TABLES[what].formats:
            raise CommandError(f"{what} is written as {', '.join(TABLES[what].formats)}.")
        if out is None and format in ("parquet", "zip"):
            raise CommandError(f"{format} is no text: name a file with --out.")
        filters = command.filters(options)
        among = command.among(exported, options) if filters.restricts else None
        asked = Asked(
            what,
            format,
            people=options["pseudonyms"],
            among=among,
            rule=options["consensus"],
            judge=options["of"],
            question=options["ratings"],
            pictures=options["pictures"],
        )
        try:
            parts = tables.stream(exported, asked)
            event_log.note(exported, "exported", f"exported {what} as {format}")
            if out is None:
                for part in parts:
                    sys.stdout.write(part.decode())
                return
            write_parts(out, parts)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stderr.write(f"Wrote {out}.")
