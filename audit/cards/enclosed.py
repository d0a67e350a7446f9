"""The scores behind a card, so that whoever has the file can count again: numbers instead of names."""

from __future__ import annotations

import math
from typing import Any

from annotations.errors import Refused
from audit.questions.card.scores import Said, Scores
from judges.cards.changes import CHANGES
from judges.cards.pictures import MOST

WRONG = "The enclosed data are not those of a card: {}."


def enclose(scores: Scores) -> dict[str, Any]:
    """`images`: of each its prompt, score and verdict; `made`: by change, of each image that has one."""
    number = {image: place for place, (image, _) in enumerate(scores.rows)}
    prompts = {prompt: n for n, prompt in enumerate(dict.fromkeys(p for _, p in scores.rows))}
    return {
        "images": [[prompts[prompt], *scores.base[image]] for image, prompt in scores.rows],
        "made": {
            change: sorted([number[image], *pair] for image, pair in said.items())
            for change, said in sorted(scores.made.items())
        },
        "failed": scores.failed,
    }


def read_enclosed(data: Any) -> Scores:
    """Checked value by value: the file comes from outside."""
    if not isinstance(data, dict) or not isinstance(data.get("images"), list):
        raise Refused(WRONG.format("there are no images"))
    images, made = data["images"], data.get("made")
    if not isinstance(made, dict) or set(made) - set(CHANGES) or len(images) > MOST:
        raise Refused(WRONG.format("unknown changes, or too many images"))
    rows, base = [], {}
    for place, one in enumerate(images):
        prompt, pair = _read_row(one, len(images))
        rows.append((place, prompt))
        base[place] = pair
    said: dict[str, Said] = {}
    for change, listed in made.items():
        if not isinstance(listed, list) or len(listed) > len(images):
            raise Refused(WRONG.format(f"“{change}” is no list of its images"))
        said[change] = dict(_read_row(one, len(images)) for one in listed)
    return Scores(tuple(rows), base, said, {})


def _read_row(one: Any, count: int) -> tuple[int, tuple[float | None, bool | None]]:
    if not isinstance(one, list) or len(one) != 3:
        raise Refused(WRONG.format("a row has three values"))
    number, value, correct = one
    if type(number) is not int or not 0 <= number < count:
        raise Refused(WRONG.format("a row names no image or prompt"))
    if type(value) not in (int, float) or not math.isfinite(value):
        raise Refused(WRONG.format("a score is no number"))
    if correct is not None and type(correct) is not bool:
        raise Refused(WRONG.format("a verdict is neither yes nor no"))
    return number, (float(value), correct)
