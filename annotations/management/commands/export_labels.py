"""`manage.py export_labels STUDY`: the labelled set as a file, with a sidecar that describes it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from django.core.management import CommandError

from annotations import event_log
from annotations.consensus import RULES
from annotations.exports import files, genai_bench_ratings, pseudonyms
from annotations.exports import labels as label_export
from annotations.exports.label_studio import label_studio
from annotations.management.command import StudyCommand, write_lines


class Command(StudyCommand):
    help = "Write the labels of a study, one row per person and question."

    def arguments(self, add) -> None:
        formats = ("csv", "jsonl", "parquet", "label_studio", "genai_bench")
        add("--out", "a file; a sidecar is written beside it", type=Path)
        add("--format", choices=formats, default="csv")
        rows = "one row per image and question instead: what people say together"
        add("--consensus", rows, choices=list(RULES))
        add(
            "--pseudonyms",
            "who is called by a pseudonym: everybody (the default), only people with an account "
            "here, or nobody",
            choices=pseudonyms.RULES,
            default=pseudonyms.RULES[0],
        )
        add("--question", "the ratings of genai_bench", default="likert")

    def do(self, study, *, out, format, consensus, pseudonyms, question, **options) -> None:
        event_log.note(study, "exported", f"exported the labels as {format}, people: {pseudonyms}")
        rows: label_export.Rows = label_export.label_rows(study, people=pseudonyms)
        columns: Sequence[str] = label_export.COLUMNS
        if consensus:
            rows = label_export.consensus_rows(study, rule=consensus)
            columns = label_export.CONSENSUS_COLUMNS
        if consensus and format not in ("csv", "jsonl", "parquet"):
            raise CommandError(f"--consensus writes csv, jsonl or parquet, not {format}.")
        counted = files.count_rows(rows)
        if format != "parquet":
            signature = write_lines(_lines(format, study, counted, columns, question), out)
        elif out is None:
            raise CommandError("Parquet is no text: name a file with --out.")
        else:
            signature = files.write_parquet(out, counted, columns)
        if signature is None:
            return
        words = files.describe(
            study,
            file=out.name,
            signature=signature,
            format=format,
            counts={"rows": counted.count},
            consensus=consensus,
            pseudonyms=pseudonyms,
            columns=list(columns),
        )
        files.write_sidecar(out, words)
        self.stderr.write(f"Wrote {out} and {files.sidecar(out).name}.")


def _lines(format, study, rows, columns, question) -> Iterator[str]:
    if format == "csv":
        return label_export.as_csv(rows, columns)
    if format == "jsonl":
        return label_export.as_jsonl(rows)
    if format == "label_studio":
        return label_studio(study, rows)
    return genai_bench_ratings.genai_bench(study, question=question)
