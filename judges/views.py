"""The pages where judges are started and watched."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotations.access import Place, research_place_or_404
from judges import queries, running, tasks
from judges.models import Run


@require_GET
@login_required
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, research_place_or_404(request, slug))


@require_POST
@login_required
def start(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = running.start_run(study=place.study, name=request.POST.get("judge", ""), by=request.user)
    transaction.on_commit(lambda: tasks.wake(run))
    return _answer(request, place)


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


def _run_or_404(place: Place, run_id: int) -> Run:
    return get_object_or_404(Run.objects.select_related("judge"), study=place.study, pk=run_id)


def _answer(request: HttpRequest, place: Place) -> HttpResponse:
    if not request.htmx:
        return redirect("runs", slug=place.study.slug)
    return _page(request, place)


def _page(request: HttpRequest, place: Place) -> HttpResponse:
    rows = queries.run_rows(place.study)
    context = {
        "study": place.study,
        "may_research": True,
        "rows": rows,
        "offers": queries.offers(place.study),
        "going": any(row.run.is_running for row in rows),
    }
    template = "judges/runs.html"
    if request.htmx:
        template += "#runs"
    return render(request, template, context)
