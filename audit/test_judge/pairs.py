"""The pairs of a published set's own file, with the answers of people: no picture is opened."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from annotations.pair_files.edits import GRADES, RANKING
from annotations.pair_files.genai_arena import VALUES
from annotations.pair_files.rows import columns_of
from annotations.sources.records import Unreadable
from audit.test_judge.sound_rows import sound_rows

FIRST, SECOND, BOTH, BAD = "first", "second", "both", "neither"
CHOSEN = {"a": FIRST, "b": SECOND, "response_a": FIRST, "response_b": SECOND}
WEIGHTS = tuple(f"weighted_results_image{side}_preference" for side in (1, 2))
MIDDLE = 3.5  # of grades from 1 to 6


@dataclass(frozen=True, slots=True)
class Pair:
    """`people`: first, second, both or neither."""

    name: str
    prompt: str
    people: str


Reader = Callable[[dict[str, Any]], tuple[str, str]]


def _mmrb2(cell: dict[str, Any]) -> tuple[str, str]:
    """Prompt, and the answer of people: their choice, else the mean of their grades (6: the first is better)."""
    content = cell["prompt_content"]
    prompt = repr(content) if content else str(cell["id"])
    chosen = str(cell["chosen"]).strip().lower()
    if chosen in CHOSEN:
        return prompt, CHOSEN[chosen]
    grades = cell["human_annotations"]
    if not isinstance(grades, list) or not grades or not all(_is_grade(one) for one in grades):
        raise ValueError("it has neither “chosen” nor grades from 1 to 6")
    mean = sum(grades) / len(grades)
    return prompt, BOTH if mean == MIDDLE else FIRST if mean > MIDDLE else SECOND


def _is_grade(value: Any) -> bool:
    return type(value) is int and value in GRADES


def _genai_bench(cell: dict[str, Any]) -> tuple[str, str]:
    said = str(cell["vote_type"])
    if said not in VALUES:
        raise ValueError(f"a vote is one of {', '.join(VALUES)}")
    return str(cell["instruct_prompt"] or cell["prompt"]), VALUES[said]


def _editreward(cell: dict[str, Any]) -> tuple[str, str]:
    ranked = RANKING.fullmatch(str(cell["ranking"]).replace(" ", ""))
    if ranked is None:
        raise ValueError("a ranking is like A>B or A=B")
    between = str(cell["comparison_type"] or "AvsB")
    if ranked[2] == "=":
        return str(cell["instruction"]), BOTH
    return str(cell["instruction"]), FIRST if between.startswith(ranked[1]) else SECOND


def _rapidata(cell: dict[str, Any]) -> tuple[str, str]:
    """The side with the larger weight of votes."""
    first, second = (float(cell[name]) for name in WEIGHTS)
    if not (math.isfinite(first) and math.isfinite(second)):
        raise ValueError("a weight is no number")
    return str(cell["prompt"]), FIRST if first > second else SECOND if second > first else BOTH


# Of each set: the column that tells it, columns that may be there, and how a row is read.
READERS: dict[str, tuple[str, tuple[str, ...], Reader]] = {
    "mmrb2": ("human_annotations", ("prompt_content", "chosen"), _mmrb2),
    "genai-bench": ("vote_type", ("instruct_prompt", "prompt"), _genai_bench),
    "rapidata": (WEIGHTS[0], (WEIGHTS[1], "prompt"), _rapidata),
    "editreward": ("ranking", ("instruction", "comparison_type"), _editreward),
}
NAMES = ("pair_id", "id")


def read_pairs(path: Path) -> tuple[str, list[Pair]]:
    """The set's key in `published.SETS`, and its pairs; a row without a name has its number."""
    try:
        columns = columns_of(path)
        name = next((name for name, (told, _, _) in READERS.items() if told in columns), "")
        if not name:
            wanted = ", ".join(f"{told} ({key})" for key, (told, _, _) in READERS.items())
            raise Refused(
                f"{path.name} is none of the known sets. It would have a column {wanted}."
            )
        return name, _pairs(path, name)
    except Unreadable as error:
        raise Refused(str(error)) from error


def _pairs(path: Path, name: str) -> list[Pair]:
    told, more, read = READERS[name]
    pairs: dict[str, Pair] = {}
    for row in sound_rows(path, required=(told,), optional=(*more, *NAMES)):
        where = f"{path.name}, row {row.line}"
        try:
            prompt, people = read(row.value)
        except ValueError as error:
            raise Refused(f"{where}: {error}.") from error
        key = next((str(row.value[one]) for one in NAMES if row.value[one] != ""), str(row.line))
        if key in pairs:
            raise Refused(f"{where}: the pair “{key[:80]}” stands there twice.")
        pairs[key] = Pair(key, prompt, people)
    if not pairs:
        raise Refused(f"{path.name} holds no pair.")
    return list(pairs.values())
