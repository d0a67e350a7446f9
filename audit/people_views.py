"""The page on which people are held against each other, while the study runs."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotations.access import research_place_or_404
from audit import people


@require_GET
@login_required
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    template = "audit/agreement.html"
    if request.htmx:
        template += "#numbers"
    context = {
        "study": place.study,
        "may_research": True,
        "rows": people.agreement_rows(place.study),
        "resamples": people.RESAMPLES,
    }
    return render(request, template, context)
