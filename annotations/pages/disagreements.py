"""The images that people disagree about, and the owner's decisions."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    HtmxRequest,
    PersonsRequest,
    owner_place_or_404,
    research_place_or_404,
)
from annotations.models import Image
from annotations.stored_answers.waiting import has_seen
from annotations.studies import adjudication, known_answers

CASES_PER_PAGE = 60


@require_GET
def disagreements(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    cases = adjudication.disagreements(place.study)
    if has_seen(request, cases.waiting):
        return HttpResponse(status=204)
    only_open = "all" not in request.GET
    shown = cases.open if only_open else cases
    context = {
        "study": place.study,
        "page": Paginator(shown, CASES_PER_PAGE).get_page(request.GET.get("page")),
        "total": len(cases),
        "decided": cases.decided_n,
        "only_open": only_open,
        "counted_at": cases.counted_at,
        "waiting": cases.waiting,
    }
    template = "annotations/disagreements.html"
    if request.htmx:
        template += "#cases"
    response = render(request, template, context)
    response["Vary"] = "Cookie, HX-Request"
    return response


@require_POST
def gold(request: PersonsRequest, slug: str, public_id: str) -> HttpResponse:
    """Make an image a gold image, with its decisions as the known answers, or an ordinary one."""
    place = owner_place_or_404(request, slug)
    image = get_object_or_404(Image, study=place.study, public_id=public_id)
    if "ordinary" in request.POST:
        known_answers.remove(image=image)
    else:
        decided = adjudication.as_known_answers(image)
        known_answers.keep(image=image, answers=decided, by=request.user)
    return redirect("disagreement", slug=slug, public_id=public_id)


def disagreement(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """One image with everybody's answers side by side, and the decisions about it."""
    place = research_place_or_404(request, slug)
    image = get_object_or_404(
        Image.objects.select_related("prompt", "study__form"),
        study=place.study,
        public_id=public_id,
    )
    if request.method == "POST":
        place = owner_place_or_404(request, slug)
        adjudication.decide(
            image=image,
            key=request.POST.get("question", ""),
            answer=request.POST.get("answer", ""),
            note=request.POST.get("note", ""),
            by=request.user,
        )
        if not request.htmx:
            return redirect("disagreement", slug=slug, public_id=public_id)
    rows = adjudication.answers_side_by_side(image)
    undecided = adjudication.disagreements(place.study).open
    context = {
        "study": place.study,
        "may_decide": place.owns,
        "image": image,
        "thing": image.prompt.text,
        "rows": rows,
        "any_decided": any(row.decided for row in rows),
        "following": undecided.following(image.pk),
        "open": len(undecided),
    }
    template = "annotations/disagreement.html"
    if request.htmx:
        template += "#case"
    return render(request, template, context)
