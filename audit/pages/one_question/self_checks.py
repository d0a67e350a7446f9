"""Where a judge contradicts itself: what a worker found, and what earlier checks had found."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, owner_place_or_404, research_place_or_404
from annotations.models import Image
from audit.self_checks import counting, over_time
from audit.words import self_checks as words
from judges.models import SelfCheck
from judges.pages.weight_checks import request_check, send_json
from judges.self_checks import jobs
from judges.self_checks.make import COUNT, STEPS
from jurybox_judging import catalogue

EARLIER = 20


@require_POST
def ask(request: HtmxRequest, slug: str) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    check = request_check(request, study, jobs.KIND, count=COUNT, seed=0)
    return redirect("self-check", slug=slug, self_check_id=check.pk)


@require_GET
def check(request: HtmxRequest, slug: str, self_check_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    asked = _check_or_404(place, self_check_id)
    entry = catalogue.find(asked.judge)
    context = {
        "study": place.study,
        "check": asked,
        "title": entry.title if entry else asked.judge,
        "thing": gettext("Self-check of %(judge)s, %(number)s")
        % {"judge": asked.judge, "number": asked.pk},
        "typed": asked.options.items(),
        "is_known": entry is not None,
        "is_owner": place.owns,
        "progress": words.progress(asked.done),
        "steps": len(STEPS),
        **(_check_body(asked) if asked.state == SelfCheck.State.DONE else {}),
    }
    template = "audit/self_check.html"
    if request.htmx:
        template += "#check"
    return render(request, template, context)


@require_GET
def check_file(request: HtmxRequest, slug: str, self_check_id: int) -> HttpResponse:
    """The same as data, with every pair of scores."""
    asked = _check_or_404(research_place_or_404(request, slug), self_check_id)
    told = {
        **counting.count_contradictions(asked),
        "state": asked.state,
        "reason": asked.reason,
        "pairs": asked.pairs,
    }
    return send_json(told, f"self-check-{asked.pk}")


def _check_body(asked: SelfCheck) -> dict[str, Any]:
    body = counting.count_contradictions(asked)
    before = list(over_time.earlier(asked).order_by("-pk")[:EARLIER])
    first = over_time.first_before(asked)
    compared = over_time.compare_checks(first, asked) if first else None
    named = [key for row in body["checks"].values() for key in row["examples"]]
    images = Image.objects.filter(study=asked.study_id, key__in=named)
    public = dict(images.values_list("key", "public_id"))
    return {
        "sentences": words.sentences(body, compared),
        "rows": [
            {
                "name": name,
                "title": words.check_name(name),
                "expected": words.expected(name),
                "share": words.share(row),
                "left_out": row["left_out"].items(),
                "examples": [(key, public.get(key, "")) for key in row["examples"]],
                "prompts": row["prompts"],
            }
            for name, row in body["checks"].items()
        ],
        "heads": [gettext(words.HEADS[name]) for name in body["checks"]],
        "history": [(one, _counts(one)) for one in (asked, *before)] if before else [],
    }


def _counts(check: SelfCheck) -> list[str]:
    # Without intervals: how prompts are drawn is no matter.
    rows = counting.count_contradictions(check, {})["checks"].values()
    return [
        gettext("%(wrong)s of %(made)s") % {"wrong": row["violations"], "made": row["made"]}
        if row["made"]
        else "–"
        for row in rows
    ]


def _check_or_404(place: Place, check_id: int) -> SelfCheck:
    return get_object_or_404(SelfCheck.objects.select_related("by"), study=place.study, pk=check_id)
