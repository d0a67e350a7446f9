"""Numbers and answers as a page form sends them."""

from __future__ import annotations

from django.http import HttpRequest

from annotations.bounded_numbers import read_number, read_whole
from annotations.errors import StudyRefused


def whole(text: str) -> int:
    value = read_whole(text)
    if value is None:
        raise StudyRefused(f"“{text[:40]}” is not a whole number; nothing was changed.")
    return value


def number(text: str) -> float:
    """With a point or a comma."""
    value = read_number(text)
    if value is None:
        raise StudyRefused(f"“{text[:40]}” is not a number; nothing was changed.")
    return value


def sent_answers(request: HttpRequest) -> dict[str, list[str]]:
    """Of a form about an image, by the names of its questions."""
    return {
        name.removeprefix("answer-"): values
        for name, values in request.POST.lists()
        if name.startswith("answer-")
    }
