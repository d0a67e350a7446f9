"""Why the gap between people and a judge moved: a sentence, a bar for each cause, both sides, and the alarms."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext

from annotations.language.stored_words import say
from audit.charts import style
from audit.charts.style import INK, MUTED, NO, YES, configured
from audit.charts.when_used import alt
from audit.exhibits import Body, Chart, Exhibits, Row, Table, row, statistics_table
from audit.questions.why.question import WHY
from audit.words import anchors as words_of_anchors
from audit.words import why as words
from audit.words.numbers import join_names, with_interval
from audit.words.report import title

ROW, LINE = 40, 15
# A long name breaks into lines, each no longer than a phone has room for beside the bars.
WIDE = 16
WORDS = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*")


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
    draw = partial(waterfall, body)
    title = gettext_noop("What moved the gap")
    return [Chart("causes", title, draw, blank(body))]


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
    *lines, promise = of_watches(body["watches"], body["watches"]["judge"])
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
    return [*caption(body), body["signature"]["rule"]]


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


def waterfall(body: dict[str, Any], theme: str) -> dict[str, Any]:
    rows = steps(body)
    names = [row["part"] for row in rows]
    room = max(ROW, LINE * (1 + max(name.count("\n") + 1 for name in names)))
    y = alt.Y(
        "part:N",
        sort=names,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, labelExpr="split(datum.label, '\\n')"),
    )
    x = alt.X(
        "low:Q", title=gettext("people − judge, points"), scale=alt.Scale(zero=True, nice=True)
    )
    kinds = alt.Color(
        "kind:N",
        legend=None,
        scale=alt.Scale(domain=["side", "up", "down"], range=[MUTED[theme], YES[theme], NO[theme]]),
    )
    shown = [
        alt.Tooltip("part:N", title=gettext("cause")),
        *(alt.Tooltip(f"{end}:Q", title=head, format="+.1f") for end, head in
          (("value", gettext("points")), ("lower", gettext("from")), ("upper", gettext("to")))),
        alt.Tooltip("n:Q", title=gettext("images")),
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    layers = [
        base.mark_bar(height=16).encode(x=alt.X("begin:Q", title=gettext("people − judge, points")), x2="end:Q", color=kinds, tooltip=shown),
        base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2, color=INK[theme]).encode(
            x=x, x2="high:Q"
        ),
        base.mark_text(dy=-14, fontSize=12, color=INK[theme]).encode(x="end:Q", text=alt.Text("value:Q", format="+.1f")),
        alt.Chart(alt.Data(values=[{"edge": 0}])).mark_rule(color=MUTED[theme], strokeDash=[4, 4]).encode(x="edge:Q"),
    ]  # fmt: skip
    chart = alt.layer(*layers).properties(
        title=gettext("People less %(judge)s: from one side to the other (95 %% intervals)")
        % {"judge": title(body["judge"])},
        width="container",
        height=room * len(rows) + 16,
    )
    return configured(chart, theme, names=False)


def steps(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Each bar begins where the one before it ends."""
    first, second = body["sides"]
    rows = [_bar(say(first["words"]), 0.0, first["gap"], "side")]
    reached = first["gap"]["value"]
    for part, estimate in words.parts_of(body):
        if "value" in estimate:
            kind = "up" if estimate["value"] >= 0 else "down"
            rows.append(_bar(words.name(part), reached, estimate, kind))
            reached += estimate["value"]
    return [*rows, _bar(say(second["words"]), 0.0, second["gap"], "side")]


def _bar(name: str, begin: float, estimate: dict[str, Any], kind: str) -> dict[str, Any]:
    low, high = estimate["low"], estimate["high"]
    return {
        "part": break_name(name),
        "kind": kind,
        "begin": begin,
        "end": begin + estimate["value"],
        "value": estimate["value"],
        "lower": low,
        "upper": high,
        "low": None if low is None else begin + low,
        "high": None if high is None else begin + high,
        "n": estimate["n"],
    }


