"""`manage.py make_prompts BENCHMARK`: new prompts in the benchmark's own layout."""

from collections.abc import Iterator
from pathlib import Path

from django.core.management import CommandError

from annotations.imports import new_prompts
from annotations.management.command import PlainCommand, as_json, study_called, write_lines
from jurybox_formats.registry import MAKERS


class Command(PlainCommand):
    help = "Make prompts by a benchmark's rules: the same seed makes the same prompts."

    def arguments(self, add) -> None:
        add("benchmark", choices=list(MAKERS))
        add("--seed", type=int, default=0)
        add("--count", "how many; by default as many as published", type=int)
        add("--out", type=Path)
        add("--study", "add them to this study instead of writing a file")

    def handle(self, *, benchmark, seed, count, out, study, **options) -> str | None:
        if count is not None and not 1 <= count <= 1_000_000:
            raise CommandError("--count takes a number from 1 to 1000000.")
        maker = MAKERS[benchmark]
        if study is not None:
            place = study_called(study)
            records = new_prompts.make(maker=benchmark, seed=seed, count=count or maker.count)
            return new_prompts.write(study=place, records=records).as_text()
        try:
            written = write_lines(_lines(benchmark, seed, count, out), out)
        except ValueError as error:
            raise CommandError(str(error)) from None
        if written is not None:
            self.stderr.write(
                f"Wrote {out}; import it with import_study STUDY --format {maker.format} {out}"
            )
        return None


def _lines(benchmark: str, seed: int, count: int | None, out: Path | None) -> Iterator[str]:
    for item in MAKERS[benchmark].make(seed, count):
        if benchmark == "t2i_compbench" and (out is None or out.suffix != ".jsonl"):
            # The published files are lists of prompts; .jsonl keeps what each is made of.
            yield item["prompt"] + "\n"
        else:
            yield as_json(item) + "\n"
