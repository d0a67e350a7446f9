"""Which generators win: a sentence for people and for each judge, shares of wins, and judges on the same
comparisons."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts import contests as charts_of_contests
from audit.charts.faces import face_of
from audit.exhibits import Body, Chart, Exhibits, Row, Table, row, statistics_table
from audit.questions.leaderboard.question import LEADERBOARD
from audit.statistic_names import headings
from audit.words import contests as words
from audit.words.numbers import join_names
from audit.words.report import title
from judges.names import short_titles

OF_JUDGE = headings("vote_accuracy", "vote_soft_pairwise", "swap_consistency")
WITHOUT_SWAP = headings("vote_accuracy", "vote_soft_pairwise")
PLOTS = {"standing": gettext_noop("Share of wins"), "time": gettext_noop("Over release dates")}
SIDE_BY_SIDE = gettext_noop(
    "People saw two images of one prompt side by side; “both” and “neither” are ties."
)
BY_ANSWERS = gettext_noop(
    "A comparison: one person answered about two images of one prompt. The one with the better answer wins, "
    "equal answers are a tie."
)
METHOD = gettext_noop(
    "All comparisons together give each generator a strength. A share of wins is the chance to win against "
    "another generator drawn at random, a tie counting half. 400 points on Elo’s scale are odds of ten to one, "
    "around 1000. A judge wins by its scores. Two that differ by no more than a bound are a tie. The bound is "
    "chosen on other prompts than those it is used on. Soft pairwise accuracy: how near the judge’s certainty "
    "about each two generators is to people’s. Small type: 95 % intervals with prompts as clusters."
)
TIED = gettext_noop(
    "Each line: generators next to each other that differ by no more than chance, the best first. One on a line "
    "of its own differs from all others."
)


def describe_method(body: Body) -> list[str]:
    return [SIDE_BY_SIDE if body["made_from"] == "pairs" else BY_ANSWERS, METHOD]


def sign(body: Body) -> list[str]:
    return [*charts_of_contests.caption(body), body["signature"]["rule"]]


def charts(body: Body) -> list[Chart]:
    body = by_number(body)
    return [
        Chart(
            kind,
            heading,
            partial(charts_of_contests.chart, body, kind=kind),
            charts_of_contests.blank(body, kind),
        )
        for kind, heading in PLOTS.items()
    ]


def by_number(body: Body) -> Body:
    """With the judges in the order in which they came to the study."""
    facts = body["signature"]["judge_facts"]
    names = sorted(body["judges"], key=lambda name: (facts[name].get("number", 0), name))
    return {**body, "judges": {name: body["judges"][name] for name in names}}


def tables(body: Body) -> list[Table]:
    body = by_number(body)
    return [
        _standing(body),
        _of_judges(body),
        _tied(body),
        _by_slice(body),
        _judges_by_slice(body),
    ]


def _tied(body: Body) -> Table:
    rows = tuple(Row(join_names(group), ()) for group in body["people"].get("groups", []))
    return Table("tied", gettext_noop("Statistically tied"), "generators", (), rows, notes=(TIED,))


def _standing(body: dict[str, Any]) -> Table:
    """Generators in people's order; a column for people and for each judge."""
    told = body["people"]
    dates = {one["name"]: one["release_date"] for one in body["generators"]}
    places = told.get("places", [])
    order = [place["generator"] for place in places] or list(dates)
    notes = {place["generator"]: words.ranks(place) for place in places}
    columns = {"win_share": "people", "elo": "Elo"}
    short = short_titles(body["judges"])
    columns |= {f"win_share.{name}": short[name] for name in body["judges"]}
    rows = []
    for generator in order:
        stats = {key: words.of_generator(told, generator, key) for key in ("win_share", "elo")}
        for name, judge in body["judges"].items():
            stats[f"win_share.{name}"] = words.of_generator(judge["board"], generator)
        note = "; ".join(filter(None, [notes.get(generator), dates.get(generator)]))
        rows.append(row(generator, stats, columns, note=note))
    return statistics_table(
        "standing",
        gettext_noop("Share of wins by generator"),
        "generator",
        columns,
        rows,
        folded=True,
    )


def _of_judges(body: dict[str, Any]) -> Table:
    rows = []
    swaps = {name: judge.get("swap_consistency") for name, judge in body["judges"].items()}
    columns = OF_JUDGE if any(swaps.values()) else WITHOUT_SWAP
    if body["votes"] or body.get("same_generator"):
        people = {"vote_accuracy": body["ceiling"]}
        people["vote_soft_pairwise"] = {"undefined": "people are the measure", "n": body["votes"]}
        people["swap_consistency"] = {"undefined": "sides are drawn for people", "n": body["votes"]}
        rows.append(row(gettext("one person and another"), people, columns))
        if (tie := body.get("always_tie", {})).get("value"):
            nothing = {"undefined": "it names no order of the generators", "n": body["votes"]}
            says_tie = dict.fromkeys(columns, nothing) | {"vote_accuracy": tie}
            rows.append(row(gettext("“tie” each time"), says_tie, columns))
    for name, judge in body["judges"].items():
        stats = {"vote_accuracy": judge["accuracy"], "vote_soft_pairwise": judge["soft_pairwise"]}
        stats["swap_consistency"] = swaps[name] or {"undefined": "it scores single images", "n": 0}
        rows.append(row(title(name), stats, columns, judge=name, face=face_of(body, name)))
    return statistics_table(
        "judges",
        gettext_noop("Judges on the same comparisons"),
        "judge",
        columns,
        rows,
        folded=True,
    )


def _by_slice(body: dict[str, Any]) -> Table:
    names = [one["name"] for one in body["generators"]]
    columns = {f"win_share.{name}": name for name in names}
    rows = [
        row(
            part["tag"],
            {f"win_share.{name}": words.of_generator(part["people"], name) for name in names},
            columns,
            note=gettext("%(votes)s comparisons on %(prompts)s prompts")
            % {"votes": f"{part['votes']:,}", "prompts": part["prompts"]},
        )
        for part in body["slices"]
    ]
    return statistics_table(
        "slices",
        gettext_noop("People’s shares of wins by slice"),
        "slice",
        columns,
        rows,
        folded=True,
    )


def _judges_by_slice(body: dict[str, Any]) -> Table:
    """How often each says what people say, beside how often two people do."""
    columns = {"vote_accuracy.people": gettext_noop("two people")}
    short = short_titles(body["judges"])
    columns |= {f"vote_accuracy.{name}": short[name] for name in body["judges"]}
    rows = [
        row(
            part["tag"],
            {"vote_accuracy.people": part["ceiling"]}
            | {f"vote_accuracy.{name}": told for name, told in part["judges"].items()},
            columns,
        )
        for part in body["slices"]
        if "judges" in part
    ]
    heading = gettext_noop("Judge accuracy on pairwise votes, by slice")
    return statistics_table("judge-slices", heading, "slice", columns, rows, folded=True)


EXHIBITS = Exhibits(
    question=LEADERBOARD,
    title="Which generators win?",
    method=describe_method,
    sentences=lambda body: words.sentences(by_number(body)),
    tables=tables,
    charts=charts,
    signed=sign,
    first_sentences=2,
    page="leaderboard",
)
