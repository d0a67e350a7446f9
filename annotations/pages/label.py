"""The pages where people label: find, ask a verb, render."""

from __future__ import annotations

import contextlib
import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotations.access import Place, image_or_404, place_or_404
from annotations.database.prepared import Prepared
from annotations.errors import LabelRefused
from annotations.forms.display import blocks
from annotations.forms.html import instructions_html, questions_html
from annotations.forms.versions import form_of, in_words, questions_for
from annotations.labelling import assign as assigning
from annotations.labelling import queries
from annotations.labelling import record as labelling
from annotations.media import media
from annotations.models import Annotation, Assignment, Flag, FormVersion, Image, Membership
from annotations.pages.label_addresses import addresses_in
from annotations.pictures.decode import CONTENT_TYPES, thumbnail_of
from annotations.studies import flags as flagging
from annotations.studies import invitations as inviting

ANSWERS_PER_PAGE = 50
ADDRESS_SECONDS = settings.ADDRESS_SECONDS
ASKED_ABOUT = Prepared(
    lambda mark: (
        Image.objects.order_by()
        .select_related("prompt")
        .filter(public_id=mark.text("public_id"), study=mark("study"))
    )
)


@require_safe
@login_required
def image_file(request: HttpRequest, public_id: str) -> HttpResponse:
    image = image_or_404(request, public_id)
    file = thumbnail_of(image.file) if "small" in request.GET else image.file
    address = media().address(file)
    if address:
        response = redirect(address)
        # For less than the address holds: the browser that loaded it ahead has it still.
        response["Cache-Control"] = f"private, max-age={ADDRESS_SECONDS // 2}"
        return response
    path = settings.MEDIA_ROOT / file
    if not path.exists():
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
    if request.method != "POST":
        return _workplace(request, place)
    if not request.htmx:
        labelling.record_label(**_sent(request, place))
        return redirect("label", slug=slug)
    try:
        sent = _sent(request, place)
        assignment = labelling.record_and_go_on(**sent)
    except LabelRefused as refusal:
        return _workplace(request, place, refusal.message)
    return _in_hand(request, place, assignment, before=sent["image"].public_id)


