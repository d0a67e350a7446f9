"""`manage.py export STUDY WHAT`: any table of a study, all of it or the images of a filter."""

import sys
from pathlib import Path

from django.core.management import CommandError

from annotations import event_log
from annotations.consensus import RULES
from annotations.exports import pseudonyms
from annotations.exports.files import write_parts
from annotations.management.command import StudyCommand
from audit.images import command
from judges.exports import tables
from judges.exports.payments import PER
from judges.exports.tables import TABLES, ExportOptions

FORMATS = sorted({format for table in TABLES.values() for format in table.formats})


class Command(StudyCommand):
    help = "Write a table of a study, or all of them as a zip; the options restrict it to images."

    def arguments(self, add) -> None:
        add("what", choices=list(TABLES))
        add("--format", "csv, and zip for the whole study", choices=FORMATS)
        add("--out", type=Path)
        add("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])
        add("--consensus", choices=list(RULES), default="majority")
        add("--of", "scores of this judge", metavar="JUDGE", default="")
        add("--ratings", "the question of genai_bench", default="likert")
        add(
            "--rate",
            "what crowd workers are paid (payments); without it no amount is said",
            default="",
        )
        add("--per", "what the rate is for", choices=list(PER), default="hour")
        add.flag("--pictures", "the pictures too (study)")
        command.add_filters(add.parser)

    def do(self, study, *, what, format, out, **options) -> None:
        format = format or TABLES[what].formats[0]
        if format not in TABLES[what].formats:
            raise CommandError(f"{what} is written as {', '.join(TABLES[what].formats)}.")
        ending = ExportOptions(what, format).ending
        if out is None and ending.endswith(("parquet", "zip")):
            raise CommandError(f"{format} is no text: name a file with --out.")
        filters = command.filters(options)
        asked = ExportOptions(
            what,
            format,
            people=options["pseudonyms"],
            among=command.chosen_images(study, options) if filters.restricts else None,
            rule=options["consensus"],
            judge=options["of"],
            question=options["ratings"],
            pictures=options["pictures"],
            rate=options["rate"],
            per=options["per"],
        )
        parts = tables.stream(study, asked)
        event_log.note(study, "exported", f"exported {what} as {format}")
        if out is None:
            for part in parts:
                sys.stdout.write(part.decode())
            return
        write_parts(out, parts)
        self.stderr.write(f"Wrote {out}.")
