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
from annotations.imports import new_prompts
from annotations.models import Study


class Command(BaseCommand):
    help = "Make prompts by a benchmark's rules: the same seed makes the same prompts."

    def add_arguments(self, parser) -> None:
        parser.add_argument("benchmark", choices=list(MAKERS))
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--count", type=int, help="how many; by default as many as published")
        parser.add_argument("--out", type=Path)
        parser.add_argument("--study", help="add them to this study instead of writing a file")

    def handle(self, *, benchmark, seed, count, out, study, **options) -> None:
        if count is not None and not 1 <= count <= 1_000_000:
            raise CommandError("--count takes a number from 1 to 1000000.")
        if study is not None:
            self.stdout.write(_into_study(study, benchmark, seed, count))
            return
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


def _into_study(slug: str, benchmark: str, seed: int, count: int | None) -> str:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise CommandError(f"There is no study “{slug}”.")
    try:
        wanted = count or MAKERS[benchmark].count
        records = new_prompts.make(maker=benchmark, seed=seed, count=wanted)
        return new_prompts.write(study=study, records=records).as_text()
    except Refused as refusal:
        raise CommandError(refusal.message) from None


def _lines(benchmark: str, seed: int, count: int | None, out: Path | None) -> Iterator[str]:
    for item in MAKERS[benchmark].make(seed, count):
        if benchmark == "t2i_compbench" and (out is None or out.suffix != ".jsonl"):
            # The published files are lists of prompts; .jsonl keeps what each is made of.
            yield item["prompt"] + "\n"
        else:
            yield json.dumps(item, ensure_ascii=False) + "\n"
