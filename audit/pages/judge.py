"""All about one judge: its verdict, its course over the release dates, why that changed, where it fails; then, folded,
its numbers, uses, calibration and self-checks."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from audit.charts import drift as drift_chart
from audit.evidence import image_cards
from audit.pages import calibration, judge_numbers, uses
from audit.pages.disagreements import SIDES
from audit.pages.filters import judge_select
from audit.pages.frame import ReportPage, report_view
from audit.reports.gallery import Filters, Gallery
from audit.view import View
from audit.words import decisions, drift_state, verdicts
from audit.words.numbers import cell
from audit.words.report import title
from judges.models import Run, SelfCheck
from judges.names import APART, runs_by_name
from jurybox_judging import catalogue

FAILS = 4
CHECKS = 5


@report_view("audit/judge.html")
def judge(page: ReportPage) -> dict[str, Any]:
    body = page.body
    if not page.compares:
        return {"thing": gettext("One judge"), "why_url": _link_to_why(page)}
    name = page.view.judge_of(body)
    found, asked = body["judges"][name], {"judge": name}
    run = runs_by_name(page.study).get(name)
    return {
        "thing": title(name),
        "judge": name,
        "judge_title": title(name),
        "verdict": verdicts.chip_of(found),
        "facts": _facts(found),
        "change": verdicts.explain_change(found),
        "sentence": verdicts.read_verdict(name, found),
        "reason": found["drift"]["reason"],
        "plot": page.plot(
            "drift", gettext("People and judges, by release date of the generator"), **asked
        ),
        "scores_alone": not drift_chart.deviations(body, [name]),
        "below": judge_numbers.below_the_chart(body, name),
        "why_url": _link_to_why(page, **asked),
        "tables": judge_numbers.table_file(page, body, View(judges=(name,))),
        "agreement": page.plot(
            "agreement", gettext("Agreement with people, by release date of the generator"), **asked
        ),
        "drift_csv": page.table_file("drift", **asked),
        "slices_url": page.address("slices", **asked),
        "answers": decisions.answers(of_one_judge(body, name)),
        **_fails(page, body, name),
        **uses.work_of(page, body, name),
        **calibration.curves_of(page, body, name),
        **_card(page, name, run),
        **_checks(page, name),
        "filters": [judge_select(body, name)] if len(body["judges"]) > 1 else [],
        "filter_url": page.request.path,
    }


def _link_to_why(page: ReportPage, **asked: str) -> str:
    """Its sides are chosen by the address, too."""
    address = reverse("why", args=[page.study.slug])
    return f"{address}?{urlencode({**page.request.GET.dict(), **asked})}"


def of_one_judge(body: dict[str, Any], name: str) -> dict[str, Any]:
    """The report as if it had this judge alone."""
    ranking = body.get("ranking", {})
    ranked = {one: row for one, row in ranking.get("judges", {}).items() if one == name}
    return {
        **body,
        "judges": {name: body["judges"][name]},
        "ranking": {**ranking, "judges": ranked},
    }


def _facts(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Two numbers of a judge, as the Summary has them, with their intervals."""
    shown = (
        (gettext_noop("follows people"), "auroc", found.get("follows") or {}),
        (gettext_noop("off by now"), "off", drift_state.off_now(found)),
    )
    return [
        {"name": name, "cell": cell(key, number)}
        for name, key, number in shown
        if "value" in number or "undefined" in number
    ]


def _fails(page: ReportPage, body: dict[str, Any], name: str) -> dict[str, Any]:
    """The images on which it differs most from people."""
    stored, facts = Gallery(page.report_id, name), body["signature"]["judge_facts"][name]
    first = stored.part(Filters(), 0, FAILS)
    cards = image_cards.cards(
        [pk for pk, _ in first],
        image_cards.run_of(page.study.pk, facts["fingerprint"]),
        dict(first),
        image_cards.threshold_of(facts),
    )
    return {
        "fails": [
            {
                "card": card,
                "vote": card.people.get(body["question"]),
                "url": page.address("evidence", card.image.public_id, judge=name),
            }
            for card in cards
        ],
        "fails_of": stored.count(Filters()),
        "fails_url": page.address("gallery", judge=name),
        "sides": [
            {"name": gettext(words), "url": page.address("gallery", judge=name, side=side)}
            for side, words in SIDES.items()
        ],
    }


def _checks(page: ReportPage, name: str) -> dict[str, Any]:
    known = name.partition(APART)[0]
    checks = SelfCheck.objects.filter(study=page.study, payload__judge=known).order_by("-pk")
    offered = catalogue.find(known) is not None
    return {
        "self_checks": list(checks[:CHECKS]),
        "self_check_url": reverse("run-options", args=[page.study.slug, known]) if offered else "",
    }


def _card(page: ReportPage, name: str, run: Run | None) -> dict[str, Any]:
    address = reverse("question", args=[page.study.slug, "card"])
    measure = reverse("run-card", args=[page.study.slug, run.pk]) if run else ""
    return {"card_url": f"{address}?{urlencode({'judge': name})}", "measure_url": measure}
