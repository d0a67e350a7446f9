"""`manage.py export_scores STUDY`: scores as tidy rows, or in a paper's own layout."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.exports import files as export_files
from annotations.exports.labels import as_csv, as_jsonl
from judges.exports import scores as score_export
from judges.management.imports import study_or_error
from judges.models import Run

OFFICIAL = {
    "geneval": score_export.geneval_results,
    "t2i_compbench": score_export.compbench_results,
}


class Command(BaseCommand):
    help = "Write the scores of a study."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--judge", metavar="NAME")
        parser.add_argument("--out", type=Path)
        parser.add_argument("--format", choices=["csv", "jsonl", *OFFICIAL], default="csv")

    def handle(self, *, study, judge, out, format, **options) -> None:
        exported = study_or_error(study)
        runs = Run.objects.filter(study=exported).select_related("judge")
        if judge:
            runs = runs.filter(judge__name=judge)
        if judge and not runs:
            raise CommandError(f"“{judge}” has no run in “{study}”.")
        if format in OFFICIAL and len(runs) != 1:
            raise CommandError("A paper's layout holds one judge: name it with --judge.")
        rows = export_files.Counted(score_export.score_rows(exported, judge=judge))
        if format in OFFICIAL:
            lines = OFFICIAL[format](exported, runs[0])
        elif format == "csv":
            lines = as_csv(rows, score_export.COLUMNS)
        else:
            lines = as_jsonl(rows)
        try:
            if out is None:
                sys.stdout.writelines(lines)
                return
            signature = export_files.write_lines(out, lines)
            absent = {run.judge.name: score_export.missing_scores(exported, run) for run in runs}
            words = {
                "what": f"Scores of the study “{exported.title}” ({exported.slug}), from Jurybox.",
                "file": out.name,
                "format": format,
                "signature": {
                    "sha256": signature,
                    "judges": {run.judge.name: run.judge.fingerprint for run in runs},
                },
                "counts": {"rows": rows.count} if format in ("csv", "jsonl") else {},
                "missing": {
                    name: {"images_without_score": count, "image_ids": named}
                    for name, (count, named) in absent.items()
                },
            }
            export_files.write_sidecar(out, words)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stderr.write(f"Wrote {out} and {export_files.sidecar(out).name}.")
