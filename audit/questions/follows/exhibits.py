"""Which judge follows people on which question: sentences and a table."""

from __future__ import annotations

from typing import Any

from audit.exhibits import Body, Column, Exhibits, Row, Table
from audit.questions.follows.question import FOLLOWS
from audit.stats.instrument.following import AGAINST
from audit.stats.instrument.following import FOLLOWING as STATES
from audit.words.drift_state import FOLLOWING

NAMED = 12
DECIMALS = 2


def sentences(body: Body) -> list[str]:
    """Those first that follow people on one question and not on another."""
    judges = sorted(body["judges"], key=lambda one: not _is_half_blind(one))
    lines = [line for judge in judges[:NAMED] for line in _describe(judge)]
    if len(judges) > NAMED:
        lines.append(f"The other {len(judges) - NAMED} judges stand in the table.")
    return lines


def _is_half_blind(judge: dict[str, Any]) -> bool:
    states = {fact["state"] for fact in judge["on"].values()}
    return bool(states & STATES) and bool(states & AGAINST)


def _describe(judge: dict[str, Any]) -> list[str]:
    by_words: dict[str, list[str]] = {}
    for question, fact in judge["on"].items():
        words = FOLLOWING.get(fact["state"], "cannot be told yet")
        by_words.setdefault(words, []).append(f"“{question}”")
    return [
        f"{judge['name']} {words} on {', '.join(questions)}."
        for words, questions in by_words.items()
    ]


def tables(body: Body) -> list[Table]:
    columns = tuple(Column(question, question, DECIMALS) for question in body["questions"])
    rows = [
        Row(judge["name"], tuple(judge["on"][question] for question in body["questions"]))
        for judge in body["judges"]
    ]
    title = "Share of pairs in people’s order"
    return [Table("follows", title, "judge", columns, tuple(rows))]


EXHIBITS = Exhibits(
    question=FOLLOWS,
    title="On which questions does each judge follow people?",
    method=(
        "How often a judge puts two images in people’s order: AUROC where people say yes or no, else "
        "the share of pairs. It follows where the interval’s low end is 0.7 at least."
    ),
    sentences=sentences,
    tables=tables,
)
