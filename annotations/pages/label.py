"""The label page: show an image, take an answer, give the next image."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, place_or_404
from annotations.bounded_numbers import read_number, read_whole
from annotations.database.prepared import Prepared
from annotations.errors import LabelRefused
from annotations.forms.html import form_html, instructions_html, pictures_html
from annotations.forms.prompt_pictures import pictures_of, pictures_with_next
from annotations.forms.versions import form_of, questions_for, shown_language
from annotations.labelling import assign, record
from annotations.labelling import queries as label_queries
from annotations.labelling.reserve import keep_reserve, with_prompts
from annotations.models import Assignment, FormVersion, Image, Membership
from annotations.pages import label_frame
from annotations.studies import crowd
from annotations.studies import queries as study_queries

ANSWERED_IMAGE = Prepared(
    lambda mark: (
        Image.objects.order_by()
        .select_related("prompt")
        .filter(public_id=mark.text("public_id"), study=mark("study"))
    )
)


def label(request: HtmxRequest, slug: str) -> HttpResponse:
    """GET: the image in hand, or the next one. POST: an answer; the reply is the next form."""
    place = place_or_404(request, slug)
    if request.method != "POST":
        if place.membership.must_practise and not label_queries.held_assignment(place.membership):
            return redirect("practice", slug=slug)
        return _workplace(request, place)
    if not request.htmx:
        # The next image in the same transaction: the page that is requested now finds it held.
        record.record_and_give_next(**_read_answer(request, place))
        return redirect("label", slug=slug)
    try:
        sent = _read_answer(request, place)
        assignment = record.record_and_give_next(**sent)
    except LabelRefused as refusal:
        return _workplace(request, place, refusal.message)
    return _with_image(request, place, assignment, before=sent["image"].public_id)


@require_POST
def undo(request: HtmxRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    last = label_queries.last_answered(place.membership)
    message = ""
    if last is None:
        message = gettext("There is nothing to take back.")
    else:
        try:
            record.take_back(annotation=last)
        except LabelRefused as refusal:
            if not request.htmx:
                raise
            message = refusal.message
    if not request.htmx:
        return redirect("label", slug=slug)
    return _workplace(request, place, message)


@require_POST
def skip(request: HtmxRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    for assignment in _held_images(request, place):
        assign.skip(assignment=assignment, note=request.POST.get("note", "")[:2000])
    if not request.htmx:
        return redirect("label", slug=slug)
    return _workplace(request, place)


@require_POST
def flag(request: HtmxRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    image = Image.objects.filter(public_id=request.POST.get("image", ""), study=place.study).first()
    if image is None:
        raise LabelRefused(
            gettext("This image is no longer part of the study; nothing was flagged.")
        )
    record.flag(
        image=image,
        annotator=place.membership,
        reason=request.POST.get("reason", ""),
        note=request.POST.get("note", ""),
    )
    return HttpResponse(status=204)


@require_GET
def show_answer(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """A person's own earlier answer, to look at or correct."""
    place = place_or_404(request, slug)
    review = label_queries.own_answer(place.own, public_id) if place.own else None
    if review is None:
        raise Http404
    held = label_queries.held_assignment(place.membership)
    return _render(
        request,
        place,
        image=review.image,
        review=review,
        held=held.image.public_id if held else "",
        upcoming=held.image.public_id if held else "",
        **label_queries.neighbours(review),
    )


@require_POST
def release(request: HtmxRequest, slug: str) -> HttpResponse:
    """The page was closed: others can get the image at once.

    Reloading a page sends this too, after the request for the new page. So a lease that was renewed
    a moment ago is kept.
    """
    place = place_or_404(request, slug)
    for assignment in _held_images(request, place):
        lately = assign.renewed_lately(assignment=assignment, study=place.study)
        if "pause" in request.POST or not lately:
            # What is in reserve comes after this image, and goes back with it.
            assign.release_all(annotator=place.membership)
    return HttpResponse(status=204)


@require_POST
def alive(request: HtmxRequest, slug: str) -> HttpResponse:
    """The page is open: its leases are renewed. Answers with the order of the images in reserve, and
    with the forms of those that the page does not name in `have`."""
    place = place_or_404(request, slug)
    images = keep_reserve(annotator=place.membership)
    have = set(request.POST.getlist("have"))
    forms = {}
    numbers = {image.pk: number for number, image in enumerate(images, start=1)}
    missing = [image for image in images if image.public_id not in have]
    if missing:
        now = label_queries.progress(place.membership)
        for image in with_prompts(missing):
            # As it is when the images before it are answered.
            number = numbers[image.pk]
            then = label_queries.Progress(now.mine + number, now.left - number, now.more)
            forms[image.public_id] = _form_ahead(request, place, image, then)
    return JsonResponse({"images": [image.public_id for image in images], "forms": forms})


def _form_ahead(
    request: HtmxRequest, place: Place, image: Image, progress: label_queries.Progress
) -> str:
    """The page's moving part for an image in reserve, without what needs a connection and without
    the instructions, which are on the page already."""
    context = {
        **_questions(place, image, {}),
        "pictures": pictures_html(pictures_of(image.prompt)),
        "study": place.study,
        "image": image,
        "held": image.public_id,
        "progress": progress,
    }
    return render_to_string("annotations/label.html#workplace", context, request)


