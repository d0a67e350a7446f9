"""The page Compare: two images of one prompt, a vote, the next two."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotations.access import HtmxRequest, Place, place_or_404
from annotations.bounded_numbers import read_number
from annotations.database.prepared import Prepared
from annotations.errors import LabelRefused
from annotations.forms.prompt_pictures import pictures_of
from annotations.models import Pair, PairAssignment
from annotations.pairs import assign, progress, questions, record
from annotations.pairs.votes import MATCH, QUALITY
from jurybox_formats.forms.translations import translator

SENT_PAIR = Prepared(
    lambda mark: Pair.objects.order_by().filter(
        study=mark("study"), public_id=mark.text("public_id")
    )
)
# What the key of each vote is called, and the key.
KEYS = {
    "left": ("←", "ArrowLeft"),
    "both": ("↓", "ArrowDown"),
    "neither": ("↑", "ArrowUp"),
    "right": ("→", "ArrowRight"),
    "cannot_tell": ("C", "c"),
}


def compare(request: HtmxRequest, slug: str) -> HttpResponse:
    """GET: the pair in hand, or the next one. POST: a vote; the reply is the next pair."""
    place = place_or_404(request, slug)
    if request.method != "POST":
        return _workplace(request, place)
    try:
        pair, said, submission = _read_vote(request, place)
        held = record.record_and_give_next(
            pair=pair,
            annotator=place.membership,
            said=said,
            submission=submission,
            language=request.POST.get("language", ""),
            seconds=read_number(request.POST.get("seconds", "")),
        )
    except LabelRefused as refusal:
        if not request.htmx:
            raise
        return _workplace(request, place, refusal.message)
    if not request.htmx:
        return redirect("compare", slug=slug)
    return _with_pair(request, place, held)


@require_POST
def compare_undo(request: HtmxRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    last, message = record.last_answered(place.membership), ""
    try:
        if last is None:
            raise LabelRefused(gettext("There is nothing to take back."))
        record.take_back(pair=last.pair, annotator=place.membership)
    except LabelRefused as refusal:
        message = refusal.message
    if not request.htmx:
        return redirect("compare", slug=slug)
    return _workplace(request, place, message)


@require_POST
def compare_skip(request: HtmxRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    held = _held_pair(request, place)
    if held is not None:
        assign.skip(assignment=held)
    if not request.htmx:
        return redirect("compare", slug=slug)
    return _workplace(request, place)


@require_POST
def compare_alive(request: HtmxRequest, slug: str) -> HttpResponse:
    """The page is open: its pair stays with this person."""
    assign.renew(annotator=place_or_404(request, slug).membership)
    return HttpResponse(status=204)


@require_POST
def compare_release(request: HtmxRequest, slug: str) -> HttpResponse:
    """The page was closed: others can get the pair at once."""
    held = _held_pair(request, place_or_404(request, slug))
    if held is not None:
        assign.release(assignment=held)
    return HttpResponse(status=204)


def _held_pair(request: HtmxRequest, place: Place) -> PairAssignment | None:
    return PairAssignment.objects.filter(
        annotator=place.membership,
        state=PairAssignment.State.LEASED,
        pair__public_id=request.POST.get("pair", "")[:22].replace("\0", ""),
    ).first()


def _read_vote(request: HtmxRequest, place: Place) -> tuple[Pair, dict[str, str], uuid.UUID]:
    try:
        submission = uuid.UUID(request.POST.get("submission", ""))
    except ValueError:
        raise LabelRefused(
            gettext("This page sent an incomplete vote; nothing was saved. Load the page again.")
        ) from None
    sent = request.POST.get("pair", "")[:22].replace("\0", "")
    pair = SENT_PAIR.first(study=place.study.pk, public_id=sent)
    if pair is None:
        raise LabelRefused(gettext("This pair is no longer part of the study; nothing was saved."))
    said = {name: request.POST[name] for name in questions.NAMES if name in request.POST}
    return pair, said, submission


def _workplace(request: HtmxRequest, place: Place, message: str = "") -> HttpResponse:
    return _with_pair(request, place, assign.next_pair(annotator=place.membership), message)


def _with_pair(
    request: HtmxRequest, place: Place, held: PairAssignment | None, message: str = ""
) -> HttpResponse:
    plan = assign.plan_of(place.study)
    asked = [MATCH, QUALITY] if plan is not None and plan.asks_quality else [MATCH]
    language = questions.shown_language()
    context = {
        "study": place.study,
        "asked_in": language,
        "message": message,
        "progress": progress.mine(place.membership, held),
        "submission": str(uuid.uuid4()),
        "questions": [_shown_question(name, language) for name in asked],
    }
    if held is not None:
        pair = held.pair
        sides = [pair.first, pair.second] if held.left == "first" else [pair.second, pair.first]
        context |= {"pair": pair, "prompt": pair.prompt.text, "sides": sides}
        context["pictures"] = pictures_of(pair.prompt)
    template = "annotations/compare.html"
    return render(request, template + ("#workplace" if request.htmx else ""), context)


def _shown_question(name: str, language: str) -> dict[str, Any]:
    """`source`: its own words, where it is shown in others."""
    asked = questions.question_in(name, language)
    return {
        "name": name,
        "text": asked.text,
        "source": questions.question_in(name, "").text if language else "",
        "translator": translator(questions.ASKED, language),
        "choices": [(one.value, one.text, *KEYS[str(one.value)]) for one in asked.choices],
    }
