"""The label page's moving part as nearly every answer gets it, put together without a template.

The template is rendered once for each study and kind of reply, with marks where images differ; what
differs is then put in their places. That takes a tenth of the time. Whatever is less usual (a
refusal, an earlier answer, the end of the task) is rendered by the template as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from django.template.loader import render_to_string
from django.urls import get_script_prefix, reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy

from annotations.forms.prompt_pictures import ShownPicture
from annotations.labelling.queries import Progress
from annotations.models import Flag, Image

# What a person can give another key to (static/label-settings.js).
OWN_KEYS = (
    ("yes", gettext_lazy("Yes")),
    ("no", gettext_lazy("No")),
    ("all-yes", gettext_lazy("All yes")),
    ("undo", gettext_lazy("Undo")),
    ("skip", gettext_lazy("Skip")),
    ("flag", gettext_lazy("Flag")),
    ("back", gettext_lazy("Back")),
    ("next", gettext_lazy("Next")),
    ("zoom", gettext_lazy("Zoom")),
    ("view", gettext_lazy("View")),
    ("flip", gettext_lazy("Flip")),
    ("difference", gettext_lazy("Difference")),
    ("instructions", gettext_lazy("Instructions")),
    ("pause", gettext_lazy("Break")),
    ("help", gettext_lazy("Help")),
)
# No template and no form has this character.
MARK = re.compile("\0(\\w+)\0")


class Kind(NamedTuple):
    """On what the text between the marks depends."""

    slug: str
    prefix: str
    more: bool
    prompt_on_top: bool
    has_instructions: bool
    has_upcoming: bool
    has_pictures: bool
    language: str | None


def addresses_in(slug: str) -> dict[str, str]:
    """The template's `to`, built once for each study. The addresses of images and earlier answers
    lack the image's id."""
    return _addresses(slug, get_script_prefix())


def fill_frame(
    slug: str,
    image: Image,
    progress: Progress,
    *,
    asked_in: str,
    before: str,
    csrf_token: str,
    form: int,
    instructions: str,
    pictures: str,
    prompt_on_top: bool,
    questions: str,
    submission: str,
    upcoming: str,
    upcoming_pictures: Iterable[ShownPicture],
) -> str:
    """For somebody who holds the image, has answered others (`before`: the last of them), and has stated
    nothing about this one."""
    kind = Kind(
        slug,
        get_script_prefix(),
        progress.more,
        prompt_on_top,
        bool(instructions),
        bool(upcoming),
        bool(pictures),
        get_language(),
    )
    values = {
        "asked_in": asked_in,
        "before": before,
        "csrf_token": csrf_token,
        "form": str(form),
        "height": _twice(image.height),
        "image": image.public_id,
        "instructions": instructions,
        "left": str(progress.left),
        "mine": str(progress.mine),
        "mine_total": str(progress.mine_total),
        "pictures": pictures,
        "prompt": escape(image.prompt.text),
        "questions": questions,
        "submission": submission,
        "upcoming": upcoming,
        "upcoming_pictures": " ".join(picture.url for picture in upcoming_pictures),
        "width": _twice(image.width),
    }
    # Text and marks by turns.
    parts = list(_frame(kind))
    parts[1::2] = [values[name] for name in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=1024)
def _frame(kind: Kind) -> tuple[str, ...]:
    mark: Mapping[str, str] = {
        name: mark_safe(f"\0{name}\0")  # noqa: S308
        for name in (
            *(
                "asked_in",
                "before",
                "csrf_token",
                "form",
                "height",
                "image",
                "instructions",
                "left",
                "mine",
            ),
            *("mine_total", "pictures", "prompt", "questions", "submission"),
            *("upcoming", "upcoming_pictures", "width"),
        )
    }
    context = {
        **{
            name: mark[name]
            for name in ("asked_in", "before", "csrf_token", "questions", "submission")
        },
        "to": _addresses(kind.slug, kind.prefix),
        "form": {"pk": mark["form"]},
        "held": mark["image"],
        "image": {"public_id": mark["image"], "prompt": {"text": mark["prompt"]}},
        "size": {"width": mark["width"], "height": mark["height"]},
        "instructions": mark["instructions"] if kind.has_instructions else "",
        "prompt_on_top": kind.prompt_on_top,
        "progress": {
            "mine": mark["mine"],
            "mine_total": mark["mine_total"],
            "left": mark["left"],
            "more": kind.more,
        },
        "pictures": mark["pictures"] if kind.has_pictures else "",
        "upcoming": mark["upcoming"] if kind.has_upcoming else "",
        "upcoming_pictures": [{"url": mark["upcoming_pictures"]}] if kind.has_pictures else (),
    }
    return tuple(MARK.split(render_to_string("annotations/label.html#workplace", context)))


def dialogs_html() -> SafeString:
    """Keys, flag, break: a third of what the whole page takes, and the same for all images and people."""
    return _dialogs(get_language())


@lru_cache
def _dialogs(language: str | None) -> SafeString:
    context = {"reasons": Flag.Reason.choices, "own_keys": OWN_KEYS}
    return render_to_string("annotations/label_dialogs.html", context)


def size_of(image: Image) -> dict[str, str]:
    """As the page first shows it, before its style sheet is there."""
    return {"width": _twice(image.width), "height": _twice(image.height)}


def _twice(pixels: int | None) -> str:
    return "" if pixels is None else str(2 * pixels)


@lru_cache(maxsize=1024)
def _addresses(slug: str, prefix: str) -> dict[str, str]:
    names = ("label", "label-undo", "label-skip")
    addresses = {name.removeprefix("label-"): reverse(name, args=[slug]) for name in names}
    addresses["image"] = reverse("image", args=["-"]).removesuffix("-/")
    addresses["answered"] = reverse("label-answered", args=[slug, "-"]).removesuffix("-/")
    return addresses
