"""Why the gap between people and a judge moved: a sentence, a bar for each cause, both sides, and the alarms."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.stored_words import say
from audit.charts import why as charts_of_why
from audit.exhibits import Body, Chart, Exhibits, Row, Table, row, statistics_table
from audit.questions.why.question import WHY
from audit.words import anchors as words_of_anchors
from audit.words import watches as words_of_watches
from audit.words import why as words

COLUMNS = {"net_deviation": gettext_noop("points")}
OF_SIDE = {
    "human_score": gettext_noop("people"),
    "judge_score": gettext_noop("judge"),
    "net_deviation": gettext_noop("people − judge"),
}
METHOD = gettext_noop(
    "The gap is people’s mean less the judge’s score. The parts add up to its move exactly. Images are of one kind "
    "where their prompts have the same tags and the same number of atoms. Whether people answer otherwise than they "
    "did is seen on images that they answered about on both sides."
)
SMALL_TYPE = gettext_noop("Small type: 95 % intervals.")


def sentences(body: Body) -> list[str]:
    return words.sentences(body, anchored=bool(body["certificates"]))


def charts(body: Body) -> list[Chart]:
    draw = partial(charts_of_why.waterfall, body)
    title = gettext_noop("What moved the gap")
    return [Chart("causes", title, draw, charts_of_why.blank(body))]


def tables(body: Body) -> list[Table]:
    return [_causes(body), _sides(body), _alarms(body), _certificates(body)]


def _causes(body: Body) -> Table:
    rows = [
        row(words.name(part), {"net_deviation": estimate}, COLUMNS)
        for part, estimate in words.parts_of(body)
    ]
    rows.append(row(gettext("all together"), {"net_deviation": body["moved"]}, COLUMNS))
    title = gettext_noop("What moved the gap")
    return statistics_table("causes", title, "cause", COLUMNS, rows, folded=True)


def _sides(body: Body) -> Table:
    rows = [
        row(
            say(side["words"]),
            {
                "human_score": side["people"],
                "judge_score": side["judge"],
                "net_deviation": side["gap"],
            },
            OF_SIDE,
            note=_counts(side),
        )
        for side in body["sides"]
    ]
    return statistics_table(
        "sides", gettext_noop("Both sides"), gettext_noop("side"), OF_SIDE, rows, folded=True
    )


def _counts(side: dict[str, Any]) -> str:
    counted = gettext("%(images)s images of %(prompts)s prompts") % side
    if not side["without_score"]:
        return counted
    return gettext("%(counted)s; %(without_score)s without a score") % {**side, "counted": counted}


def _alarms(body: Body) -> Table:
    *lines, promise = words_of_watches.sentences(body["watches"], body["watches"]["judge"])
    return _lines("alarms", gettext_noop("Alarms"), gettext_noop("what was seen"), lines, promise)


def _certificates(body: Body) -> Table:
    lines = [line for one in body["certificates"] for line in words_of_anchors.sentences(one)]
    title = gettext_noop("Anchors scored again")
    return _lines("certificates", title, gettext_noop("what was seen"), lines)


def _lines(key: str, title: str, first: str, lines: list[str], *notes: str) -> Table:
    return Table(
        key, title, first, (), tuple(Row(say(line), ()) for line in lines), notes=notes, folded=True
    )


def describe_method(body: Body) -> list[str]:
    kinds = "; ".join(body.get("kinds_of_one_prompt", []))
    merged = [f"Kinds of a single prompt count as one kind: {kinds}."] if kinds else []
    return [METHOD, *merged, SMALL_TYPE]


def sign(body: Body) -> list[str]:
    return [*charts_of_why.caption(body), body["signature"]["rule"]]


EXHIBITS = Exhibits(
    question=WHY,
    title="Why the gap changed",
    method=describe_method,
    sentences=sentences,
    tables=tables,
    charts=charts,
    signed=sign,
    first_sentences=3,
    page="why",
    inside="judge",
)
