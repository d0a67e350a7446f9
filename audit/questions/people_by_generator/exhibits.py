"""How well people agree on each generator, in a sentence for each question, tables and a chart."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.exhibits import Body, Chart, Column, Exhibits, Row, Table
from audit.questions.by_question import draw_by_question
from audit.questions.people_by_generator.question import PEOPLE_BY_GENERATOR

COLUMNS = (
    Column("alike", "pairs of answers alike", decimals=2),
    Column("fleiss_kappa", "Fleiss’ κ", decimals=2),
    Column("gwet_ac1", "Gwet’s AC1", decimals=2),
    Column("alpha", "Krippendorff’s α, interval", decimals=2),
)
ALPHA = COLUMNS[-1]


def sentences(body: Body) -> list[str]:
    return [_describe(question, found) for question, found in body["questions"].items()]


def _describe(question: str, found: dict[str, Any]) -> str:
    known = {
        name: numbers["alpha"]
        for name, numbers in found["generators"].items()
        if "value" in numbers["alpha"]
    }
    if not known:
        return f"“{question}”: no generator has enough images with two answers."
    least, most = (pick(known, key=lambda name: known[name]["value"]) for pick in (min, max))
    if least == most:
        return f"“{question}”: on {least} people agree with α {_number(known[least])}."
    return (
        f"“{question}”: people agree least on {least}, α {_number(known[least])}, and most on {most}, "
        f"α {_number(known[most])}."
    )


def _number(number: dict[str, Any]) -> str:
    return ALPHA.cell(number).in_words()


def tables(body: Body) -> list[Table]:
    return [
        Table(
            f"question-{place}",
            gettext_noop(f"“{question}”, by generator"),
            "generator",
            COLUMNS,
            (
                *(_row(name, numbers) for name, numbers in found["generators"].items()),
                _row(gettext("all"), found["all"]),
            ),
        )
        for place, (question, found) in enumerate(body["questions"].items(), start=1)
    ]


def _row(name: str, numbers: dict[str, Any]) -> Row:
    return Row(name, tuple(numbers[column.name] for column in COLUMNS))


def charts(body: Body) -> list[Chart]:
    rows = [
        {"generator": name, "question": question, **numbers["alpha"]}
        for question, found in body["questions"].items()
        for name, numbers in found["generators"].items()
        if "value" in numbers["alpha"]
    ]
    blank = "" if rows else "No chart: no generator has enough images with two answers."
    return [
        Chart("alpha", gettext_noop("α by generator"), lambda theme: draw_alpha(rows, theme), blank)
    ]


def draw_alpha(rows: list[dict[str, Any]], theme: str) -> dict[str, Any]:
    generators = list(dict.fromkeys(row["generator"] for row in rows))
    return draw_by_question(rows, "generator", generators, gettext(ALPHA.heading), theme)


EXHIBITS = Exhibits(
    question=PEOPLE_BY_GENERATOR,
    title="How well do people agree on each generator?",
    method=(
        "Of images with two answers or more; a generator needs 30 of them. Fleiss’ κ needs as many answers on "
        "each image. Intervals are of 95 %, with prompts as clusters."
    ),
    sentences=sentences,
    tables=tables,
    charts=charts,
)
