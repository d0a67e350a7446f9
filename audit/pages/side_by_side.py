"""Judges side by side: every statistic, the ceiling, and who is told apart from the best."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from audit.charts import style as chart_style
from audit.pages.filters import select
from audit.pages.frame import Frame, answer, frame_of
from audit.pages.tables import Row, Table, row
from audit.stats import enough
from audit.view import View
from audit.words import page_sentences as saying
from audit.words.report import STATISTICS, title

COLUMNS = {
    "net_deviation": "human − judge",
    "auroc": "AUROC",
    "cohen_kappa": "κ",
    "percent_agreement": "agreement",
    "kendall_tau_b": "τ-b",
    "spearman": "Spearman",
    "pearson": "Pearson",
    "pairwise_accuracy": "pairwise",
    "pairwise_accuracy_calibrated": "pairwise, ties calibrated",
    "pairwise_accuracy_by_prompt": "pairwise within prompts",
    "pairwise_accuracy_by_prompt_calibrated": "within prompts, ties calibrated",
}
DIFFERENCES = {
    "auroc": "AUROC",
    "percent_agreement": "agreement",
    "kendall_tau_b": "τ-b",
    "pairwise_accuracy": "pairwise",
}


@require_GET
@login_required
def side_by_side(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    return answer(frame, "audit/side_by_side.html", lambda: _context(frame))


def _context(frame: Frame) -> dict[str, Any]:
    body = frame.body
    context: dict[str, Any] = {"page_title": "Judges side by side"}
    if not body or not body["judges"] or not body["people"]["annotations"]:
        return context
    statistic = frame.view.statistic or "auroc"
    compared = body["comparison"]
    return {
        **context,
        "sentences": saying.of_judges(body),
        "plot": frame.plot(
            "judges", f"{STATISTICS[statistic]}, judge by judge", statistic=statistic
        ),
        "csv": frame.table_file("side-by-side"),
        "table": table(frame, body),
        "differences": differences(body),
        "tests": compared.get("tests", {}),
        "at_least": compared["at_least"],
        "filters": [
            select("statistic", "picture of", STATISTICS.items(), statistic),
        ],
        "filter_url": frame.request.path,
    }


def table(frame: Frame, body: dict[str, Any]) -> Table:
    """Sorted as the address says; what has no number comes last, the ceiling stands under all."""
    query = frame.request.GET
    wanted = query.get("sort", "")
    wanted = wanted if wanted in COLUMNS else "auroc"
    ascending = query.get("order") == "ascending"
    rows = [
        row(
            title(name),
            judge["overall"],
            COLUMNS,
            at_least=enough.IMAGES,
            judge=name,
            colour=chart_style.colour_of(body, name),
            note=f"{judge['overall']['n']} images",
            link=frame.address("gallery", judge=name),
        )
        for name, judge in body["judges"].items()
    ]
    place = list(COLUMNS).index(wanted)

    def key(one: Row) -> tuple[bool, float]:
        value = one.estimates[place].get("value")
        if value is None:
            return True, 0.0
        # Nearest to people first: for a deviation that is nearest to 0.
        return False, value if ascending else -value

    rows.sort(key=key)
    ceiling = body["people"]["ceiling"]
    rows.append(
        row(
            "human ceiling",
            ceiling,
            COLUMNS,
            at_least=enough.IMAGES,
            note="one person against the majority of the others",
        )
    )
    links = {
        name: frame.address(
            "side-by-side",
            statistic=frame.view.statistic,
            sort=name,
            order="ascending" if name == wanted and not ascending else "",
        )
        for name in COLUMNS
    }
    return Table("judges", "All statistics", "judge", COLUMNS, rows, links, wanted, ascending)


def differences(body: dict[str, Any]) -> Table | None:
    compared = body["comparison"]
    if not compared["judges"]:
        return None
    rows = [
        row(
            title(name),
            found,
            DIFFERENCES,
            judge=name,
            colour=chart_style.colour_of(body, name),
            note=f"{found['n']} images that both scored",
        )
        for name, found in compared["judges"].items()
    ]
    heading = f"Difference to {title(compared['best'])}, the best by AUROC"
    return Table("differences", heading, "judge", DIFFERENCES, rows)


def table_file(frame: Frame, body: dict[str, Any], view: View) -> list[Table]:
    found = differences(body)
    return [table(frame, body), *([found] if found else [])]
