"""On which questions each judge follows people, in sentences, a table and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import count_things
from audit.exhibits import Body, Chart, Column, Exhibits, Row, Table
from audit.questions.by_question import draw_by_question
from audit.questions.each_question.question import EACH_QUESTION
from audit.words.numbers import join_names
from audit.words.report import title
from jurybox_stats.instrument.following import AGAINST, FOLLOWING

BY_CHANCE = 0.5
HEADING = "share of pairs in people’s order"


def sentences(body: Body) -> list[str]:
    """The judges that follow people on one question and not on another; else how all do."""
    questions = body["questions"]
    apart = list(judges_apart(body))
    if apart:
        return [_describe(name, yes, no) for name, yes, no in apart]
    judges = _judges(body)
    following = [
        name for name in judges if len(_questions_with(body, name, FOLLOWING)) == len(questions)
    ]
    judged = count_things(len(judges), "judges")
    asked = (
        gettext("the question")
        if len(questions) == 1
        else gettext("each of %(count)s questions") % {"count": len(questions)}
    )
    some = len(following)
    return [
        f"{some} of {judged} follows people on {asked}."
        if some == 1
        else f"{some} of {judged} follow people on {asked}."
    ]


def judges_apart(body: Body) -> Iterator[tuple[str, list[str], list[str]]]:
    """Judge, the questions on which it follows people, and those on which it does not."""
    for name in _judges(body):
        yes, no = (_questions_with(body, name, states) for states in (FOLLOWING, AGAINST))
        if yes and no:
            yield name, yes, no


def _describe(name: str, yes: list[str], no: list[str]) -> str:
    judge, these, others = title(name), _join_names(yes), _join_names(no)
    return f"{judge} follows people on {these}, but not on {others}."


def _join_names(names: list[str]) -> str:
    return join_names([f"“{name}”" for name in names])


def _judges(body: Body) -> list[str]:
    return sorted({name for judges in body["questions"].values() for name in judges})


def _questions_with(body: Body, judge: str, states: frozenset[str]) -> list[str]:
    return [
        question
        for question, judges in body["questions"].items()
        if judges.get(judge, {}).get("state") in states
    ]


def tables(body: Body) -> list[Table]:
    questions = list(body["questions"])
    columns = tuple(Column(name, name, decimals=2) for name in questions)
    absent = {"undefined": "it has no scores here", "n": 0}
    rows = [
        Row(title(name), tuple(_number(body["questions"][q].get(name, absent)) for q in questions))
        for name in _judges(body)
    ]
    return [
        Table(
            "judges",
            gettext_noop("Share of pairs in people’s order"),
            "judge",
            columns,
            tuple(rows),
        )
    ]


def _number(fact: dict[str, Any]) -> dict[str, Any]:
    kept = ("undefined", "n") if "undefined" in fact else ("value", "low", "high", "n")
    return {key: fact[key] for key in kept}


def charts(body: Body) -> list[Chart]:
    rows = [
        {"judge": title(name), "question": question, **_number(fact)}
        for question, judges in body["questions"].items()
        for name, fact in judges.items()
        if "value" in fact
    ]
    blank = "" if rows else "No chart: not enough answers on any question."
    return [
        Chart(
            "questions",
            gettext_noop("By question"),
            lambda theme: draw_questions(rows, theme),
            blank,
        )
    ]


def draw_questions(rows: list[dict[str, Any]], theme: str) -> dict[str, Any]:
    judges = sorted({row["judge"] for row in rows})
    heading = gettext(HEADING)
    return draw_by_question(rows, "judge", judges, heading, theme, ends=(0, 1), chance=BY_CHANCE)


EXHIBITS = Exhibits(
    question=EACH_QUESTION,
    title="On which questions does each judge follow people?",
    method=(
        "Share of pairs in people’s order, AUROC where they say yes or no, for each question that people "
        "answered. A judge follows if the interval lies above 0.5. It does not if the interval holds 0.5 and "
        "ends at 0.7 or below, or if it lies below 0.5."
    ),
    sentences=sentences,
    tables=tables,
    charts=charts,
)
