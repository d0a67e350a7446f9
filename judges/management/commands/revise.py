"""`manage.py revise STUDY`: what is wrong with each image, as a pair of prompts to repair it by."""

from collections import Counter
from pathlib import Path

from annotations.exports import files
from annotations.exports.labels import as_csv, as_jsonl
from annotations.management.command import StudyCommand, write_lines
from judges.exports.repairs import COLUMNS, describe, repairs, run_of


class Command(StudyCommand):
    help = (
        "Write how each image should be and how it is, from what AlignScore found: the pairs of "
        "prompts of Revise-Then-Enforce. The paper prints no rules; they are inferred from its example."
    )

    def arguments(self, add) -> None:
        add("--judge", metavar="NAME")
        add("--out", type=Path)
        add("--format", choices=["jsonl", "csv"], default="jsonl")

    def do(self, study, *, judge, out, format, **options) -> None:
        left_out: Counter[str] = Counter()
        name, run = run_of(study, judge)
        rows = files.CountedRows(repairs(name, run, left_out))
        signature = write_lines(as_csv(rows, COLUMNS) if format == "csv" else as_jsonl(rows), out)
        if signature is not None:
            words = describe(name, run, file=out.name, format=format, signature=signature)
            words |= {"counts": {"rows": rows.count}, "left_out": dict(left_out)}
            files.write_sidecar(out, words)
        told = "".join(f"; {reason}: {count}" for reason, count in sorted(left_out.items()))
        self.stderr.write(f"{rows.count} image{'s' * (rows.count != 1)} to repair{told}.")
