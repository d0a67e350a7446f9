"""The first page of a study."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from annotations.access import place_or_404
from annotations.studies import flags
from annotations.studies import queries as study_queries


@require_GET
@login_required
def study(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    if not place.may_research:
        return redirect("label", slug=slug)
    return render(
        request,
        "annotations/study.html",
        {
            "study": place.study,
            "may_research": True,
            "counts": study_queries.counts(place.study),
            "flags": flags.open_flags(place.study).count(),
            "missing": study_queries.missing_prompts(place.study),
        },
    )
