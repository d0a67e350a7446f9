"""How much people's answers to two questions go together, in sentences and a table."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from audit.exhibits import Body, Column, Exhibits, Row, Table
from audit.questions.between_questions.question import BETWEEN_QUESTIONS, MEASURES
from audit.statistic_names import STATISTICS

COLUMNS = tuple(Column(name, STATISTICS[name].heading, decimals=2) for name in MEASURES)


def sentences(body: Body) -> list[str]:
    lines = [_describe(pair) for pair in body["pairs"]]
    if body["left_out"]:
        listed = ", ".join(f"“{name}”" for name in body["left_out"])
        lines.append(f"Not compared, as there are too many questions: {listed}.")
    return lines


def _describe(pair: dict[str, Any]) -> str:
    one, other = (f"“{name}”" for name in pair["questions"])
    found = pair["spearman"]
    if "undefined" in found:
        return f"{one} and {other}: no correlation ({found['undefined']})."
    rho, images = COLUMNS[0].cell(found).in_words(), f"{found['n']:,}"
    return f"{one} and {other}: Spearman’s ρ {rho} over {images} images."


def tables(body: Body) -> list[Table]:
    rows = tuple(
        Row(" · ".join(pair["questions"]), tuple(pair[name] for name in MEASURES))
        for pair in body["pairs"]
    )
    return [
        Table(
            "pairs",
            gettext_noop("Two questions at a time"),
            gettext_noop("questions"),
            COLUMNS,
            rows,
        )
    ]


EXHIBITS = Exhibits(
    question=BETWEEN_QUESTIONS,
    title="Do answers to different questions go together?",
    method=(
        "People’s mean answers to two questions, on the images that have both. Intervals are of 95 %, with "
        "prompts as clusters."
    ),
    sentences=sentences,
    tables=tables,
)
