"""Who changed, removed, exported or decided what in a study."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotations import event_log
from annotations.access import HtmxRequest, owner_place_or_404

EVENTS_PER_PAGE = 100


@require_GET
def events(request: HtmxRequest, slug: str) -> HttpResponse:
    """Who changed, removed, exported or decided what, and when; for the owner."""
    place = owner_place_or_404(request, slug)
    page = Paginator(event_log.events(place.study), EVENTS_PER_PAGE).get_page(
        request.GET.get("page")
    )
    context = {"study": place.study, "page": page, "events": page.object_list}
    template = "annotations/events.html"
    if request.htmx:
        template += "#events"
    return render(request, template, context)
