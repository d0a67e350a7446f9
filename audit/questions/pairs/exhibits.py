"""How far the pairs of a study are, and how evenly sides, generators and slices come up in them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.exhibits import Body, Column, Exhibits, Row, Table, count_number, sign_body
from audit.questions.pairs.question import PAIRS
from audit.words import pairs as words

VOTES = (Column("votes", gettext_noop("votes"), 0), Column("wanted", gettext_noop("wanted"), 0))
OF_GENERATOR = (
    Column("pairs", gettext_noop("pairs"), 0),
    Column("sided", gettext_noop("votes"), 0),
    Column("left", gettext_noop("stood left"), 0),
)
OF_SLICE = (
    Column("pairs", gettext_noop("pairs"), 0),
    Column("generators", gettext_noop("generators"), 0),
    Column("least", gettext_noop("fewest of a generator"), 0),
    Column("most", gettext_noop("most of a generator"), 0),
)


def tables(body: Body) -> list[Table]:
    if not body["pairs"]:
        return []
    votes = [_row(one["words"], one, VOTES) for one in words.questions(body)]
    generators = [_row(one["name"], one, OF_GENERATOR) for one in body["generators"]]
    slices = [
        _row(one["tag"] or gettext("all prompts"), one, OF_SLICE, note=_groups(one["apart"]))
        for one in body["slices"]
    ]
    return [
        Table("votes", gettext_noop("Votes"), gettext_noop("question"), VOTES, tuple(votes)),
        Table(
            "generators",
            gettext_noop("Balance of generators"),
            "generator",
            OF_GENERATOR,
            tuple(generators),
        ),
        Table("slices", gettext_noop("Balance of slices"), "slice", OF_SLICE, tuple(slices)),
    ]


def _row(label: str, numbers: dict[str, Any], columns: tuple[Column, ...], note: str = "") -> Row:
    return Row(label, tuple(count_number(numbers[one.name]) for one in columns), note=note)


def _groups(apart: list[list[str]]) -> str:
    groups = " | ".join(", ".join(part) for part in apart)
    return gettext("not connected: %(groups)s") % {"groups": groups} if groups else ""


EXHIBITS = Exhibits(
    question=PAIRS,
    title="How far are the pairs?",
    method=(
        "Two images of one prompt by two generators, side by side. Which stands left is drawn anew for each "
        "person. Pairs connect generators where each can be reached from each by pairs."
    ),
    sentences=words.sentences,
    tables=tables,
    page="pairs",
    speaks=True,
    show=lambda study, body, view, names: sign_body(study, body),
)
