"""From the gap of one side to that of the other, a bar for each cause."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from django.utils.translation import gettext

from annotations.language.stored_words import say
from audit.charts import style
from audit.charts.style import INK, MUTED, NO, YES, configured
from audit.charts.when_used import alt
from audit.words import why as words
from audit.words.report import title

ROW, LINE = 40, 15
# A long name breaks into lines, each no longer than a phone has room for beside the bars.
WIDE = 16
WORDS = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+\s*")


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
