"""Everything that can be taken out of a study, as files; all of it or the images of a filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET

from annotations import event_log
from annotations.access import HtmxRequest, NotYours, Place, research_place_or_404
from annotations.consensus import RULES
from annotations.exports import pseudonyms
from annotations.models import Study
from annotations.stored_answers.waiting import has_seen
from audit.cards.report_records import zip_records
from audit.images import browse
from audit.images.browse import Filters, NotThere
from audit.pages.files import attached
from audit.pages.filters import select
from audit.questions.card.agreement import has_report
from audit.words.report import title
from judges.exports import tables
from judges.exports.payments import PER
from judges.exports.tables import TABLES, ExportOptions
from judges.models import Run
from judges.names import runs_by_name

PEOPLE = {
    "everybody": gettext_lazy("everybody by a pseudonym"),
    "accounts": gettext_lazy("people with an account by a pseudonym"),
    "nobody": gettext_lazy("nobody: names as they are"),
}
FORMATS = {"csv": "CSV", "jsonl": "JSONL", "parquet": "Parquet", "zip": "ZIP"}
FORMATS |= {name: layout.title for name, layout in tables.LAYOUTS.items()}


@require_GET
def export(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    study, filters = place.study, filters_or_404(request.GET)
    judges = runs_by_name(study)
    asked = _options(request, place, judges)
    images = None
    if filters.restricts:
        images = _images_or_404(study, filters)
    counted = tables.counts(study, images)
    if has_seen(request, counted.waiting):
        return HttpResponse(status=204)
    kept = {name: value for name, value in asked.items() if value}
    response = render(
        request,
        "audit/export.html#files" if request.htmx else "audit/export.html",
        {
            "waiting": counted.waiting,
            "study": study,
            "restricts": filters.restricts,
            "images": counted["images"],
            "data_url": reverse("data", args=[slug]) + filters.address(),
            "whole_url": reverse("export", args=[slug]),
            "query": filters,
            # Of a whole study: a report is of all images.
            "records_url": ""
            if filters.restricts or not has_report(study)
            else reverse("export-records", args=[slug]),
            "rows": [
                {
                    "name": name,
                    "title": table.title,
                    "what": table.what,
                    "count": counted.get(name),
                    "files": [
                        {
                            "name": FORMATS[format],
                            "url": reverse("export-file", args=[slug, name, format])
                            + filters.address(**kept),
                        }
                        for format in _formats(table, filters)
                    ],
                }
                for name, table in TABLES.items()
                if not (filters.restricts and table.whole)
            ],
            "menus": _menus(place, asked, judges, has_workers=bool(counted.get("payments"))),
            "asks_rate": bool(counted.get("payments")),
            "rate": asked["rate"],
            "hidden": [
                (name, value)
                for name, value in _typed_filters(filters).items()
                if value and name not in ("of",)
            ],
        },
    )
    response["Vary"] = "Cookie, HX-Request"
    return response


@require_GET
def file(request: HtmxRequest, slug: str, what: str, kind: str) -> HttpResponseBase:
    place = research_place_or_404(request, slug)
    if what not in TABLES or kind not in TABLES[what].formats:
        raise Http404
    filters = filters_or_404(request.GET)
    options = _options(request, place, runs_by_name(place.study))
    asked = ExportOptions(
        what,
        kind,
        people=options["people"] or "everybody",
        among=among_or_404(place.study, filters),
        rule=options["rule"] or "majority",
        judge=options["of"],
        question=options["question"] or "likert",
        pictures=bool(options["pictures"]),
        rate=options["rate"],
        per=options["per"] or "hour",
    )
    return send(place.study, asked)


@require_GET
def records(request: HtmxRequest, slug: str) -> HttpResponse:
    """The newest report as records; without one there are none."""
    return send_records(research_place_or_404(request, slug).study)


def send_records(study: Study) -> HttpResponse:
    if not has_report(study):
        raise Http404
    content = zip_records(study, organization="not stated")
    event_log.note(study, "exported", "exported evaluation records as zip")
    return attached(content, "application/zip", f"{study.slug}-records.zip")


def send(study: Study, asked: ExportOptions) -> StreamingHttpResponse:
    """The file as it is made: a large study takes no more memory than a small one."""
    parts = tables.stream(study, asked)
    part = "" if asked.among is None else f" of {len(asked.among)} images"
    what = TABLES[asked.what].title.lower()
    event_log.note(
        study, "exported", f"exported {what}{part} as {asked.format}, people: {asked.people}"
    )
    response = StreamingHttpResponse(parts, content_type=asked.media)
    response["Content-Disposition"] = f'attachment; filename="{asked.name(study)}"'
    return response


def filters_or_404(query: Any) -> Filters:
    try:
        return Filters.from_query(query)
    except NotThere as error:
        raise Http404 from error


def among_or_404(study: Study, filters: Filters) -> list[int] | None:
    """The images of the filter; None where it lets all of them through."""
    if not filters.restricts:
        return None
    try:
        return browse.ids_of(study, filters)
    except NotThere as error:
        raise Http404 from error


def _images_or_404(study: Study, filters: Filters) -> Any:
    try:
        return browse.images_of(study, filters)
    except NotThere as error:
        raise Http404 from error


def _formats(table: tables.ExportTable, filters: Filters) -> list[str]:
    """A paper's own layout holds a whole study."""
    return [name for name in table.formats if not (filters.restricts and name in tables.LAYOUTS)]


def _options(request: HtmxRequest, place: Place, judges: Mapping[str, Run]) -> dict[str, str]:
    query = request.GET
    people = query.get("people", "")
    people = people if people in pseudonyms.RULES else ""
    if people not in ("", "everybody") and not place.owns:
        raise NotYours("Only the study’s owner can export names.")
    rule = query.get("rule", "")
    return {
        "people": people if people != "everybody" else "",
        "rule": rule if rule in RULES and rule != "majority" else "",
        "of": query.get("of", "") if query.get("of", "") in judges else "",
        "question": "".join(s for s in query.get("question", "")[:80] if s.isprintable()),
        "pictures": "1" if query.get("pictures") == "1" else "",
        "rate": query.get("rate", "")[:20],
        "per": query.get("per", "")
        if query.get("per", "") in PER and query["per"] != "hour"
        else "",
    }


def _menus(
    place: Place, asked: dict[str, str], judges: Mapping[str, Run], *, has_workers: bool
) -> list[dict[str, Any]]:
    people = PEOPLE if place.owns else {"everybody": PEOPLE["everybody"]}
    menus = [
        select("people", gettext("hidden behind a pseudonym"), people.items(), asked["people"]),
        select(
            "rule",
            gettext("people together by"),
            [(rule, gettext(rule)) for rule in RULES],
            asked["rule"],
        ),
    ]
    if judges:
        named = [("", gettext("all judges")), *((name, title(name)) for name in judges)]
        menus.append(select("of", gettext("scores of"), named, asked["of"]))
    pictures = [
        ("", gettext("without pictures")),
        ("1", gettext("with the pictures")),
    ]
    menus.append(select("pictures", gettext("whole study"), pictures, asked["pictures"]))
    if has_workers:
        pay = {
            "hour": gettext("hour"),
            "image": gettext("image"),
            "worker": gettext("worker who has finished"),
        }
        menus.append(
            select("per", gettext("crowd workers are paid per"), pay.items(), asked["per"])
        )
    return menus


def _typed_filters(filters: Filters) -> dict[str, str]:
    return {name: getattr(filters, name) for name in Filters.__dataclass_fields__}
