"""Prompt makers by the name of their benchmark: same seed, same prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from annotations.benchmarks.geneval import prompts as geneval_prompts
from annotations.benchmarks.geneval2 import prompts as geneval2_prompts
from annotations.benchmarks.m3t2ibench import prompts as m3t2ibench_prompts
from annotations.benchmarks.t2i_compbench import prompts as t2i_compbench_prompts

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Maker:
    """`make(seed, count)` and `parse(prompt)` are each other's inverse."""

    make: Callable[[int, int | None], Iterator[Item]]
    parse: Callable[[str], Item | None]
    count: int
    # The format that imports what was made.
    format: str


MAKERS = {
    "geneval": Maker(geneval_prompts.make, geneval_prompts.parse, geneval_prompts.COUNT, "geneval"),
    "geneval2": Maker(
        geneval2_prompts.make, geneval2_prompts.parse, geneval2_prompts.COUNT, "geneval2"
    ),
    "t2i_compbench": Maker(
        t2i_compbench_prompts.make,
        t2i_compbench_prompts.parse,
        t2i_compbench_prompts.COUNT,
        "t2i_compbench",
    ),
    "m3t2ibench": Maker(
        m3t2ibench_prompts.make, m3t2ibench_prompts.parse, m3t2ibench_prompts.COUNT, "m3t2ibench"
    ),
}
