"""The pages where judges are started and watched."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, research_place_or_404
from annotations.models import Image
from judges import tasks
from judges.looks.of_image import outputs_for
from judges.models import Run
from judges.runs import lifecycle
from judges.runs import queries as run_queries
from judges.runs.fit import group_by_obstacles
from jurybox_judging import catalogue
from jurybox_judging.registry import from_text

# The page of runs offers so many judges; the page of judges has all.
MOST_AT_HAND = 8
# Needs neither a GPU nor a download: a way to a first judge where prompts name the text in the picture.
READS_TEXT = "text-words"

LONGEST = 80
# By what the list of judges is filtered.
KINDS = {
    "ready": gettext_noop("runs here"),
    "download": gettext_noop("needs a download"),
    "server": gettext_noop("asks a server"),
    "edits": gettext_noop("reads edits"),
}


@require_GET
def runs(request: HtmxRequest, slug: str) -> HttpResponse:
    return _page(request, research_place_or_404(request, slug))


@require_POST
def start(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    judge = request.POST.get("judge", "")
    run = lifecycle.start_run(
        study=place.study,
        name=judge,
        options=from_text(judge, filled_in(request)),
        by=request.user,
    )
    transaction.on_commit(lambda: tasks.wake(run))
    return _answer(request, place)


@require_GET
def judges(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    offered = [c for c in run_queries.judge_choices(place.study) if c.is_offered]
    words, kind = request.GET.get("q", "")[:LONGEST], request.GET.get("kind", "")
    choices = [choice for choice in offered if _fits(choice, words.lower().split(), kind)]
    unable = [choice for choice in choices if not choice.can_start]
    context = {
        "study": place.study,
        "words": words,
        "kind": kind,
        "kinds": {name: gettext(title) for name, title in KINDS.items()},
        "choices": [choice for choice in choices if choice.can_start],
        "unable": group_by_obstacles(unable, attrgetter("fit")),
        "mends": run_queries.shared_mends(choices),
    }
    part = "#offers" if request.htmx else ""
    return render(request, f"judges/judges.html{part}", context)


def _fits(choice: run_queries.JudgeChoice, words: Sequence[str], kind: str) -> bool:
    return (not kind or kind in choice.kinds) and all(word in choice.words for word in words)


@require_GET
def options(request: HtmxRequest, slug: str, judge: str) -> HttpResponse:
    """Start a judge with options of one's own."""
    place = research_place_or_404(request, slug)
    if catalogue.find(judge) is None:
        raise Http404
    info = run_queries.judge_info(judge)
    context = {
        "study": place.study,
        "judge": info,
        "fit": run_queries.fit_of(place.study, judge),
        "thing": info.title,
        "is_owner": place.owns,
    }
    return render(request, "judges/options.html", context)


@require_GET
def look(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """All model outputs for one image."""
    place = research_place_or_404(request, slug)
    images = Image.objects.select_related("prompt", "generator")
    image = get_object_or_404(images, study=place.study, public_id=public_id)
    chosen = request.GET.get("judge", "")
    context = {
        "study": place.study,
        "image": image,
        "thing": image.prompt.text,
        "judge": chosen,
        "outputs": outputs_for(image, judge=chosen),
    }
    return render(request, "judges/look.html", context)


@require_POST
def cancel(request: HtmxRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    lifecycle.cancel_run(run=_run_or_404(place, run_id))
    return _answer(request, place)


@require_POST
def resume(request: HtmxRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = lifecycle.resume_run(run=_run_or_404(place, run_id))
    transaction.on_commit(lambda: tasks.wake(run))
    return _answer(request, place)


@require_GET
def failures(request: HtmxRequest, slug: str, run_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    run = _run_or_404(place, run_id)
    page = Paginator(run_queries.failures(run), 50).get_page(request.GET.get("page"))
    context = {
        "study": place.study,
        "run": run,
        "thing": gettext("What %(judge)s could not score") % {"judge": run.judge.name},
        "page": page,
        "failures": page.object_list,
    }
    return render(request, "judges/failures.html", context)


def filled_in(request: HtmxRequest) -> dict[str, str]:
    """By option; an empty field keeps its default."""
    given = {
        field.removeprefix("option:"): request.POST.get(field, "").strip()
        for field in request.POST
        if field.startswith("option:")
    }
    return {name: text for name, text in given.items() if text}


def _run_or_404(place: Place, run_id: int) -> Run:
    return get_object_or_404(Run.objects.select_related("judge"), study=place.study, pk=run_id)


def _answer(request: HtmxRequest, place: Place) -> HttpResponse:
    if not request.htmx:
        return redirect("runs", slug=place.study.slug)
    return _page(request, place)


def _page(request: HtmxRequest, place: Place) -> HttpResponse:
    """The runs ask again every second; what judges could do is counted when the page is opened, and
    when one was started."""
    rows = run_queries.run_rows(place.study)
    context = {
        "study": place.study,
        "rows": rows,
        "running": any(row.run.is_running for row in rows),
    }
    if not rows:
        context["reader"] = run_queries.judge_choice(place.study, READS_TEXT)
    if request.htmx and request.htmx.target != "judging":
        return render(request, "judges/runs.html#runs", context)
    choices = [c for c in run_queries.judge_choices(place.study) if c.is_offered]
    context["choices"] = [choice for choice in choices if choice.is_at_hand][:MOST_AT_HAND]
    context |= {
        "judges_in_all": len(choices),
        "waiting": sum(choice.can_start and not choice.readiness.is_ready for choice in choices),
        "mends": run_queries.shared_mends(choices),
    }
    template = "judges/runs.html#judging" if request.htmx else "judges/runs.html"
    return render(request, template, context)
