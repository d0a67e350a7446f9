"""The pairs of a published set's own file, with the answers of people: no picture is opened."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.test_judge.sound_rows import sound_rows
from jurybox_formats.pair_files.edits import GRADES, RANKING
from jurybox_formats.pair_files.genai_arena import VALUES
from jurybox_formats.pair_files.rows import columns_of
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.text_files import parsed

FIRST, SECOND, BOTH, BAD = "first", "second", "both", "neither"
CHOSEN = {"a": FIRST, "b": SECOND, "response_a": FIRST, "response_b": SECOND}
WEIGHTS = tuple(f"weighted_results_image{side}_preference" for side in (1, 2))
WINNERS = {"image a": FIRST, "image b": SECOND, "tie": BOTH, "equal": BOTH}
# The sources of prompts of each of Multimodal RewardBench 2's tasks, with which a pair's id begins.
SOURCES = {
    **dict.fromkeys(
        ("oneigbench", "r2ibench", "wise", "evalmuse", "realunify_ueg"), "text to image"
    ),
    **dict.fromkeys(("emu-edit", "risebench", "hq-edit", "dreambench", "dreambooth"), "edits"),
    **dict.fromkeys(("new_synthetic_edit", "text_heavy_edit"), "edits"),
    **dict.fromkeys(("isgbench", "chameleon", "interleavedeval", "mmmg"), "interleaved"),
    **dict.fromkeys(("blink", "mindcube", "muirbench"), "reasoning"),
    **dict.fromkeys(("realunify", "visulogic", "vstar"), "reasoning"),
}
TWO_OF_SEVERAL = re.compile(r"_[A-D]v[A-D]$")
MIDDLE = 3.5  # of grades from 1 to 6


@dataclass(frozen=True, slots=True)
class Pair:
    """`people`: first, second, both or neither. `part`: of the set, where it has several with tables of their own."""

    name: str
    prompt: str
    people: str
    part: str = ""


# Prompt, the answer of people, and the part of the set.
Reader = Callable[[dict[str, Any]], tuple[str, ...]]


def _mmrb2(cell: dict[str, Any]) -> tuple[str, ...]:
    """People's choice, else the mean of their grades (6: the first is better)."""
    source = str(cell["prompt_source"] or "")
    name = str(cell["pair_id"] or cell["id"])
    starts = (one for one in sorted(SOURCES, key=len, reverse=True) if name.startswith(f"{one}_"))
    part = SOURCES.get(source or next(starts, ""), "")
    prompt = _mmrb2_prompt(cell, source) or name
    chosen = str(cell["chosen"]).strip().lower()
    if chosen in CHOSEN:
        return prompt, CHOSEN[chosen], part
    grades = cell["human_annotations"]
    if not isinstance(grades, list) or not grades or not all(_is_grade(one) for one in grades):
        raise ValueError("it has neither “chosen” nor grades from 1 to 6")
    mean = sum(grades) / len(grades)
    return prompt, BOTH if mean == MIDDLE else FIRST if mean > MIDDLE else SECOND, part


def _mmrb2_prompt(cell: dict[str, Any], source: str) -> str:
    """By its source and its number there: texts are missing in some files, pictures' names differ by pair."""
    more = cell["prompt_metadata"]
    if isinstance(more, str) and more.startswith("{"):
        more = parsed(more)
    number = more.get("id") if isinstance(more, dict) else None
    if source and isinstance(number, str | int) and number != "":
        return f"{source} {number}"
    return repr(cell["prompt_content"]) if cell["prompt_content"] else ""


def _is_grade(value: Any) -> bool:
    return type(value) is int and value in GRADES


def _genai_bench(cell: dict[str, Any]) -> tuple[str, ...]:
    said = str(cell["vote_type"])
    if said not in VALUES:
        raise ValueError(f"a vote is one of {', '.join(VALUES)}")
    return str(cell["instruct_prompt"] or cell["prompt"]), VALUES[said]


def _editreward(cell: dict[str, Any]) -> tuple[str, ...]:
    ranked = RANKING.fullmatch(str(cell["ranking"]).replace(" ", ""))
    if ranked is None:
        raise ValueError("a ranking is like A>B or A=B")
    between = str(cell["comparison_type"] or "AvsB")
    if ranked[2] == "=":
        return str(cell["instruction"]), BOTH
    return str(cell["instruction"]), FIRST if between.startswith(ranked[1]) else SECOND


def _winner(cell: dict[str, Any]) -> tuple[str, ...]:
    said = str(cell["winner"]).strip().lower()
    if said not in WINNERS:
        raise ValueError("a winner is “Image A”, “Image B” or “Tie”")
    if cell["source_image"]:
        return repr((cell["instruction"], cell["source_image"])), WINNERS[said]
    # Of several edits of one picture, each two are a pair: its key ends with _AvC.
    return TWO_OF_SEVERAL.sub("", str(cell["key"])), WINNERS[said]


def _rapidata(cell: dict[str, Any]) -> tuple[str, ...]:
    """The side with the larger weight of votes."""
    first, second = (float(cell[name]) for name in WEIGHTS)
    if not (math.isfinite(first) and math.isfinite(second)):
        raise ValueError("a weight is no number")
    return str(cell["prompt"]), FIRST if first > second else SECOND if second > first else BOTH


EDITED = ("winner", "instruction", "source_image")
# Of each set: columns one of which tells it, columns that may be there, and how a row is read.
READERS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Reader]] = {
    "mmrb2": (
        ("human_annotations", "prompt_source"),
        ("prompt_content", "prompt_metadata", "chosen"),
        _mmrb2,
    ),
    "genai-bench": (("vote_type",), ("instruct_prompt", "prompt"), _genai_bench),
    "rapidata": (WEIGHTS[:1], (WEIGHTS[1], "prompt"), _rapidata),
    "editreward": (("ranking",), ("instruction", "comparison_type"), _editreward),
    "editreward-quality": (("edited_image_paths",), EDITED, _winner),
    "vcreward": (("edited_images",), EDITED, _winner),
}
NAMES = ("pair_id", "id", "key")


def read_pairs(path: Path) -> tuple[str, list[Pair]]:
    """The set's key in `READERS`, and its pairs; a row without a name has its number."""
    try:
        columns = columns_of(path)
        name = next((name for name, (tells, _, _) in READERS.items() if {*tells} & {*columns}), "")
        if not name:
            wanted = ", ".join(f"{tells[0]} ({key})" for key, (tells, _, _) in READERS.items())
            raise Refused(
                f"{path.name} is none of the known sets. It would have a column {wanted}."
            )
        return name, _pairs(path, name)
    except Unreadable as error:
        raise Refused(str(error)) from error


def _pairs(path: Path, name: str) -> list[Pair]:
    tells, more, read = READERS[name]
    pairs: dict[str, Pair] = {}
    for row in sound_rows(path, required=(), optional=(*tells, *more, *NAMES)):
        where = f"{path.name}, row {row.line}"
        try:
            prompt, people, *part = read(row.value)
        except ValueError as error:
            raise Refused(f"{where}: {error}.") from error
        key = next((str(row.value[one]) for one in NAMES if row.value[one] != ""), str(row.line))
        if key in pairs:
            raise Refused(f"{where}: the pair “{key[:80]}” stands there twice.")
        pairs[key] = Pair(key, prompt or key, people, *part)
    if not pairs:
        raise Refused(f"{path.name} holds no pair.")
    return list(pairs.values())