def break_name(name: str) -> str:
    lines = [""]
    for word in WORDS.findall(name):
        if lines[-1] and _width(lines[-1]) + _width(word.rstrip()) > WIDE:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.rstrip() for line in lines)


def _width(text: str) -> int:
    """In letters: a Chinese one is as wide as two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in text)


def blank(body: dict[str, Any]) -> str:
    """Why there is no chart; empty where there is one."""
    gaps = [body["moved"], *(side["gap"] for side in body["sides"])]
    lacking = next((gap["undefined"] for gap in gaps if "undefined" in gap), "")
    return f"No chart: {lacking}." if lacking else ""


def caption(body: dict[str, Any]) -> list[str]:
    return style.caption(body, body["signature"]["interval"])


def of_watches(watches: dict[str, Any], judge: dict[str, Any]) -> list[str]:
    """`watches` is stored with the explanation, `judge` is the watch of the judge's anchors."""
    return [
        _verdict(watches, judge),
        gettext_noop("People − judge on new images:") + f" {_one(watches['gap'])}",
        gettext_noop("The judge now − then on anchors:") + f" {_of_judge(judge)}",
        gettext_noop("People now − then on the same images:") + f" {_of_people(watches['people'])}",
        "You may look every day: of 100 studies in which nothing moves, at most 5 get a false alarm.",
    ]


def _verdict(watches: dict[str, Any], judge: dict[str, Any]) -> str:
    gap = _day(watches["gap"])
    rung = sorted(
        (day, cause)
        for day, cause in (
            (_day(judge), gettext("the judge")),
            (
                _day(watches["people"]),
                gettext("people or the form’s words")
                if watches["people"].get("other_words")
                else gettext("people"),
            ),
        )
        if day is not None
    )
    if rung:
        first = join_names([cause for day, cause in rung if day == rung[0][0]])
        day = _date_words(rung[0][0])
        if gap is None:
            return f"First alarm: {first}, on {day}."
        return f"First alarm: {first}, on {day}, and the gap moved with it."
    if gap is None:
        return "No alarm."
    silent = [
        what
        for what, watch in ((gettext("the judge"), judge), (gettext("people"), watches["people"]))
        if "undefined" in watch
    ]
    if silent:
        others = gettext(" or ").join(silent)
        if gap == "unknown":
            return f"The gap changed; since when is unknown. Anchors would show whether {others} changed."
        return f"The gap has moved since {gap}. Anchors would show whether {others} changed."
    day = _date_words(gap)
    moved = f"Only the gap moved, on {day}; judge and people say the same of the same images."
    if watches["new_form"]:
        return f"{moved} The cause is in the images or in the form’s words, which are other ones."
    return f"{moved} The cause is in the images."


def _one(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return gettext_noop(f"not watched: {watch['undefined']}.")
    moved = with_interval("net_deviation", watch["moved"])
    if watch["rang"]:
        return gettext_noop(f"alarm on {_date_words(watch['rang'])}; by now {moved}.")
    return gettext_noop(f"no alarm in {_looks(watch['looks'])}; by now {moved}.")


def _of_judge(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return gettext_noop(f"not watched: {watch['undefined']}.")
    moved = with_interval("score_moved", watch["moved"])
    if watch["rang"]:
        return gettext_noop(
            f"alarm on {_date_words(watch['rang'])}; by now {moved} in its own unit."
        )
    return gettext_noop(f"no alarm in {_looks(watch['looks'])}; by now {moved} in its own unit.")


def _of_people(watch: dict[str, Any]) -> str:
    if "undefined" in watch:
        return gettext_noop(f"not watched: {watch['undefined']}. Ask people about anchors again.")
    words = " The words of the form were other ones." if watch["other_words"] else ""
    return _one(watch) + words


def _looks(number: int) -> str:
    return ngettext("%(number)s look", "%(number)s looks", number) % {"number": number}


def _day(watch: dict[str, Any]) -> str | None:
    return watch.get("rang")


def _date_words(day: str) -> str:
    return gettext("a day that is not known") if day == "unknown" else day
