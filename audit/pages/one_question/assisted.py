"""The second half of Labels: people's score of each generator, alone and with the judges' help, and what the
labels are worth."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest
from audit.charts.assisted import interval_columns
from audit.exhibits import Table, row, statistics_table
from audit.pages.files import send_tables
from audit.pages.filters import select
from audit.pages.frame import ReportPage, report_page, report_view
from audit.statistic_names import headings
from audit.words import assisted as words
from jurybox_stats import enough

COLUMNS = headings("alone", "assisted", "worth")
LOOKS = (
    ("", gettext_lazy("stays valid at every look")),
    ("one", gettext_lazy("for one look, planned beforehand")),
)
UNKNOWN = "this report is older than this score"


@require_GET
def table(request: HtmxRequest, slug: str) -> HttpResponse:
    page = report_page(request, slug)
    if not page.compares:
        raise Http404
    return send_tables(request, page.body, [_table(page)], f"{slug}-assisted")


@report_view("audit/assisted.html")
def assisted(page: ReportPage) -> dict[str, Any]:
    shown = {"thing": gettext("Judge-assisted scores")}
    if not page.compares:
        return shown
    look = "one" if page.view.one_look else ""
    return {
        **shown,
        "sentences": words.sentences(page.body),
        "table": _table(page),
        "csv": page.address("assisted-table", report=page.report_id, look=look),
        "plot": page.plot("assisted", gettext("Labels only, and judge-assisted"), look=look),
        "filters": [select("look", gettext("interval"), LOOKS, look)],
        "filter_url": f"{reverse('plan', args=[page.study.slug])}#assisted",
    }


def _table(page: ReportPage) -> Table:
    return statistics_table(
        "assisted",
        gettext("People’s score by generator"),
        gettext("generator"),
        COLUMNS,
        [_row(page, generator) for generator in page.body["generators"]],
    )


def _row(page: ReportPage, generator: dict[str, Any]) -> Any:
    score = generator.get("human_score_assisted", {"undefined": UNKNOWN, "n": 0})
    stats = dict.fromkeys(COLUMNS, score)
    if "value" in score:
        worth, n = score["effective_labels"], score["n"]
        stats = {
            "alone": interval_columns(score["alone"], one_look=page.view.one_look),
            "assisted": interval_columns(score, one_look=page.view.one_look),
            "worth": {"undefined": gettext("labels alone show no error"), "n": n}
            if worth is None
            else {"value": worth, "low": None, "high": None, "n": n},
        }
    noted = [
        gettext("%(labelled)s of %(images)s images labelled")
        % {"labelled": score["n"], "images": score.get("images", generator["images"])}
    ]
    carried = words.carried_by(score) if "value" in score else ""
    note = "; ".join(filter(None, [*noted, carried]))
    return row(generator["name"], stats, COLUMNS, at_least=enough.IMAGES, note=note)
