"""`manage.py export_scores STUDY`: scores as tidy rows, or in a paper's own layout."""

from pathlib import Path

from django.core.management import CommandError

from annotations.exports import files
from annotations.exports.labels import as_csv, as_jsonl
from annotations.management.command import StudyCommand, write_lines
from judges.exports import scores as score_export
from judges.models import Run

OFFICIAL = {
    "geneval": score_export.geneval_results,
    "t2i_compbench": score_export.compbench_results,
}


class Command(StudyCommand):
    help = "Write the scores of a study."

    def arguments(self, add) -> None:
        add("--judge", metavar="NAME")
        add("--out", type=Path)
        add("--format", choices=["csv", "jsonl", *OFFICIAL], default="csv")

    def do(self, study, *, judge, out, format, **options) -> None:
        runs = Run.objects.filter(study=study).select_related("judge")
        if judge:
            runs = runs.filter(judge__name=judge)
        if judge and not runs:
            raise CommandError(f"“{judge}” has no run in “{study.slug}”.")
        if format in OFFICIAL and len(runs) != 1:
            raise CommandError("A paper's layout holds one judge: name it with --judge.")
        rows = files.CountedRows(score_export.score_rows(study, judge=judge))
        if format in OFFICIAL:
            lines = OFFICIAL[format](study, runs[0])
        elif format == "csv":
            lines = as_csv(rows, score_export.COLUMNS)
        else:
            lines = as_jsonl(rows)
        signature = write_lines(lines, out)
        if signature is None:
            return
        counts = {"rows": rows.count} if format in ("csv", "jsonl") else {}
        words = score_export.describe(
            study, runs, file=out.name, format=format, signature=signature, counts=counts
        )
        files.write_sidecar(out, words)
        self.stderr.write(f"Wrote {out} and {files.sidecar(out).name}.")
