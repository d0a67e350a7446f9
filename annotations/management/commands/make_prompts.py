"""`manage.py make_prompts BENCHMARK`: new prompts in the benchmark's own layout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.benchmarks.registry import MAKERS
from annotations.errors import Refused
from annotations.exports.files import write_lines


class Command(BaseCommand):
    help = "Make prompts by a benchmark's rules: the same seed makes the same prompts."

    def add_arguments(self, parser) -> None:
        parser.add_argument("benchmark", choices=list(MAKERS))
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--count", type=int, help="how many; by default as many as published")
        parser.add_argument("--out", type=Path)

    def handle(self, *, benchmark, seed, count, out, **options) -> None:
        if count is not None and not 1 <= count <= 1_000_000:
            raise CommandError("--count takes a number from 1 to 1000000.")
        lines = _lines(benchmark, seed, count, out)
        try:
            if out is None:
                sys.stdout.writelines(lines)
                return
            write_lines(out, lines)
        except ValueError as error:
            raise CommandError(str(error)) from None
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        maker = MAKERS[benchmark]
        self.stderr.write(
            f"Wrote {out}; import it with import_study STUDY --format {maker.format} {out}"
        )


def _lines(benchmark: str, seed: int, count: int | None, out: Path | None) -> Iterator[str]:
    for item in MAKERS[benchmark].make(seed, count):
        if benchmark == "t2i_compbench" and (out is None or out.suffix != ".jsonl"):
            # The published files are lists of prompts; .jsonl keeps what each is made of.
            yield item["prompt"] + "\n"
        else:
            yield json.dumps(item, ensure_ascii=False) + "\n"
