"""`manage.py revise STUDY`: what is wrong with each image, as a pair of prompts to repair it by."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.exports import files as export_files
from annotations.exports.labels import as_csv, as_jsonl
from judges.exports.repairs import COLUMNS, repairs, run_of
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = (
        "Write how each image should be and how it is, from what AlignScore found: the pairs of "
        "prompts of Revise-Then-Enforce. The paper prints no rules; they are inferred from its example."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--judge", metavar="NAME")
        parser.add_argument("--out", type=Path)
        parser.add_argument("--format", choices=["jsonl", "csv"], default="jsonl")

    def handle(self, *, study, judge, out, format, **options) -> None:
        revised = study_or_error(study)
        left_out: Counter[str] = Counter()
        try:
            name, run = run_of(revised, judge)
            rows = export_files.Counted(repairs(name, run, left_out))
            lines = as_csv(rows, COLUMNS) if format == "csv" else as_jsonl(rows)
            if out is None:
                sys.stdout.writelines(lines)
            else:
                signature = export_files.write_lines(out, lines)
                export_files.write_sidecar(
                    out,
                    {
                        "what": f"What is to be repaired in the images of “{revised.title}” "
                        f"({revised.slug}), from Jurybox.",
                        "file": out.name,
                        "format": format,
                        "rules": "inferred from figure 12 of M3T2IBench’s paper, which prints none",
                        "signature": {
                            "sha256": signature,
                            "judges": {name: run.judge.fingerprint},
                        },
                        "counts": {"rows": rows.count},
                        "left_out": dict(left_out),
                    },
                )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        told = "".join(f"; {reason}: {count}" for reason, count in sorted(left_out.items()))
        self.stderr.write(f"{rows.count} image{'s' * (rows.count != 1)} to repair{told}.")
