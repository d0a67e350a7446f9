"""Judges side by side: every statistic, the human ceiling, and differences to the best judge."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.language.counts import count_things
from audit.exhibits import Row, Table, row, statistics_table
from audit.pages import judge_numbers, uses
from audit.pages.filters import select
from audit.pages.frame import ReportPage, report_view
from audit.statistic_names import COMPARING, MAIN, headings, main_statistics
from audit.view import View
from audit.words import decisions, drift_state, page_sentences
from audit.words.report import title
from audit.words.verdicts import name_verdict
from jurybox_stats import enough
from jurybox_stats.instrument.verdict import verdict_of

COLUMNS = headings(*(row.key for row in COMPARING))
DIFFERENCES = headings("auroc", "percent_agreement", "kendall_tau_b", "pairwise_accuracy")


@report_view("audit/side_by_side.html")
def side_by_side(page: ReportPage) -> dict[str, Any]:
    body = page.body
    context: dict[str, Any] = {"thing": gettext("All statistics, judge by judge")}
    if not page.compares:
        return context
    statistic = page.view.statistic or "auroc"
    compared = body["comparison"]
    return {
        **context,
        "sentences": page_sentences.of_judges(body),
        "plot": page.plot("judges", _heading(statistic), statistic=statistic),
        "csv": page.table_file("side-by-side"),
        "table": table(page, body),
        "differences": differences(body),
        "tests": compared.get("tests", {}),
        "at_least": compared["at_least"],
        "answers": decisions.answers(body),
        "uses": uses.table_file(page, body, page.view),
        "uses_csv": page.table_file("decide"),
        "each": page.plot("each", gettext("Every judge by itself")),
        "filters": [
            select("statistic", gettext("chart of"), main_statistics(), statistic),
        ],
        "filter_url": page.request.path,
    }


def _heading(statistic: str) -> str:
    return gettext("%(statistic)s, judge by judge") % {"statistic": gettext(MAIN[statistic])}


def table(page: ReportPage, body: dict[str, Any]) -> Table:
    """Sorted as the address says: judges without a number last, the human ceiling below all."""
    query = page.request.GET
    wanted = query.get("sort", "")
    columns = {**judge_numbers.gap_columns(body), **COLUMNS}
    wanted = wanted if wanted in columns else "auroc"
    ascending = query.get("order") == "ascending"
    rows = [
        judge_numbers.judge_row(
            body,
            name,
            {**judge["overall"], "off": drift_state.off_now(judge)},
            columns,
            at_least=enough.IMAGES,
            note=f"{count_things(judge['overall']['n'], 'images')} · {name_verdict(verdict_of(judge))}",
            link=page.address("judge", judge=name),
        )
        for name, judge in body["judges"].items()
    ]
    place = list(columns).index(wanted)

    def key(judge: Row) -> tuple[bool, float]:
        value = judge.numbers[place].get("value")
        if value is None:
            return True, 0.0
        # Nearest to people first: for a deviation that is nearest to 0.
        return False, value if ascending else -value

    rows.sort(key=key)
    ceiling = body["people"]["ceiling"]
    rows.append(
        row(
            gettext("human ceiling"),
            ceiling,
            columns,
            at_least=enough.IMAGES,
            note=gettext("one person against the majority of the others"),
        )
    )
    links = {
        name: page.address(
            "side-by-side",
            statistic=page.view.statistic,
            sort=name,
            order="ascending" if name == wanted and not ascending else "",
        )
        for name in columns
    }
    return statistics_table(
        "judges",
        gettext_noop("All statistics"),
        "judge",
        columns,
        rows,
        links=links,
        sorted_by=wanted,
        ascending=ascending,
    )


def differences(body: dict[str, Any]) -> Table | None:
    compared = body["comparison"]
    if not compared["judges"]:
        return None
    rows = [
        judge_numbers.judge_row(
            body,
            name,
            differences,
            DIFFERENCES,
            note=gettext("%(number)s images that both scored") % {"number": differences["n"]},
        )
        for name, differences in compared["judges"].items()
    ]
    best = title(compared["best"])
    heading = gettext_noop(f"Difference to {best}, the best by AUROC")
    return statistics_table("differences", heading, "judge", DIFFERENCES, rows)


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    to_the_best = differences(body)
    return [table(page, body), *([to_the_best] if to_the_best else [])]
