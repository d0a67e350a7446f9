"""A set's own score of each generator: a sentence and a table for people, and for each judge."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.exhibits import Body, Column, Exhibits, Row, Table
from audit.questions.set_scores.question import SET_SCORES
from audit.set_scores.official import PEOPLE
from audit.words.report import title

NAMED = 3  # generators in a sentence
NOT_THERE = {"undefined": "no image", "n": 0}


def sentences(body: Body) -> list[str]:
    return [_describe(source) for source in body["sources"]]


def _describe(source: dict[str, Any]) -> str:
    """Of the set's first number, the best generators first."""
    found = _numbers(source)
    name = next(iter(found))
    known = [(who, number) for who, number in found[name].items() if "value" in number]
    who = _title_of(source)
    if not known:
        return f"{who}: {name} has no value; some of what it is made of has no image."
    known.sort(key=lambda one: -one[1]["value"])
    shown = ", ".join(f"{maker} {_format(number['value'])}" for maker, number in known[:NAMED])
    if len(known) > NAMED:
        more = len(known) - NAMED
        return f"{who}, {name}: {shown} and {more} more."
    return f"{who}, {name}: {shown}."


def _format(value: float) -> str:
    return f"{value:.3f}"


def _title_of(source: dict[str, Any]) -> str:
    return gettext("People") if source["name"] == PEOPLE else title(source["name"])


def _numbers(source: dict[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """By figure, then by generator."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for one in source["generators"]:
        for figure in one["figures"]:
            number = figure
            if "reason" in figure:
                number = {"undefined": figure["reason"], "n": figure["n"]}
            found.setdefault(figure["name"], {})[one["generator"]] = number
    return found


def tables(body: Body) -> list[Table]:
    return [_table(place, source) for place, source in enumerate(body["sources"])]


def _table(place: int, source: dict[str, Any]) -> Table:
    generators = [one["generator"] for one in source["generators"]]
    columns = tuple(Column(name, name, decimals=3) for name in generators)
    rows = [
        Row(name, tuple(numbers.get(who, NOT_THERE) for who in generators))
        for name, numbers in _numbers(source).items()
    ]
    out = sum(one["left_out"] for one in source["generators"])
    who, left = _title_of(source), f"{out:,}"
    words = gettext_noop(f"{who} ({left} images without a score left out)") if out else who
    return Table(f"source-{place}", words, gettext_noop("number"), columns, tuple(rows))


EXHIBITS = Exhibits(
    question=SET_SCORES,
    title="What would the set’s own script print?",
    method=(
        "The numbers of the set’s own script, from people’s answers and each judge’s stored scores. Of yes or no the "
        "majority counts, of grades people’s mean. Intervals of 95 % draw whole prompts. Slips of a script are "
        "followed only where they are named."
    ),
    sentences=sentences,
    tables=tables,
)
