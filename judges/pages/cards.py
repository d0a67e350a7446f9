"""Measuring a judge for its card: what it will take, and how far a worker is."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, research_place_or_404
from judges import tasks
from judges.cards import jobs
from judges.cards.pictures import COUNT, DrawnImages
from judges.cards.plan import plan, plan_words
from judges.models import Measurement, Run
from judges.names import runs_by_name, title
from jurybox_judging.errors import JudgeRefused


@require_GET
def card(request: HtmxRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = get_object_or_404(Run.objects.select_related("judge"), study=place.study, pk=run_id)
    name = next(name for name, one in runs_by_name(place.study).items() if one.pk == run.pk)
    newest = Measurement.objects.filter(study=place.study, payload__run=run.pk).first()
    context: dict[str, Any] = {
        "study": place.study,
        "run": run,
        "judge": name,
        "thing": gettext("Measure %(judge)s") % {"judge": title(name)},
        "newest": newest,
        "is_open": newest is not None and newest.is_open,
        **_plan_context(run),
    }
    template = "judges/card.html"
    if request.htmx:
        template += "#measuring"
    return render(request, template, context)


def _plan_context(run: Run) -> dict[str, Any]:
    planned = plan(DrawnImages(run))
    try:
        jobs.check_can_measure(run)
    except JudgeRefused as refusal:
        return {"plan": plan_words(planned), "why_not": refusal.message}
    return {"plan": plan_words(planned), "asked": planned["asked"], "pictures": planned["pictures"]}


@require_POST
def measure(request: HtmxRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = get_object_or_404(Run.objects.select_related("judge"), study=place.study, pk=run_id)
    job = jobs.request(run, count=COUNT, by=request.user)
    transaction.on_commit(lambda: tasks.call_for(job))
    return redirect("run-card", slug=slug, run_id=run.pk)


@require_POST
def stop(request: HtmxRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    jobs.stop(get_object_or_404(Run, study=place.study, pk=run_id))
    return redirect("run-card", slug=slug, run_id=run_id)
