"""Addresses of pages that stand elsewhere now: each leads to its new place and keeps its query."""

from __future__ import annotations

from django.http import HttpResponsePermanentRedirect
from django.urls import path, reverse
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest, research_place_or_404

# The old address below that of the study -> url name of the page, and the part of it where it has several.
MOVED = {
    "drift": ("judge", ""),
    "drift/why": ("why", ""),
    "why": ("judge", "#why"),
    "judges": ("side-by-side", ""),
    "decide": ("side-by-side", "#uses"),
    "audit/uses": ("side-by-side", "#uses"),
    "calibration": ("judge", "#calibration"),
    "assisted": ("plan", "#assisted"),
    "plan": ("plan", ""),
    "papers": ("papers", ""),
}


@require_GET
def lead_on(request: HtmxRequest, slug: str, name: str) -> HttpResponsePermanentRedirect:
    research_place_or_404(request, slug)
    to, part = MOVED[name]
    query = request.META.get("QUERY_STRING", "")
    address = reverse(to, args=[slug]) + (f"?{query}" if query else "") + part
    return HttpResponsePermanentRedirect(address)


study_pages = [
    path(f"{name}/", lead_on, {"name": name}, name=f"moved-{name.replace('/', '-')}")
    for name in MOVED
]
