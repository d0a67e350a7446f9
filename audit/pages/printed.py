"""A report as one file for a paper's appendix: HTML that needs nothing else, and PDF.

The PDF is one tall page: the charts as vectors, the text as `manage.py report` prints it. A browser
on the server would break it into pages more prettily, but would have to be installed, trusted and
waited for; whoever wants pages prints the HTML file.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

import vl_convert
from django.template.loader import render_to_string

from audit.charts import every_chart
from audit.charts.style import FILE_WIDTH, caption, signed_spec
from audit.models import Report
from audit.view import View
from audit.words import report as report_words

LINE = 11
LETTER = 4.6
MARGIN = 24


def as_html(report: Report, tables: list[Any]) -> str:
    body = report.body
    return render_to_string(
        "audit/printed.html",
        {
            "report": report,
            "body": body,
            "sentences": report_words.sentences(body),
            "missing": report_words.missing(body),
            "named": _named(body),
            "signature": report_words.signature(body),
            "charts": [{"title": name, "svg": svg} for name, svg in _charts(body)],
            "tables": tables,
        },
    )


def as_pdf(report: Report) -> bytes:
    return vl_convert.svg_to_pdf(_sheet(report))


def _named(body: dict[str, Any]) -> list[str]:
    """The missing images that the report names."""
    named = body["missing"].get("named", {})
    lines = []
    if named.get("labels"):
        lines.append(f"No label: {_some(named['labels'], body['missing']['labels'])}")
    for judge, lacking in named.get("scores", {}).items():
        counts = body["missing"]["scores"][judge]
        for kind, words in (("absent", "not scored"), ("failed", "could not be scored")):
            if lacking[kind]:
                shown = _some(lacking[kind], counts[kind])
                lines.append(f"{report_words.title(judge)}, {words}: {shown}")
    return lines


def _some(names: list[str], total: int) -> str:
    more = total - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _charts(body: dict[str, Any]) -> list[tuple[str, str]]:
    if not body["judges"] or not body["people"]["annotations"]:
        return []
    charts = []
    for name in ("drift", "agreement", "judges"):
        spec = signed_spec(every_chart.chart(name, body, View()), caption(body))
        charts.append((name, vl_convert.vegalite_to_svg(spec)))
    return charts


def _side(svg: str, name: str) -> float:
    match = re.search(rf'\b{name}="([\d.]+)"', svg)
    if match is None:
        raise ValueError(f"the chart has no {name}")
    return float(match[1])


def _sheet(report: Report) -> str:
    body = report.body
    lines = [*report_words.as_text(body).splitlines(), "", *_named(body)]
    lines.append(f"report {report.pk}, {report.created_at:%Y-%m-%d %H:%M} UTC")
    parts, top = [], float(MARGIN)
    widest = FILE_WIDTH + 240.0
    for _, svg in _charts(body):
        width, height = _side(svg, "width"), _side(svg, "height")
        parts.append(svg.replace("<svg ", f'<svg x="{MARGIN}" y="{top:g}" ', 1))
        widest = max(widest, width)
        top += height + MARGIN
    for line in lines:
        top += LINE
        parts.append(
            f'<text x="{MARGIN}" y="{top:g}" font-family="monospace" font-size="7.5" '
            f'xml:space="preserve">{escape(line)}</text>'
        )
        widest = max(widest, LETTER * len(line))
    width, height = widest + 2 * MARGIN, top + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}"><rect width="100%" height="100%" fill="white"/>'
        f"{''.join(parts)}</svg>"
    )
