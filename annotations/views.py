"""The pages where people label: find, ask a verb, render."""

from __future__ import annotations

import contextlib
import uuid

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotations import assigning, labelling, queries
from annotations.access import Place, image_or_404, place_or_404
from annotations.errors import LabelRefused
from annotations.models import Assignment, FormVersion, Image
from annotations.picture import CONTENT_TYPES


@require_safe
@login_required
def image_file(request: HttpRequest, public_id: str) -> HttpResponse:
    image = image_or_404(request, public_id)
    path = settings.MEDIA_ROOT / image.file
    try:
        response = FileResponse(path.open("rb"), content_type=CONTENT_TYPES[path.suffix])
    except FileNotFoundError:
        raise Http404 from None
    # The name that a download would get says as little as the address.
    response["Content-Disposition"] = f'inline; filename="image{path.suffix}"'
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


@login_required
def label(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: the image in hand, or the next one. POST: an answer; the reply is the next form."""
    place = place_or_404(request, slug)
    message = ""
    if request.method == "POST":
        try:
            _record(request, place)
        except LabelRefused as refusal:
            if not request.htmx:
                raise
            message = refusal.message
        if not request.htmx:
            return redirect("label", slug=slug)
    return _workplace(request, place, message)


@require_POST
@login_required
def undo(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    last = queries.last_answered(place.membership)
    message = ""
    if last is None:
        message = "There is nothing to take back."
    else:
        labelling.take_back(annotation=last)
    if not request.htmx:
        return redirect("label", slug=slug)
    return _workplace(request, place, message)


@require_POST
@login_required
def skip(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    for assignment in _held(request, place):
        assigning.skip(assignment=assignment, note=request.POST.get("note", "")[:2000])
    if not request.htmx:
        return redirect("label", slug=slug)
    return _workplace(request, place)


@require_POST
@login_required
def release(request: HttpRequest, slug: str) -> HttpResponse:
    """The page was closed: the image goes back to the queue at once.

    A page that is loaded again says farewell too, and does so after the new one was asked for. So
    a lease that was renewed a moment ago is kept.
    """
    place = place_or_404(request, slug)
    for assignment in _held(request, place):
        if not assigning.renewed_lately(assignment=assignment, study=place.study):
            assigning.release(assignment=assignment)
    return HttpResponse(status=204)


@require_POST
@login_required
def alive(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    for assignment in _held(request, place):
        assigning.keep_lease(assignment=assignment, study=place.study)
    return HttpResponse(status=204)


@require_GET
@login_required
def study(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    if not place.may_research:
        return redirect("label", slug=slug)
    return render(
        request,
        "annotations/study.html",
        {
            "study": place.study,
            "may_research": True,
            "counts": queries.counts(place.study),
            "missing": queries.missing_prompts(place.study),
        },
    )


def _record(request: HttpRequest, place: Place) -> None:
    try:
        submission = uuid.UUID(request.POST.get("submission", ""))
        form_pk = int(request.POST.get("form", ""))
    except ValueError:
        raise LabelRefused(
            "This page sent an incomplete answer; nothing was saved. Load the page again."
        ) from None
    image = Image.objects.filter(public_id=request.POST.get("image", ""), study=place.study).first()
    form = FormVersion.objects.filter(pk=form_pk).first()
    if image is None or form is None:
        raise LabelRefused("This image is no longer part of the study; nothing was saved.")
    prefix = "answer-"
    answers = {
        name.removeprefix(prefix): _number(value)
        for name, value in request.POST.items()
        if name.startswith(prefix)
    }
    labelling.record_label(
        image=image,
        annotator=place.membership,
        form=form,
        answers=answers,
        submission=submission,
        seconds=_number_or_none(request.POST.get("seconds", "")),
    )


def _workplace(request: HttpRequest, place: Place, message: str = "") -> HttpResponse:
    annotator = place.membership
    assignment = assigning.next_image(annotator=annotator)
    image = assignment.image if assignment else None
    upcoming = assigning.upcoming(annotator=annotator) if image else ""
    context = {
        "study": place.study,
        "may_research": place.may_research,
        "form": place.study.form,
        "assignment": assignment,
        "image": image,
        "prompt": image.prompt.text if image else "",
        "submission": str(uuid.uuid4()),
        "progress": queries.progress(annotator),
        "earlier": queries.earlier_answers(annotator, image) if image else {},
        "upcoming": upcoming,
        "can_undo": queries.last_answered(annotator) is not None,
        "done": image is None,
        "message": message,
    }
    template = "annotations/label.html"
    if request.htmx:
        template += "#workplace"
    return render(request, template, context)


def _held(request: HttpRequest, place: Place):
    return Assignment.objects.filter(
        annotator=place.membership,
        state=Assignment.State.LEASED,
        image__public_id=request.POST.get("image", ""),
    ).select_related("image")


def _number(text: str) -> float:
    number = _number_or_none(text)
    if number is None:
        raise LabelRefused(f"“{text[:80]}” is not one of the answers; nothing was saved.")
    return number


def _number_or_none(text: str) -> float | None:
    with contextlib.suppress(ValueError):
        return float(text)
    return None
