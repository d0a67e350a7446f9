"""The settings of a study."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, owner_place_or_404, research_place_or_404
from annotations.pages.form_values import whole
from annotations.studies import retention
from annotations.studies import settings as study_settings


@require_GET
def manage(request: HtmxRequest, slug: str) -> HttpResponse:
    return _manage(request, research_place_or_404(request, slug))


@require_POST
def change(request: HtmxRequest, slug: str) -> HttpResponse:
    """Change the study's title and description, or its status."""
    place = owner_place_or_404(request, slug)
    given = request.POST
    if "title" in given:
        study_settings.describe(
            study=place.study, title=given["title"], description=given.get("description", "")
        )
    if "status" in given:
        study_settings.set_status(study=place.study, status=given["status"])
    if request.htmx:
        return _manage(request, place)
    return redirect("manage", slug=slug)


@require_POST
def retain(request: HtmxRequest, slug: str) -> HttpResponse:
    """What happens after the study has closed: first in words, then, with `save`, for good."""
    place = owner_place_or_404(request, slug)
    rule, days = request.POST.get("rule", ""), whole(request.POST.get("days", ""))
    if "save" not in request.POST:
        return _manage(request, place, retention.plan(study=place.study, rule=rule, days=days))
    retention.set_rule(study=place.study, rule=rule, days=days)
    if request.htmx:
        return _manage(request, place)
    return redirect("manage", slug=slug)


def _manage(request: HtmxRequest, place: Place, plan: retention.Plan | None = None) -> HttpResponse:
    """`plan`: a rule that was chosen, to be confirmed."""
    study = place.study
    rule = retention.study_retention(study)
    template = "annotations/study_settings.html"
    if request.htmx:
        template += "#settings"
    context = {
        "study": study,
        "may_change": place.owns,
        "statuses": study.Status.choices,
        "retention": rule,
        "due": retention.due_at(rule),
        "rules": rule.Rule.choices,
        "plan": plan,
        "gold_images": study.images.filter(gold__isnull=False).count(),
    }
    return render(request, template, context)