@require_POST
@login_required
def undo(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    last = queries.last_answered(place.membership)
    message = ""
    if last is None:
        message = "There is nothing to take back."
    else:
        try:
            labelling.take_back(annotation=last)
        except LabelRefused as refusal:
            if not request.htmx:
                raise
            message = refusal.message
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
def flag(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    image = Image.objects.filter(public_id=request.POST.get("image", ""), study=place.study).first()
    if image is None:
        raise LabelRefused("This image is no longer part of the study; nothing was flagged.")
    labelling.flag(
        image=image,
        annotator=place.membership,
        reason=request.POST.get("reason", ""),
        note=request.POST.get("note", ""),
    )
    return HttpResponse(status=204)


@require_GET
@login_required
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """One's own answers, newest first, each with the way to correct it."""
    place = place_or_404(request, slug)
    pages = Paginator(queries.answers_of(place.membership), ANSWERS_PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    return render(
        request,
        "annotations/answers.html",
        {
            "study": place.study,
            "may_research": place.may_research,
            "page": page,
            "rows": [(annotation, _said(annotation)) for annotation in page],
        },
    )


@require_GET
@login_required
def answered(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """One's own earlier answer, to be looked at and corrected."""
    place = place_or_404(request, slug)
    review = queries.own_answer(place.membership, public_id)
    if review is None:
        raise Http404
    held = queries.held(place.membership)
    return _render(
        request,
        place,
        image=review.image,
        review=review,
        held=held.image.public_id if held else "",
        upcoming=held.image.public_id if held else "",
        **queries.neighbours(review),
    )


@require_POST
@login_required
def release(request: HttpRequest, slug: str) -> HttpResponse:
    """The page was closed: the image goes back to the queue at once.

    A page that is loaded again says farewell too, and does so after the new one was asked for. So
    a lease that was renewed a moment ago is kept.
    """
    place = place_or_404(request, slug)
    for assignment in _held(request, place):
        lately = assigning.renewed_lately(assignment=assignment, study=place.study)
        if "pause" in request.POST or not lately:
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
            "flags": flagging.open_flags(place.study).count(),
            "missing": queries.missing_prompts(place.study),
        },
    )


def _sent(request: HttpRequest, place: Place) -> dict[str, Any]:
    """An answer as the page sends it, for `labelling`; refused where it is incomplete."""
    try:
        submission = uuid.UUID(request.POST.get("submission", ""))
        form_pk = int(request.POST.get("form", ""))
    except ValueError:
        raise LabelRefused(
            "This page sent an incomplete answer; nothing was saved. Load the page again."
        ) from None
    image = ASKED_ABOUT.first(public_id=request.POST.get("image", ""), study=place.study.pk)
    form = place.study.form
    if form.pk != form_pk:
        form = FormVersion.objects.filter(pk=form_pk).first()
    if image is None or form is None:
        raise LabelRefused("This image is no longer part of the study; nothing was saved.")
    prefix = "answer-"
    return {
        "image": image,
        "annotator": place.membership,
        "form": form,
        "answers": {
            name.removeprefix(prefix): values
            for name, values in request.POST.lists()
            if name.startswith(prefix)
        },
        "submission": submission,
        "seconds": _number_or_none(request.POST.get("seconds", "")),
    }


def _workplace(request: HttpRequest, place: Place, message: str = "") -> HttpResponse:
    annotator = place.membership
    assignment = assigning.next_image(annotator=annotator)
    before = queries.last_public_id(annotator)
    return _in_hand(request, place, assignment, message=message, before=before)


def _in_hand(
    request: HttpRequest,
    place: Place,
    assignment: Assignment | None,
    *,
    before: str,
    message: str = "",
) -> HttpResponse:
    """The image in this person's hands; `before`: the one that they answered last."""
    annotator = place.membership
    image = assignment.image if assignment else None
    return _render(
        request,
        place,
        image=image,
        message=message,
        held=image.public_id if image else "",
        upcoming=assigning.upcoming(annotator=annotator) if image else "",
        before=before,
        completion_code=_completion_code(annotator) if image is None else "",
    )


def _completion_code(annotator: Membership) -> str:
    invitation = inviting.completion_of(annotator)
    return invitation.completion_code if invitation else ""


def _render(
    request: HttpRequest, place: Place, *, image: Image | None, **more: object
) -> HttpResponse:
    annotator, form = place.membership, place.study.form
    questions = questions_for(form, image.prompt) if image else ()
    earlier = queries.earlier_answers(annotator, image) if image else {}
    shown = {}
    if image:
        text = image.prompt.text
        shown = {
            "questions": questions_html(blocks(text, questions, earlier), text),
            "instructions": instructions_html(form, _pictures(place)),
        }
    context = {
        "study": place.study,
        "to": addresses_in(place.study.slug),
        "may_research": place.may_research,
        "form": form,
        "image": image,
        **shown,
        "prompt_on_top": not any(a.atom or a.question.with_prompt for a in questions),
        "earlier": earlier,
        "submission": str(uuid.uuid4()),
        "progress": queries.progress(annotator),
        "reasons": Flag.Reason.choices,
        **more,
    }
    template = "annotations/label.html"
    if request.htmx:
        template += "#workplace"
    return render(request, template, context)


def _pictures(place: Place) -> dict[str, str]:
    """Of the worked examples, where the study has them."""
    form = form_of(place.study.form)
    keys = {one.image for one in (*form.examples, *form.edge_cases) if one.image}
    return queries.addresses(place.study.pk, keys)


def _said(annotation: Annotation) -> list[tuple[str, str]]:
    """(question or part of the prompt, the answer in words), of what was asked"""
    asked = {question.name for question in form_of(annotation.form).questions}
    return [
        (
            (answer.atom.text or answer.atom.question) if answer.atom else answer.question,
            in_words(annotation.form, answer.question, answer.value, answer.text),
        )
        for answer in annotation.answers.all()
        if answer.question in asked
    ]


def _held(request: HttpRequest, place: Place):
    return Assignment.objects.filter(
        annotator=place.membership,
        state=Assignment.State.LEASED,
        image__public_id=request.POST.get("image", ""),
    ).select_related("image")


def _number_or_none(text: str) -> float | None:
    with contextlib.suppress(ValueError):
        return float(text)
    return None
