"""The pages where judges are started and watched."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotations.access import Place, research_place_or_404
from annotations.models import Image
from judges import registry, running, tasks
from judges.looks.of_image import looked
from judges.models import Run
from judges.registry import as_value
from judges.runs import queries


@require_GET
@login_required
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, research_place_or_404(request, slug))


@require_POST
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = running.start_run(
        study=place.study,
        name=request.POST.get("judge", ""),
        options=_options(request),
        by=request.user,
    )
    transaction.on_commit(lambda: tasks.wake(run))
    return _answer(request, place)


@require_GET
@login_required
def judges(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    context = {"study": place.study, "may_research": True, "judges": queries.known_judges()}
    return render(request, "judges/judges.html", context)


@require_GET
@login_required
def options(request: HttpRequest, slug: str, judge: str) -> HttpResponse:
    """Start a judge with other options than the usual ones."""
    place = research_place_or_404(request, slug)
    if judge not in registry.JUDGES:
        raise Http404
    context = {"study": place.study, "may_research": True, "judge": queries.known_judge(judge)}
    return render(request, "judges/options.html", context)


@require_GET
@login_required
def look(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Everything that engines told about one image."""
    place = research_place_or_404(request, slug)
    images = Image.objects.select_related("prompt", "generator")
    image = get_object_or_404(images, study=place.study, public_id=public_id)
    chosen = request.GET.get("judge", "")
    context = {
        "study": place.study,
        "may_research": True,
        "image": image,
        "judge": chosen,
        "looked": looked(image, judge=chosen),
    }
    return render(request, "judges/look.html", context)


@require_POST
@login_required
def cancel(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    running.cancel_run(run=_run_or_404(place, run_id))
    return _answer(request, place)


@require_POST
@login_required
def resume(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = running.resume_run(run=_run_or_404(place, run_id))
    transaction.on_commit(lambda: tasks.wake(run))
    return _answer(request, place)


@require_GET
@login_required
def failures(request: HttpRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = _run_or_404(place, run_id)
    page = Paginator(queries.failures(run), 50).get_page(request.GET.get("page"))
    context = {
        "study": place.study,
        "may_research": True,
        "run": run,
        "page": page,
        "failures": page.object_list,
    }
    return render(request, "judges/failures.html", context)


def _options(request: HttpRequest) -> dict[str, Any]:
    """What was filled in; a field that was left empty keeps its usual value."""
    given = {
        name.removeprefix("option:"): value.strip()
        for name, value in request.POST.items()
        if name.startswith("option:") and value.strip()
    }
    return {name: as_value(text) for name, text in given.items()}


def _run_or_404(place: Place, run_id: int) -> Run:
    return get_object_or_404(Run.objects.select_related("judge"), study=place.study, pk=run_id)


def _answer(request: HttpRequest, place: Place) -> HttpResponse:
    if not request.htmx:
        return redirect("runs", slug=place.study.slug)
    return _page(request, place)


def _page(request: HttpRequest, place: Place) -> HttpResponse:
    rows = queries.run_rows(place.study)
    offers = queries.offers(place.study)
    context = {
        "study": place.study,
        "may_research": True,
        "rows": rows,
        "offers": [offer for offer in offers if offer.started or offer.at_once],
        "known": len(offers),
        "going": any(row.run.is_running for row in rows),
    }
    template = "judges/runs.html"
    if request.htmx:
        template += "#runs"
    return render(request, template, context)
