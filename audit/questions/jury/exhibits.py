"""Whether a jury of a study's judges is better than its best member, in sentences, tables and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts.style import INK, configured
from audit.charts.when_used import alt
from audit.exhibits import Body, Chart, Column, Exhibits, Row, Table
from audit.questions.jury.question import JURY
from audit.words.numbers import join_names
from audit.words.report import title

GAIN = Column("gain", gettext_noop("points"), decimals=1, signed=True)
WEIGHT = Column("weight", gettext_noop("weight"), decimals=2)
IN_ORDER = Column("in_order", gettext_noop("pairs in people’s order"), decimals=3)
SHARED = Column("shared", gettext_noop("shared error"), decimals=2)
TOGETHER = gettext_noop("Errors that two judges share")
ITSELF = {"undefined": gettext_noop("the same judge"), "n": 0}
MUCH = 0.5  # an error that is shared so far leaves hardly anything to add
CELL = 44


def sentences(body: Body) -> list[str]:
    lines = [_describe_gain(body), _describe_newest(body)]
    if body["tried"] > 1:
        lines.append(_describe_search(body))
    lines += [
        gettext("%(judge)s would add hardly anything: it errs where %(member)s errs (%(shared)s).")
        % {
            "judge": title(name),
            "member": title(member),
            "shared": SHARED.cell(shared).value,
        }
        for name, member, shared in _needless(body)
    ]
    return lines


def _describe_search(body: Body) -> str:
    if body["suggested"]:
        words = gettext(
            "Suggested of %(tried)s juries that were tried on the prompts that tune; the intervals allow for all of them."
        )
    else:
        words = gettext(
            "%(tried)s juries were tried on the prompts that tune, and none was better than one judge alone: this is the jury of all."
        )
    return words % {"tried": body["tried"]}


def _needless(body: Body) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Judges that are no members, each with the member whose errors it shares most, where that is much."""
    members = [one["judge"] for one in body["judges"] if one["is_member"]]
    for one in body["judges"]:
        beside = body["together"][one["judge"]]
        known = {name: beside[name] for name in members if "value" in beside.get(name, {})}
        if one["is_member"] or not known:
            continue
        member = max(known, key=lambda name: known[name]["value"])
        if known[member]["value"] >= MUCH:
            yield one["judge"], member, known[member]


def _describe_gain(body: Body) -> str:
    words = {
        "best": title(body["best"]),
        "gain": GAIN.cell(body["gain"]).in_words(gettext(" points")),
        "prompts": body["prompts"]["testing"],
    }
    return _choose_words(body["gain"]) % words


def _choose_words(gain: dict[str, Any]) -> str:
    if gain["low"] > 0:
        return gettext(
            "The jury beats its best member, %(best)s, on %(prompts)s prompts that no weight has seen: %(gain)s."
        )
    if gain["high"] < 0:
        return gettext(
            "The jury is worse than its best member, %(best)s, on %(prompts)s prompts that no weight has seen: %(gain)s."
        )
    return gettext(
        "It is not shown that the jury beats its best member, %(best)s: %(gain)s on %(prompts)s prompts that no weight has seen."
    )


def _describe_newest(body: Body) -> str:
    newest = body["newest"]
    if "undefined" in newest:
        reason = gettext(newest["undefined"])
        return gettext("It cannot be tested on the newest generators: %(reason)s.") % {
            "reason": reason
        }
    words = {
        "names": join_names(newest["generators"]),
        "gain": GAIN.cell(newest).in_words(gettext(" points")),
    }
    if newest["low"] > 0:
        return (
            gettext(
                "Tuned without the newest generators (%(names)s) it beats the best member on them, too: %(gain)s."
            )
            % words
        )
    return (
        gettext(
            "Tuned without the newest generators (%(names)s) it is not shown to beat the best member on them: %(gain)s."
        )
        % words
    )


def tables(body: Body) -> list[Table]:
    names = [one["judge"] for one in body["judges"]]
    judges = [
        Row(title(one["judge"]), (_weight(one), one["in_order"]), judge=one["judge"])
        for one in sorted(body["judges"], key=lambda one: not one["is_member"])
    ]
    together = [
        Row(title(name), tuple(body["together"][name].get(other, ITSELF) for other in names))
        for name in names
    ]
    of_judges = tuple(Column(name, title(name), decimals=2, fixed=True) for name in names)
    heading = gettext_noop("judge")
    return [
        Table("judges", gettext_noop("Members"), heading, (WEIGHT, IN_ORDER), tuple(judges)),
        Table("together", TOGETHER, heading, of_judges, tuple(together), folded=True),
    ]


def _weight(one: dict[str, Any]) -> dict[str, Any]:
    n = one["in_order"]["n"]
    if not one["is_member"]:
        return {"undefined": gettext_noop("no member"), "n": n}
    return {"value": one["weight"], "low": None, "high": None, "n": n}


def charts(body: Body) -> list[Chart]:
    rows = [
        {"judge": title(one), "other": title(other), "shared": number["value"]}
        for one, beside in body["together"].items()
        for other, number in beside.items()
        if "value" in number
    ]
    blank = "" if rows else "No chart: no two judges have scores of the same images."
    return [
        Chart(
            "together",
            TOGETHER,
            lambda theme: draw_together(rows, theme),
            blank,
            note=gettext_noop("0: they err apart. 1: one errs as the other does."),
        )
    ]


def draw_together(rows: list[dict[str, Any]], theme: str) -> dict[str, Any]:
    names = list(dict.fromkeys(row["judge"] for row in rows))
    axis = alt.Axis(ticks=False, domain=False, labelAngle=-40, orient="top")
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("other:N", sort=names, title=None, axis=axis),
        y=alt.Y("judge:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("judge:N", title=gettext("judge")),
            alt.Tooltip("other:N", title=gettext("beside")),
            alt.Tooltip("shared:Q", title=gettext("shared error"), format=".2f"),
        ],
    )
    dark = alt.Opacity(
        "shared:Q", scale=alt.Scale(domain=[0, 1], range=[0, 0.6], clamp=True), legend=None
    )
    layers = [
        base.mark_rect(color=INK[theme]).encode(opacity=dark),
        base.mark_text(color=INK[theme]).encode(text=alt.Text("shared:Q", format=".2f")),
    ]
    size = alt.Step(CELL)
    return configured(alt.layer(*layers).properties(width=size, height=size), theme, names=False)


EXHIBITS = Exhibits(
    question=JURY,
    title="Is a jury of these judges better than the best of them?",
    method=gettext_noop(
        "Scores are standardised and combined. Half of the prompts tune, by a hash of their keys, and the other half "
        "test once. Points are pairs of images of 100 that stand in people’s order; a tie counts half. "
        "Predictions are fixed, prompts are left out one by one, Student’s t."
    ),
    sentences=sentences,
    tables=tables,
    charts=charts,
    speaks=True,
    page="jury",
)
