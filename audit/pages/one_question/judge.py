"""All about one judge: its numbers, where it fails, its calibration, its self-checks and anchors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from audit.evidence import image_cards
from audit.exhibits import Table
from audit.pages import calibration, decide, drift
from audit.pages.filters import judge_select
from audit.pages.frame import ReportPage, report_view
from audit.pages.one_question.anchors import anchors_of
from audit.reports.gallery import Filters, Gallery
from audit.words import drift_state
from audit.words import summary as summary_words
from audit.words.report import title
from judges import catalogue
from judges.models import Run, SelfCheck
from judges.names import APART, runs_by_name

FAILS = 4
CHECKS = 5


@report_view("audit/judge.html")
def judge(page: ReportPage) -> dict[str, Any]:
    body = page.body
    if not page.compares:
        return {"thing": gettext("One judge")}
    name = page.view.judge_of(body)
    found = body["judges"][name]
    run = runs_by_name(page.study).get(name)
    return {
        "thing": title(name),
        "judge": name,
        "judge_title": title(name),
        "line": summary_words.describe_judge(body, name),
        "sentences": _first_sentences(name, found),
        "tables": [_numbers(body, name), *drift.tables(page, body, [name])],
        "drift_csv": page.table_file("drift", judge=name),
        **_fails(page, body, name),
        **decide.work_of(page, body, name),
        **calibration.curves_of(page, body, name),
        **_card(page, name, run),
        **_checks(page, name),
        **_anchors(page, name, run),
        "filters": [judge_select(body, name)] if len(body["judges"]) > 1 else [],
        "filter_url": page.request.path,
    }


def _first_sentences(name: str, found: dict[str, Any]) -> list[str]:
    """The state in words, and the numbers behind it where it does not hold them yet."""
    state, reason = drift_state.sentence(title(name), found), found["drift"]["reason"]
    # What it would take stands in both.
    reason = reason.replace(drift_state.needs(found["drift"]), "").replace("  ", " ").strip()
    return [state, reason] if reason else [state]


def _numbers(body: dict[str, Any], name: str) -> Table:
    """Over all images; why it drifts or holds stands above."""
    table = drift.overall(body, [name])
    return replace(
        table,
        title=gettext_noop("Compared with people, all images"),
        rows=(replace(table.rows[0], note=""),),
    )


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
            {"card": card, "url": page.address("evidence", card.image.public_id, judge=name)}
            for card in cards
        ],
        "fails_of": stored.count(Filters()),
        "fails_url": page.address("gallery", judge=name),
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


def _anchors(page: ReportPage, name: str, run: Run | None) -> dict[str, Any]:
    return {
        "anchors": anchors_of(page.study, run, owns=False).describe(),
        "anchors_url": f"{page.address('drift', judge=name)}#why",
    }
