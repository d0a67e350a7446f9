"""The table of a study's generators: all rows of a page in one form, or a table in and out."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import Place, owner_place_or_404, research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.errors import TableRefused
from annotations.models import Generator
from annotations.pages.form_values import send_csv, sent_table
from annotations.studies import generators as generator_table
from annotations.studies.generators import FIELDS, TypedDetails

PER_PAGE = 100
LARGEST_TABLE = 2**20


@dataclass(frozen=True, slots=True)
class GeneratorLine:
    generator: Generator
    given: TypedDetails
    wrong: dict[str, str]
    suggestion: str


def generators(request: HttpRequest, slug: str) -> HttpResponse:
    """POST saves all rows of the page, or fills in one suggested date without saving anything."""
    if request.method != "POST":
        return _page(request, research_place_or_404(request, slug))
    place = owner_place_or_404(request, slug)
    given = _read_generators(request)
    taken = request.POST.get("take", "")
    if taken:
        return _page(request, place, given, take=taken)
    try:
        changed = generator_table.change(study=place.study, given=given)
    except generator_table.GeneratorsRefused as refusal:
        return _page(request, place, given, wrong=refusal.wrong)
    messages.success(
        request,
        ngettext(
            "Saved: %(changed)s generator changed.",
            "Saved: %(changed)s generators changed.",
            changed,
        )
        % {"changed": changed},
    )
    page = read_whole(request.GET.get("page", ""))
    return redirect(f"{request.path}?page={page}" if page else request.path)


@require_POST
def generator_import(request: HttpRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    typed = request.POST.get("table", "")
    try:
        with sent_table(request, "generators.csv", LARGEST_TABLE) as path:
            changed = generator_table.import_table(study=place.study, path=path)
    except TableRefused as refusal:
        return _page(request, place, typed=typed, refused=refusal.wrong)
    except generator_table.GeneratorsRefused as refusal:
        return _page(request, place, typed=typed, refused=[refusal.message])
    messages.success(
        request,
        ngettext(
            "%(changed)s generator changed by the table.",
            "%(changed)s generators changed by the table.",
            changed,
        )
        % {"changed": changed},
    )
    return redirect("generators", slug=slug)


@require_GET
def generator_csv(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    return send_csv(generator_table.as_table(place.study), f"{slug}-generators")


def _read_generators(request: HttpRequest) -> dict[int, TypedDetails]:
    """What was typed, by the generator's id: `release_date-7`, `family-7`, `note-7`."""
    keys = {
        key
        for name in request.POST
        for field, _, rest in [name.partition("-")]
        if field in FIELDS and (key := read_whole(rest, low=0)) is not None
    }
    return {
        key: TypedDetails(*(request.POST.get(f"{f}-{key}", "") for f in FIELDS)) for key in keys
    }


def _page(
    request: HttpRequest,
    place: Place,
    given: dict[int, TypedDetails] | None = None,
    *,
    wrong: dict[tuple[int, str], str] | None = None,
    take: str = "",
    typed: str = "",
    refused: list[str] | None = None,
) -> HttpResponse:
    study = place.study
    page = Paginator(generator_table.generators_by_date(study), PER_PAGE).get_page(
        request.GET.get("page")
    )
    lacking, of = generator_table.undated(study)
    rows = [_row(generator, given or {}, wrong or {}, take) for generator in page.object_list]
    context = {
        "study": study,
        "may_change": place.owns,
        "page": page,
        "rows": rows,
        "wrong": len(wrong or {}),
        "lacking": lacking,
        "of": of,
        "typed": typed,
        "refused": refused or [],
        "filled": take,
    }
    status = 422 if wrong or refused else 200
    return render(request, "annotations/generators.html", context, status=status)


def _row(
    generator: Generator,
    given: dict[int, TypedDetails],
    wrong: dict[tuple[int, str], str],
    take: str,
) -> GeneratorLine:
    released = generator.release_date
    stored = TypedDetails(
        released.isoformat() if released else "", generator.family, generator.note
    )
    shown = given.get(generator.pk, stored)
    known = generator_table.suggested(generator.name)
    suggestion = known.isoformat() if known and not shown.release_date.strip() else ""
    if suggestion and take == str(generator.pk):
        shown, suggestion = TypedDetails(suggestion, shown.family, shown.note), ""
    mistakes = {field: words for (pk, field), words in wrong.items() if pk == generator.pk}
    return GeneratorLine(generator, shown, mistakes, suggestion)
