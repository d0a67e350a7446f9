"""The pictures of prompts, for pages: what an edit began with, references, masks.

Most prompts have none and say so themselves: then nothing is looked up in the database. In a template
`{% prompt_pictures prompt %}` shows them beside the one image that the page is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django import template
from django.urls import reverse

from annotations.database.prepared import Prepared
from annotations.models import Prompt, PromptPicture

register = template.Library()
SOURCE, MASK = "source", "mask"
TITLES = {SOURCE: "Before", MASK: "Mask"}
# What somebody who cannot see it reads.
WORDS = {SOURCE: "The picture before the edit", MASK: "The part that may change"}


# Both run with every answer about an edit.
_OF_PROMPT = Prepared(lambda mark: PromptPicture.objects.filter(prompt_id=mark("prompt")))
_OF_IMAGE = Prepared(
    lambda mark: PromptPicture.objects.filter(prompt__images__public_id=mark.text("image"))
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
    if not prompt.picture_count:
        return []
    return [_show_picture(row) for row in _in_order(_OF_PROMPT.all(prompt=prompt.pk))]


@register.inclusion_tag("annotations/prompt_pictures.html")
def prompt_pictures(prompt: Prompt, marks: Sequence[Any] = ()) -> dict[str, Any]:
    """`marks`: what people marked, as fractions; drawn over the picture that each is `on`."""
    return {
        "pictures": [
            {"shown": shown, "marks": [mark for mark in marks if mark.on == shown.place]}
            for shown in pictures_of(prompt)
        ]
    }


def pictures_of_image(public_id: str) -> list[ShownPicture]:
    """Those of the image's prompt."""
    return [_show_picture(row) for row in _in_order(_OF_IMAGE.all(image=public_id))]


def _in_order(rows: Iterable[PromptPicture]) -> list[PromptPicture]:
    """The source first; then as they came."""
    return sorted(rows, key=lambda row: (row.kind != SOURCE, row.kind == MASK, row.pk))


def _show_picture(row: PromptPicture) -> ShownPicture:
    number = row.place.partition("-")[2]
    title = TITLES.get(row.kind, "Reference") + (f" {number}" if number else "")
    words = WORDS.get(row.kind, "A picture that the prompt refers to")
    url = reverse("prompt-picture", args=[row.public_id])
    return ShownPicture(row.place, row.kind, title, words, url, row.width, row.height)
