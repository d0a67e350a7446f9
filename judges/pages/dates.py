"""The release dates of judges that the code does not know: all rows of a page in one form."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from annotations.access import Place, owner_place_or_404, research_place_or_404
from annotations.bounded_numbers import read_whole
from judges.models import Run
from judges.runs import release_dates

PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class DateLine:
    run: Run
    given: str
    wrong: str
    suggestion: str


def judge_dates(request: HttpRequest, slug: str) -> HttpResponse:
    """POST saves all rows of the page, or fills in one suggested date without saving anything."""
    if request.method != "POST":
        return _page(request, research_place_or_404(request, slug))
    place = owner_place_or_404(request, slug)
    given = {
        key: request.POST[name]
        for name in request.POST
        for field, _, rest in [name.partition("-")]
        if field == "released" and (key := read_whole(rest, low=0)) is not None
    }
    taken = request.POST.get("take", "")
    if taken:
        return _page(request, place, given, take=taken)
    try:
        changed = release_dates.set_dates(study=place.study, given=given)
    except release_dates.DatesRefused as refusal:
        return _page(request, place, given, wrong=refusal.wrong)
    saved = ngettext(
        "Saved: %(changed)s date changed.", "Saved: %(changed)s dates changed.", changed
    )
    messages.success(request, saved % {"changed": changed})
    return redirect("judge-dates", slug=slug)


def _page(
    request: HttpRequest,
    place: Place,
    given: dict[int, str] | None = None,
    *,
    wrong: dict[int, str] | None = None,
    take: str = "",
) -> HttpResponse:
    runs = release_dates.open_ones(place.study)
    page = Paginator(runs, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": place.study,
        "may_change": place.owns,
        "page": page,
        "rows": [_row(run, given or {}, wrong or {}, take) for run in page.object_list],
        "lacking": runs.filter(judge_released=None).count(),
        "wrong": len(wrong or {}),
        "filled": take,
    }
    return render(request, "judges/dates.html", context, status=422 if wrong else 200)


def _row(run: Run, given: dict[int, str], wrong: dict[int, str], take: str) -> DateLine:
    stored = run.judge_released.isoformat() if run.judge_released else ""
    shown = given.get(run.pk, stored)
    known = release_dates.suggested(run)
    suggestion = known.isoformat() if known and not shown.strip() else ""
    if suggestion and take == str(run.pk):
        shown, suggestion = suggestion, ""
    return DateLine(run, shown, wrong.get(run.pk, ""), suggestion)
