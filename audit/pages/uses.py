"""What judges may be used for: the numbers behind the answers. Of one judge, on its page: the generators' ranking by
people and by it, and the images on which it should not decide."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_POST

from annotations.access import HtmxRequest, owner_place_or_404
from audit.exhibits import Table, statistics_table
from audit.next_labels.to_people import draw_to_people
from audit.pages.frame import ReportPage, report_page
from audit.pages.judge_numbers import judge_row
from audit.reports import escalation
from audit.statistic_names import headings, stored_statistic
from audit.view import View
from audit.words import decisions as words
from audit.words.report import title

PEOPLE = headings(
    *("advantage", "trusted_share", "soft_pairwise_accuracy"),
    *("kendall_of_generators", "kendall_over_both", "swapped_pairs"),
)
REWARD = headings(
    *("people_gain", "judge_gain", "ratio", "brier", "over_the_average", "log_score"),
    *("equivalence", "pairwise_accuracy_by_prompt_cross_validated"),
)
BALANCED = headings(
    *("balanced_accuracy", "matthews", "average_precision"),
    *("calibration_error", "weighted_kappa"),
)
# The file has all images.
LISTED = 12


@require_POST
def draw(request: HtmxRequest, slug: str) -> HttpResponse:
    """The owner has people label what the judge may not decide."""
    study = owner_place_or_404(request, slug).study
    page = report_page(request, slug)
    if not page.compares:
        raise Http404
    judge = request.POST.get("judge", "")
    made = draw_to_people(study=study, judge=judge, body=page.body, user=request.user)
    messages.success(
        request,
        gettext(
            "%(count)s images drawn: all on which %(judge)s may not be trusted, and others by chance. "
            "People get these, and all others wait."
        )
        % {"count": made.count, "judge": title(judge)},
    )
    return redirect("data", slug=slug)


def work_of(page: ReportPage, body: dict[str, Any], name: str) -> dict[str, Any]:
    """Of one judge: the generators' ranking, and the images that it leaves to people."""
    left, first = escalation.first_left_to_people(page.study, name, body, LISTED)
    return {
        "ranking": ranking(body, name),
        "trusted": stored_statistic(body["judges"][name]["overall"], "trusted_share"),
        "left": left,
        "draw_url": page.address("decide-draw") if page.request.place.owns else "",
        "listed": [
            {"image": image, "url": page.address("data-image", image.public_id)} for image in first
        ],
        "left_csv": page.address("decide-images", judge=name),
    }


def people(page: ReportPage, body: dict[str, Any]) -> Table:
    rows = []
    for name, judge in body["judges"].items():
        overall, ranked = judge["overall"], _ranked(body, name)
        alt_test = stored_statistic(overall, "alt_test")
        stats = {
            "advantage": alt_test.get("advantage", alt_test),
            "trusted_share": stored_statistic(overall, "trusted_share"),
            "soft_pairwise_accuracy": stored_statistic(overall, "soft_pairwise_accuracy"),
            "kendall_of_generators": ranked.get("kendall_tau_b", ranked),
            "kendall_over_both": ranked.get("kendall_tau_b_over_both", ranked),
            "swapped_pairs": ranked.get("swapped_pairs", ranked),
        }
        rows.append(
            judge_row(
                body,
                name,
                stats,
                PEOPLE,
                note=words.beside_people(overall),
                link=page.address("judge", judge=name),
            )
        )
    return statistics_table(
        "instead-of-people", gettext_noop("Instead of people"), "judge", PEOPLE, rows
    )


def reward(page: ReportPage, body: dict[str, Any]) -> Table:
    rows = []
    for name, judge in body["judges"].items():
        overall = judge["overall"]
        chosen, brier = stored_statistic(overall, "best_of_n"), stored_statistic(overall, "brier")
        stats = {
            **{part: chosen.get(part, chosen) for part in ("people_gain", "judge_gain", "ratio")},
            **{
                key: stored_statistic(overall, key)
                for key in ("brier", "log_score", *list(REWARD)[-2:])
            },
            "over_the_average": brier.get("over_the_average", brier),
        }
        rows.append(judge_row(body, name, stats, REWARD))
    return statistics_table(
        "its-score", gettext_noop("What its score is worth"), "judge", REWARD, rows
    )


def balanced(body: dict[str, Any]) -> Table:
    rows = [
        judge_row(
            body,
            name,
            {key: stored_statistic(judge["overall"], key) for key in BALANCED},
            BALANCED,
        )
        for name, judge in body["judges"].items()
    ]
    return statistics_table(
        "rare-answers", gettext_noop("Where one answer is rare"), "judge", BALANCED, rows
    )


def ranking(body: dict[str, Any], name: str) -> dict[str, Any]:
    """Places by people and by the judge, and what changes places."""
    ranked = _ranked(body, name)
    if "undefined" in ranked:
        return {"undefined": ranked["undefined"]}
    return {
        "rows": [
            {
                "name": generator,
                "people": place,
                "judge": ranked["by_judge"].index(generator) + 1,
            }
            for place, generator in enumerate(ranked["by_people"], start=1)
        ],
        "prompts": ranked.get("prompts"),
        "families": ranked.get("families"),
        "left_out": ", ".join(ranked["left_out"]),
        "fixed": ranked["kendall_tau_b"].get("low") is None,
        "draws": body["ranking"]["resamples"],
    }


def _ranked(body: dict[str, Any], name: str) -> dict[str, Any]:
    found = body.get("ranking", {}).get("judges", {}).get(name)
    return stored_statistic({}, "ranking") if found is None else found


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    return [people(page, body), reward(page, body), balanced(body)]
