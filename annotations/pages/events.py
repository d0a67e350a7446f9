"""Who changed, removed, exported or decided what: a page to search, and the same as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from annotations import event_log
from annotations.access import HtmxRequest, owner_place_or_404
from annotations.exports.labels import as_csv
from annotations.models import Event

EVENTS_PER_PAGE = 100
COLUMNS = ("at", "by", "did", "words", "about", "account")
COMMAND_LINE = "(command line)"


@require_GET
def events(request: HtmxRequest, slug: str) -> HttpResponseBase:
    """Who changed, removed, exported or decided what, and when; for the owner."""
    study = owner_place_or_404(request, slug).study
    rows = event_log.events(study)
    return show_events(request, rows, "annotations/events.html", f"{slug}-history", study=study)


def show_events(
    request: HttpRequest, rows: QuerySet[Event], template: str, name: str, **more: Any
) -> HttpResponseBase:
    """Those that the address searches for; `?csv` sends them all as the file `name`.csv."""
    words = request.GET.get("q", "").strip()[:200]
    found = event_log.search_events(rows, words) if words else rows
    if "csv" in request.GET:
        return StreamingHttpResponse(
            as_csv(_table(found), COLUMNS),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": content_disposition_header(True, f"{name}.csv") or ""},
        )
    page = Paginator(found, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    event_log.put_names(*page.object_list)
    context = {"page": page, "events": page.object_list, "q": words, **more}
    part = "#events" if getattr(request, "htmx", False) else ""
    return render(request, template + part, context)


def _table(rows: QuerySet[Event]) -> Iterator[dict[str, object]]:
    for event in rows.iterator(chunk_size=500):
        event_log.put_names(event)
        by = event.by.get_username() if event.by else COMMAND_LINE if event.by_command else ""
        yield {
            "at": event.at.isoformat(timespec="seconds"),
            "by": by,
            "did": event.did,
            "words": event.words,
            "about": event.about.name if event.about else "",
            "account": event.account.get_username() if event.account else "",
        }
