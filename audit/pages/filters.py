"""The selects and boxes above a page; their values stand in its address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from audit.charts.style import colour_of
from audit.words.report import title


def select(
    name: str, heading: str, choices: Iterable[tuple[str, str]], value: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "title": heading,
        "value": "" if value is None else str(value),
        "choices": [{"value": key, "title": words} for key, words in choices],
    }


def judge_select(body: dict[str, Any], value: str | None) -> dict[str, Any]:
    """For a page that shows one judge."""
    return select("judge", "judge", [(name, title(name)) for name in body["judges"]], value)


def judge_boxes(body: dict[str, Any], shown: Sequence[str]) -> dict[str, Any]:
    """The judges of all charts of a page, with their colours; a click on a name in a chart does the
    same as its box."""
    return {
        "name": "judge",
        "title": "judges",
        "boxes": [
            {
                "value": name,
                "title": title(name),
                "colour": colour_of(body, name),
                "checked": name in shown,
            }
            for name in body["judges"]
        ],
    }
