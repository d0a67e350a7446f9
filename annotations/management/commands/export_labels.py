"""`manage.py export_labels STUDY`: the labelled set as a file, with a sidecar that describes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.consensus import RULES
from annotations.errors import Refused
from annotations.exports import files as export_files
from annotations.exports import genai_bench_ratings, pseudonyms
from annotations.exports import labels as label_export
from annotations.models import Study

FORMATS = ("csv", "jsonl", "parquet", "label_studio", "genai_bench")


class Command(BaseCommand):
    help = "Write the labels of a study, one row per person and question."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--out", type=Path, help="a file; a sidecar is written beside it")
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument(
            "--consensus",
            choices=list(RULES),
            help="one row per image and question instead: what people say together",
        )
        parser.add_argument(
            "--pseudonyms",
            choices=pseudonyms.RULES,
            default=pseudonyms.RULES[0],
            help="who is called by a pseudonym: everybody (the default), only people with an "
            "account here, or nobody",
        )
        parser.add_argument("--question", default="likert", help="the ratings of genai_bench")

    def handle(self, *, study, out, format, consensus, question, **options) -> None:
        try:
            exported = Study.objects.get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        people = options["pseudonyms"]
        event_log.note(exported, "exported", f"exported the labels as {format}, people: {people}")
        rows = label_export.label_rows(exported, people=people)
        columns: Sequence[str] = label_export.COLUMNS
        if consensus:
            rows = label_export.consensus_rows(exported, rule=consensus)
            columns = label_export.CONSENSUS_COLUMNS
        if consensus and format not in ("csv", "jsonl", "parquet"):
            raise CommandError(f"--consensus writes csv, jsonl or parquet, not {format}.")
        counted = export_files.Counted(rows)
        try:
            if format == "parquet":
                if out is None:
                    raise CommandError("Parquet is no text: name a file with --out.")
                signature = export_files.write_parquet(out, counted, columns)
            else:
                lines = _lines(format, exported, counted, columns, question)
                if out is None:
                    # Not self.stdout: it would add a line end of its own to each.
                    sys.stdout.writelines(lines)
                    return
                signature = export_files.write_lines(out, lines)
            words = export_files.describe(
                exported,
                file=out.name,
                signature=signature,
                format=format,
                counts={"rows": counted.count},
                consensus=consensus,
                pseudonyms=people,
                columns=list(columns),
            )
            export_files.write_sidecar(out, words)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stderr.write(f"Wrote {out} and {export_files.sidecar(out).name}.")


def _lines(format, study, rows, columns, question) -> Iterator[str]:
    if format == "csv":
        return label_export.as_csv(rows, columns)
    if format == "jsonl":
        return label_export.as_jsonl(rows)
    if format == "label_studio":
        return export_files.label_studio(study, rows)
    return genai_bench_ratings.genai_bench(study, question=question)