def _read_answer(request: HtmxRequest, place: Place) -> dict[str, Any]:
    """The page's answer as keywords for `record`; LabelRefused if it is incomplete."""
    try:
        submission = uuid.UUID(request.POST.get("submission", ""))
        form_pk = read_whole(request.POST.get("form", ""), low=0)
    except ValueError:
        form_pk = None
    if form_pk is None:
        raise LabelRefused(
            gettext("This page sent an incomplete answer; nothing was saved. Load the page again.")
        )
    image = ANSWERED_IMAGE.first(public_id=request.POST.get("image", ""), study=place.study.pk)
    asked_now = place.study.form
    form = asked_now if asked_now.pk == form_pk else _form_with(form_pk)
    if image is None or form is None:
        raise LabelRefused(gettext("This image is no longer part of the study; nothing was saved."))
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
        "seconds": read_number(request.POST.get("seconds", "")),
        "corrects": request.POST.get("corrects") == "yes",
        # That of the page which was answered, not of the one shown by now.
        "language": request.POST.get("language", ""),
    }


def _form_with(pk: int) -> FormVersion | None:
    return FormVersion.objects.filter(pk=pk).first()


def _workplace(request: HtmxRequest, place: Place, message: str = "") -> HttpResponse:
    annotator = place.membership
    assignment = assign.next_image(annotator=annotator)
    before = label_queries.last_public_id(annotator)
    return _with_image(request, place, assignment, message=message, before=before)


def _with_image(
    request: HtmxRequest,
    place: Place,
    assignment: Assignment | None,
    *,
    before: str,
    message: str = "",
) -> HttpResponse:
    """The page with the image this person holds now. `before`: the image they answered last."""
    annotator = place.membership
    image = assignment.image if assignment else None
    return _render(
        request,
        place,
        image=image,
        message=message,
        held=image.public_id if image else "",
        upcoming=assign.upcoming(annotator=annotator) if image else "",
        before=before,
        **(_end_of_task(annotator) if image is None and annotator.worker else {}),
    )


def _end_of_task(worker: Membership) -> dict[str, Any]:
    invitation = crowd.completion_of(worker)
    code = invitation.completion_code if invitation else ""
    return {"completion_code": code, "counts": crowd.counts_of(worker)}


def _render(
    request: HtmxRequest, place: Place, *, image: Image | None, **more: object
) -> HttpResponse:
    annotator = place.membership
    earlier = label_queries.earlier_answers(annotator, image) if image else {}
    progress = label_queries.progress(annotator)
    context = {
        "may_research": place.may_research,
        **_questions(place, image, earlier),
        "study": place.study,
        "image": image,
        "progress": progress,
        "must_practise": annotator.must_practise,
        "is_translated": bool(form_of(place.study.form).translations),
        **more,
    }
    if image:
        pictures, following = pictures_with_next(image.prompt, str(more.get("upcoming", "")))
        context |= {"pictures": pictures_html(pictures), "upcoming_pictures": following}
        context["instructions"] = instructions_html(place.study.form, _pictures(place))
    filled = _fill_page(request, image, context) if image and _is_usual(context) else ""
    if not request.htmx:
        context["filled"] = mark_safe(filled)  # noqa: S308
        context["dialogs"] = label_frame.dialogs_html()
        return render(request, "annotations/label.html", context)
    if filled:
        return HttpResponse(filled)
    return render(request, "annotations/label.html#workplace", context)


def _is_usual(context: Mapping[str, Any]) -> bool:
    """Whether the page's frame has a place for all that it must show."""
    more = ("earlier", "message", "review")
    return context["progress"].mine and context["before"] and not any(map(context.get, more))


def _fill_page(request: HtmxRequest, image: Image, context: Mapping[str, Any]) -> str:
    taken = (
        *("asked_in", "before", "instructions", "pictures", "prompt_on_top", "questions"),
        *("submission", "upcoming"),
    )
    return label_frame.fill_frame(
        context["study"].slug,
        image,
        context["progress"],
        csrf_token=get_token(request),
        form=context["form"].pk,
        upcoming_pictures=context.get("upcoming_pictures", ()),
        **{name: context[name] for name in taken},
    )


def _questions(
    place: Place, image: Image | None, earlier: Mapping[str, float | str]
) -> dict[str, Any]:
    """The form about one image; `earlier`: this person's own answers so far."""
    form = place.study.form
    language = shown_language(form)
    asked = questions_for(form, image.prompt, language) if image else ()
    return {
        "to": label_frame.addresses_in(place.study.slug),
        "size": label_frame.size_of(image) if image else {},
        "form": form,
        "asked_in": language,
        "questions": form_html(form, asked, image.prompt.text, earlier) if image else "",
        "prompt_on_top": not any(a.atom or a.question.with_prompt for a in asked),
        "earlier": earlier,
        "submission": str(uuid.uuid4()),
    }


def _pictures(place: Place) -> dict[str, str]:
    """The public ids of the form's example images that the study has."""
    form = form_of(place.study.form)
    keys = {example.image for example in (*form.examples, *form.edge_cases) if example.image}
    return study_queries.addresses(place.study.pk, keys)


def _held_images(request: HtmxRequest, place: Place) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        annotator=place.membership,
        state__in=Assignment.HELD,
        image__public_id=request.POST.get("image", ""),
    ).select_related("image")
