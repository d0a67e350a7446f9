"""HPDv2: one person's choice between images of a prompt (`train.json`), or their ranking of them
(`test.json`, with each person's own).

A ranking of n images says n (n - 1) / 2 times which of two is better, and not as often independently:
all of it is on one prompt, and prompts are the clusters of every interval. Equal ranks are a tie. Of a
choice among more than two it is only known that the best one beats the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from jurybox_formats.pair_files import cells
from jurybox_formats.pair_files.place import Place
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.picture_names import image_key, prompt_key
from jurybox_formats.sources.records import Record

REQUIRED = ("prompt",)
PATHS = ("image_path", "file_path")
RANKINGS = ("raw_annotations", "raw_annotation")
MODELS = ("models", "generators", "model")
OPTIONAL = (*PATHS, *RANKINGS, *MODELS, "human_preference", "rank", "user_hash")
LOST = "pictures are not in the folder; their images are known by name only"


def read(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    text = cells.text(cell, "prompt")
    paths = _paths(cell)
    votes = list(_votes(cell, paths))
    if not votes:
        raise Unfit("rank", cell["rank"], _nobody(cell))
    models = _models(cell, len(paths))
    yield from place.prompt(text)
    shown = zip(paths, models, strict=True)
    images = [(image_key(path), model, _picture(path, place)) for path, model in shown]
    yield from place.votes(prompt_key(text), images, votes)


def _nobody(cell: dict[str, Any]) -> str:
    if cell["rank"] != "":
        return (
            "This is the average of people's rankings, which nobody gave; “raw_annotations” with each "
            "person's own is wanted."
        )
    return "There is neither “human_preference” nor “raw_annotations”."


def _paths(cell: dict[str, Any]) -> list[str]:
    name = next((name for name in PATHS if cell[name] != ""), PATHS[0])
    paths = cells.read_list(cell, name)
    if len(paths) < 2 or not all(isinstance(path, str) and path.strip() for path in paths):
        raise Unfit(name, paths, "The paths of two images or more are wanted.")
    if len(set(paths)) != len(paths):
        raise Unfit(name, paths, "An image stands there twice.")
    return paths


def _models(cell: dict[str, Any], count: int) -> list[str]:
    name = next((name for name in MODELS if cell[name] != ""), "")
    if not name:
        return [""] * count
    models = cells.read_list(cell, name)
    if len(models) != count:
        raise Unfit(name, models, f"{len(models)} generators for {count} images.")
    return [str(model) for model in models]


def _picture(path: str, place: Place) -> Any:
    try:
        return cells.picture(path, "image_path", place.folder)
    except Unfit as unfit:
        if "no such file" not in unfit.reason:
            raise
        place.told[LOST] += 1
        return None


def _votes(cell: dict[str, Any], paths: list[str]) -> Iterator[tuple[str, int, int, str]]:
    """Who, two images by their place, and their vote."""
    name = next((name for name in RANKINGS if cell[name] != ""), "")
    if name:
        for one in cells.read_list(cell, name):
            if not isinstance(one, dict):
                raise Unfit(name, one, "Each person's ranking is an object with “rank”.")
            ranks = _ranks(one.get("rank"), name, len(paths))
            rater = _person(one.get("user_hash") or "")
            for i, j in combinations(range(len(paths)), 2):
                yield rater, i, j, _better(ranks[j], ranks[i])
    elif cell["human_preference"] != "":
        yield from _choice(cell, len(paths))


def _choice(cell: dict[str, Any], count: int) -> Iterator[tuple[str, int, int, str]]:
    chosen = _ranks(cells.read_list(cell, "human_preference"), "human_preference", count)
    if sorted(set(chosen)) != [0, 1] or chosen.count(1) != 1:
        raise Unfit("human_preference", chosen, "One image has a 1, the others have a 0.")
    best = chosen.index(1)
    rater = _person(cell["user_hash"])
    for other in range(count):
        if other != best:
            yield rater, min(best, other), max(best, other), _better(*_ends(chosen, best, other))


def _ends(chosen: Sequence[float], one: int, other: int) -> tuple[float, float]:
    return chosen[min(one, other)], chosen[max(one, other)]


def _better(first: float, second: float) -> str:
    return "both" if first == second else "first" if first > second else "second"


def _ranks(values: Any, name: str, count: int) -> list[float]:
    good = isinstance(values, list) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in values
    )
    if not good or len(values) != count:
        raise Unfit(name, values, f"{count} numbers are wanted, one for each image.")
    return list(values)


def _person(given: Any) -> str:
    return f"user {given}"[:200] if str(given).strip() else ""
