"""The scores behind a card, so that whoever has the file can count again: numbers instead of names."""

from __future__ import annotations

from typing import Any

from annotations.errors import Refused
from audit.questions.card.scores import Said, Scores
from judges.cards.changes import CHANGES
from judges.cards.pictures import MOST
from jurybox_formats.sources.shapes import is_count, is_finite, misfit

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
    if wrong := misfit(data, {"images": [_is_row], "made": {str: [_is_row]}}):
        raise Refused(WRONG.format(wrong))
    images, made = data["images"], data["made"]
    numbers = {one[0] for listed in (images, *made.values()) for one in listed}
    if set(made) - set(CHANGES) or len(images) > MOST or max(numbers, default=-1) >= len(images):
        raise Refused(WRONG.format("unknown changes, or images that are not there"))
    said: dict[str, Said] = {
        change: {number: (float(value), correct) for number, value, correct in listed}
        for change, listed in made.items()
    }
    base: Said = {place: (float(value), yes) for place, (_, value, yes) in enumerate(images)}
    return Scores(tuple((place, one[0]) for place, one in enumerate(images)), base, said, {})


def _is_row(one: Any) -> bool:
    """The number of an image or a prompt, a score, and yes, no or neither."""
    return (
        isinstance(one, list)
        and len(one) == 3
        and is_count(one[0])
        and is_finite(one[1])
        and (one[2] is None or type(one[2]) is bool)
    )
