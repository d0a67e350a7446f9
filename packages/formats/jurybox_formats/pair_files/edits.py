"""Votes on edits: which of two results of one instruction about one picture is better.

GenAI-Bench's image edition (TIGER-Lab), EditReward-Bench and the editing half of Multimodal RewardBench 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox_formats.pair_files import cells
from jurybox_formats.pair_files.genai_arena import VALUES, key_of
from jurybox_formats.pair_files.place import Content, Place, edit_key
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import Record

GENAI_BENCH = ("instruct_prompt", "left_model", "right_model", "vote_type")
GENAI_BENCH_MORE = (
    *("source_image", "left_output_image", "right_output_image", "source_prompt", "target_prompt"),
)
EDITREWARD = ("instruction", "candidate_1", "candidate_2", "ranking")
EDITREWARD_MORE = (
    *("id", "dataset", "source_image", "model_1", "model_2", "comparison_type"),
    *("score_1", "score_2"),
)
MMRB2 = ("response_a", "response_b", "human_annotations")
MMRB2_MORE = ("prompt_content", "id", "pair_id", "chosen", "prompt_source", "prompt_metadata")
RANKING = re.compile(r"([A-D])([>=])([A-D])")
COMPARISON = re.compile(r"([A-D])vs([A-D])")
# Three experts say how much better the first is: 6 much better, 1 much worse.
GRADES = range(1, 7)
Side = tuple[str, Content]


def read_genai_bench(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    text = cells.text(cell, "instruct_prompt")
    said = cells.text(cell, "vote_type")
    if said not in VALUES:
        raise Unfit("vote_type", said, f"A vote is one of {', '.join(VALUES)}.")
    sides = [
        (cells.text(cell, f"{side}_model"), _picture(cell, f"{side}_output_image", place))
        for side in ("left", "right")
    ]
    source = _picture(cell, "source_image", place)
    yield from _votes(place, text, [source], sides, [VALUES[said]], left="first")


def read_editreward(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    """Of a group of three or four results, each two are a row: `comparison_type` says which."""
    text = cells.text(cell, "instruction")
    said = cells.text(cell, "ranking").replace(" ", "")
    between = COMPARISON.fullmatch(str(cell["comparison_type"] or "AvsB"))
    ranked = RANKING.fullmatch(said)
    if between is None or ranked is None or {ranked[1], ranked[3]} != set(between.groups()):
        raise Unfit("ranking", said, "A ranking is A>B, B>A or A=B, of the two that are compared.")
    value = "both" if ranked[2] == "=" else "first" if ranked[1] == between[1] else "second"
    sides = [
        (str(cell[f"model_{side}"] or ""), _picture(cell, f"candidate_{side}", place))
        for side in (1, 2)
    ]
    kind = (str(cell["dataset"]),) if cell["dataset"] else ()
    source = _picture(cell, "source_image", place)
    yield from _votes(place, text, [source], sides, [value], tags=kind)


def read_mmrb2(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    content = cell["prompt_content"]
    if content == "":
        words = "The prompt is not in this file; the set's own scripts put it there."
        raise Unfit("prompt_content", "", words)
    texts, sources = _parts(content, "prompt_content", place)
    sides = [_response(cell, name, place) for name in ("response_a", "response_b")]
    grades = cells.read_list(cell, "human_annotations")
    if not grades or not all(grade in GRADES and not isinstance(grade, bool) for grade in grades):
        raise Unfit("human_annotations", grades, "Each is a whole number from 1 to 6.")
    values = ["first" if grade > 3 else "second" for grade in grades]
    kind = (str(cell["prompt_source"]),) if cell["prompt_source"] else ()
    yield from _votes(place, "\n".join(texts), sources, sides, values, tags=kind)


def _response(cell: dict[str, Any], name: str, place: Place) -> Side:
    given = cell[name]
    if not isinstance(given, dict):
        raise Unfit(name, given, "A response has a model and its content.")
    model = given.get("model_name") or given.get("model") or ""
    _, pictures = _parts(given.get("response_content"), name, place)
    if len(pictures) != 1:
        raise Unfit(name, len(pictures), "An edit is one picture; a response has another number.")
    return str(model), pictures[0]


def _parts(given: Any, name: str, place: Place) -> tuple[list[str], list[Content]]:
    """Texts and pictures of a list of [kind, text or path]."""
    if not isinstance(given, list):
        raise Unfit(name, given, "A list of [“text” or “image”, its value] is wanted.")
    texts: list[str] = []
    pictures: list[Content] = []
    for one in given:
        if not isinstance(one, list) or len(one) != 2 or not isinstance(one[1], str):
            raise Unfit(name, one, "Each part is [“text” or “image”, its value].")
        kind, value = one
        if kind == "text" and value.strip():
            texts.append(value.strip())
        elif kind == "image":
            pictures.append(cells.picture(_path_in_folder(value, place.folder), name, place.folder))
    return texts, pictures


def _path_in_folder(path: str, folder: Path) -> str:
    """Pictures of responses are named without their folder."""
    inside = f"images/{path}"
    bare = len(PurePosixPath(path).parts) == 1 and not (folder / path).is_file()
    return inside if bare and (folder / inside).is_file() else path


def _picture(cell: dict[str, Any], name: str, place: Place) -> Content:
    return cells.picture(cell[name], name, place.folder)


def _votes(
    place: Place,
    text: str,
    sources: list[Content],
    sides: list[Side],
    values: list[str],
    *,
    left: str = "",
    tags: tuple[str, ...] = (),
) -> Iterator[Record]:
    if not text:
        raise Unfit("instruction", "", "The instruction is empty.")
    prompt = edit_key(text, sources)
    keys = [key_of(prompt, *side) for side in sides]
    if keys[0] == keys[1]:
        raise Unfit("model", sides[1][0], "Both sides show one and the same image.")
    yield from place.edit(text, sources, tags)
    images = [(key, *side) for key, side in zip(keys, sides, strict=True)]
    yield from place.votes(prompt, images, [("", 0, 1, value) for value in values], left=left)
