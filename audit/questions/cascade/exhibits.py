"""What a cascade of judges saves and what it promises, in sentences, a table and a chart."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from audit.charts.style import INK, configured
from audit.charts.when_used import alt
from audit.exhibits import Body, Chart, Column, Exhibits, Row, Table
from audit.questions.cascade.question import CASCADE, SECONDS
from audit.words.report import title

WRONG = Column("wrong", gettext_noop("decided wrongly, of 100"), decimals=1)
PRICE = Column("price", gettext_noop("price of an image"), decimals=2)
PEOPLE = Column("people", gettext_noop("by people, of 100"), decimals=0)
UNITS = {SECONDS: gettext_noop(" s")}
HEIGHT = 260


def sentences(body: Body) -> list[str]:
    risk = f"{100 * body['risk']:.0f}"
    if body["chosen"] is None:
        return [
            gettext(
                "No cascade is shown to decide at most %(risk)s of 100 images wrongly: people decide all. %(prompts)s prompts test it; more would help."
            )
            % {"risk": risk, "prompts": body["prompts"]}
        ]
    bar = body["bars"][body["chosen"]]
    words = {
        "risk": risk,
        "price": _price(body, bar["price"]),
        "people": _price(body, body["people"]),
        "bar": f"{100 * bar['bar']:.0f}",
    }
    shares = ", ".join(
        f"{title(one['judge'])} {100 * share:.0f}"
        for one, share in zip(body["judges"], bar["decided"], strict=True)
    )
    return [
        gettext(
            "With at most %(risk)s of 100 images decided wrongly an image costs %(price)s; people alone cost %(people)s."
        )
        % words,
        gettext("Of 100 images are decided by %(shares)s, by people %(rest)s.")
        % {"shares": shares, "rest": f"{100 * bar['by_people']:.0f}"},
        gettext(
            "A judge’s answer stands where those asked so far are at least %(bar)s of 100 sure; else the next is asked."
        )
        % words,
    ]


def _price(body: Body, price: float) -> str:
    return f"{price:.3g}{gettext(UNITS.get(body['unit'], ''))}"


def tables(body: Body) -> list[Table]:
    judges = [
        Column(one["judge"], f"{title(one['judge'])}, {gettext('of 100')}", decimals=0)
        for one in body["judges"]
    ]
    rows = [
        Row(
            f"{100 * bar['bar']:.0f} %",
            (
                _price_number(bar, body),
                _wrong(bar, body),
                *(_share(share, body) for share in bar["decided"]),
                _share(bar["by_people"], body),
            ),
            note=gettext("chosen") if at == body["chosen"] else "",
        )
        for at, bar in enumerate(body["bars"])
    ]
    columns = (PRICE, WRONG, *judges, PEOPLE)
    return [
        Table(
            "bars",
            gettext_noop("How sure they must be"),
            gettext_noop("at least sure"),
            columns,
            tuple(rows),
            folded=True,
        )
    ]


def _wrong(bar: dict[str, Any], body: Body) -> dict[str, Any]:
    error, bound = 100 * bar["error"], 100 * bar["bound"]
    return {"value": error, "low": 0.0, "high": bound, "n": body["images"]}


def _price_number(bar: dict[str, Any], body: Body) -> dict[str, Any]:
    return {"value": bar["price"], "low": None, "high": None, "n": body["images"]}


def _share(share: float, body: Body) -> dict[str, Any]:
    return {"value": 100 * share, "low": None, "high": None, "n": body["images"]}


def charts(body: Body) -> list[Chart]:
    return [
        Chart(
            "frontier",
            gettext_noop("Price against error"),
            lambda theme: draw_frontier(body, theme),
            note=gettext_noop("A point is a bar; the line above it goes to the bound that holds."),
        )
    ]


def draw_frontier(body: Body, theme: str) -> dict[str, Any]:
    rows = [
        {
            "price": bar["price"],
            "wrong": 100 * bar["error"],
            "bound": 100 * bar["bound"],
            "bar": f"{100 * bar['bar']:.0f} %",
            "chosen": at == body["chosen"],
        }
        for at, bar in enumerate(body["bars"])
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("price:Q", title=gettext("price of an image")),
        y=alt.Y("wrong:Q", title=gettext("decided wrongly, of 100")),
        tooltip=[
            alt.Tooltip("bar:N", title=gettext("at least sure")),
            alt.Tooltip("price:Q", title=gettext("price of an image"), format=".3g"),
            alt.Tooltip("wrong:Q", title=gettext("decided wrongly, of 100"), format=".1f"),
            alt.Tooltip("bound:Q", title=gettext("at most"), format=".1f"),
        ],
    )
    promise = alt.Chart(alt.Data(values=[{"risk": 100 * body["risk"]}])).mark_rule(
        strokeDash=[4, 4], opacity=0.6, color=INK[theme]
    )
    layers = [
        promise.encode(y="risk:Q"),
        base.mark_rule(opacity=0.25, color=INK[theme]).encode(y2="bound:Q"),
        base.mark_point(color=INK[theme]).encode(
            size=alt.condition("datum.chosen", alt.value(140), alt.value(30)),
            fill=alt.condition("datum.chosen", alt.value(INK[theme]), alt.value("transparent")),
        ),
    ]
    size = {"width": "container", "height": HEIGHT}
    return configured(alt.layer(*layers).properties(**size), theme, names=False)


EXHIBITS = Exhibits(
    question=CASCADE,
    title="Which images may judges decide, and at what price?",
    method=gettext_noop(
        "Half of the prompts tune a jury of the first judge, of the first two, and so on. The other half test how sure "
        "it must be. Bars are tested from the strictest down, and the walk ends at the first that is not shown to keep "
        "the promise. A prompt counts once, with the share of its images that are decided wrongly."
    ),
    sentences=sentences,
    tables=tables,
    charts=charts,
    speaks=True,
    page="cascade",
)
