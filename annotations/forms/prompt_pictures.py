"""The pictures of prompts, for pages: what an edit began with, references, masks.

Most prompts have none and say so themselves: then nothing is looked up in the database. In a template
`{% prompt_pictures prompt %}` shows them beside the one image that the page is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django import template
from django.db.models import Value
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext, gettext_lazy

from annotations.database.prepared import Prepared
from annotations.models import Prompt, PromptPicture

register = template.Library()
SOURCE, MASK = "source", "mask"
COLUMNS = ("pk", "place", "public_id", "width", "height")
TITLES = {SOURCE: gettext_lazy("Before"), MASK: gettext_lazy("Mask")}
# What somebody who cannot see it reads.
WORDS = {
    SOURCE: gettext_lazy("The picture before the edit"),
    MASK: gettext_lazy("The part that may change"),
}


# Runs with every answer about an edit.
_OF_PROMPT_AND_NEXT = Prepared(
    lambda mark: (
        PromptPicture.objects.order_by()
        .filter(prompt=mark("prompt"))
        .values_list(Value(0), *COLUMNS)
        .union(
            PromptPicture.objects.order_by()
            .filter(prompt__images__public_id=mark.text("next"))
            .values_list(Value(1), *COLUMNS),
            all=True,
        )
    )
)


@dataclass(frozen=True, slots=True)
class ShownPicture:
    place: str
    kind: str
    title: str
    words: str
    url: str
    width: int
    height: int


def pictures_of(prompt: Prompt) -> list[ShownPicture]:
    return pictures_with_next(prompt, "")[0]


def pictures_with_next(
    prompt: Prompt, public_id: str
) -> tuple[list[ShownPicture], list[ShownPicture]]:
    """The prompt's, and those of the image that comes next: the page loads them early."""
    if not prompt.picture_count:
        return [], []
    shown: tuple[list[ShownPicture], list[ShownPicture]] = ([], [])
    rows = _OF_PROMPT_AND_NEXT.all(prompt=prompt.pk, next=public_id)
    for next_one, _, *row in sorted(rows, key=_order):
        shown[next_one].append(_show_picture(*row))
    return shown


@register.inclusion_tag("annotations/prompt_pictures.html")
def prompt_pictures(prompt: Prompt, marks: Sequence[Any] = ()) -> dict[str, Any]:
    """`marks`: what people marked, as fractions; drawn over the picture that each is `on`."""
    return {
        "pictures": [
            {"shown": shown, "marks": [mark for mark in marks if mark.on == shown.place]}
            for shown in pictures_of(prompt)
        ]
    }


def _order(row: tuple[Any, ...]) -> tuple[bool, bool, int]:
    """The source first, masks last; otherwise as they came."""
    _, pk, place, *_ = row
    kind = place.partition("-")[0]
    return kind != SOURCE, kind == MASK, pk


def _show_picture(place: str, public_id: str, width: int, height: int) -> ShownPicture:
    kind, _, number = place.partition("-")
    title = str(TITLES.get(kind) or gettext("Reference")) + (f" {number}" if number else "")
    words = str(WORDS.get(kind) or gettext("A picture that the prompt refers to"))
    url = f"{_addresses(get_script_prefix())}{public_id}/"
    return ShownPicture(place, kind, title, words, url, width, height)


@lru_cache(maxsize=64)
def _addresses(prefix: str) -> str:
    """What all addresses of such pictures begin with."""
    return reverse("prompt-picture", args=["-"]).removesuffix("-/")
