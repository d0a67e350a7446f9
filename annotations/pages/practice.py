"""The practice round: a person's way through it, and the owner's page about it."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    Place,
    owner_place_or_404,
    place_or_404,
    research_place_or_404,
)
from annotations.errors import LabelRefused, StudyRefused
from annotations.forms.html import form_html, instructions_html, pictures_html
from annotations.forms.prompt_pictures import pictures_of
from annotations.forms.versions import form_of, questions_for, shown_language
from annotations.models import Image, Membership
from annotations.pages.form_values import sent_answers, whole
from annotations.pages.label_frame import OWN_KEYS
from annotations.studies import practice as rounds
from annotations.studies import queries as study_queries

TRIES_PER_PAGE = 100


@never_cache
def practice(request: HttpRequest, slug: str) -> HttpResponse:
    """GET: where this person stands. POST: begin, answer, or go on after reading."""
    place = place_or_404(request, slug)
    if request.method != "POST":
        return _page(request, place)
    member, verb = place.membership, request.POST.get("do", "")
    if verb == "begin":
        rounds.begin(member=member)
    elif verb == "go-on":
        rounds.go_on(member=member)
    elif verb == "answer":
        image = _image(request, place)
        sent = sent_answers(request)
        try:
            rounds.answer(member=member, image=image, answers=sent)
        except LabelRefused as refusal:
            shown: dict[str, float | str] = {key: "|".join(values) for key, values in sent.items()}
            return _page(request, place, shown, refusal.message)
    else:
        raise Http404
    return redirect("practice", slug=slug)


@require_GET
def practice_round(request: HttpRequest, slug: str) -> HttpResponse:
    return _round(request, research_place_or_404(request, slug))


@require_POST
def practice_change(request: HttpRequest, slug: str) -> HttpResponse:
    """Set or switch off the round, ask everybody again, or give one person another try."""
    place = owner_place_or_404(request, slug)
    given, study = request.POST, place.study
    verb = given.get("do", "")
    if verb == "set":
        try:
            rounds.set_practice(
                study=study,
                images=whole(given.get("images", "")),
                pass_mark=whole(given.get("pass_mark", "")),
                tries=whole(given.get("tries", "")),
            )
        except StudyRefused as refusal:
            return _round(request, place, refusal.message)
        done = "on" if study.practice_images else "off"
        messages.success(request, f"The qualification is {done}.")
    elif verb == "again":
        rounds.ask_again(study=study)
        messages.success(request, "Everybody qualifies again before their next image.")
    elif verb == "try":
        member = get_object_or_404(
            Membership, pk=whole(given.get("person", "")), study=study, role="annotator"
        )
        rounds.another_try(member=member)
        messages.success(request, f"{member.name} has another try.")
    else:
        raise Http404
    return redirect("practice-round", slug=slug)


def _image(request: HttpRequest, place: Place) -> Image:
    public_id = request.POST.get("image", "")
    rows = Image.objects.select_related("prompt", "known").filter(study=place.study)
    image = rows.filter(public_id=public_id).first()
    if image is None:
        raise LabelRefused(gettext("This image is no longer part of the study; nothing was saved."))
    return image


def _page(
    request: HttpRequest,
    place: Place,
    sent: dict[str, float | str] | None = None,
    wrong: str = "",
) -> HttpResponse:
    member, study = place.membership, place.study
    state = rounds.state_of(member)
    context = {
        "study": study,
        "practising": True,
        "own_keys": OWN_KEYS,
        "state": state,
        "is_translated": bool(form_of(study.form).translations),
        "wrong": wrong,
        "attempt": rounds.tally(state.last) if state.last else None,
        "invitation": member.invitation if member.worker else None,
    }
    shown = state.image or (state.answer.image if state.answer else None)
    if shown is not None:
        context["pictures"] = pictures_html(pictures_of(shown.prompt))
    if state.kind == "image" and state.image is not None:
        text = state.image.prompt.text
        asked = questions_for(study.form, state.image.prompt, shown_language(study.form))
        form = form_of(study.form)
        keys = {one.image for one in (*form.examples, *form.edge_cases) if one.image}
        context |= {
            "image": state.image,
            "questions": form_html(study.form, asked, text, sent or {}),
            "prompt_on_top": not any(one.atom or one.question.with_prompt for one in asked),
            "instructions": instructions_html(study.form, study_queries.addresses(study.pk, keys)),
        }
    elif state.kind == "feedback" and state.answer is not None:
        context |= {"image": state.answer.image, "points": rounds.points(state.answer)}
    return render(request, "annotations/practice.html", context, status=422 if wrong else 200)


def _round(request: HttpRequest, place: Place, wrong: str = "") -> HttpResponse:
    study = place.study
    if wrong:
        # What was typed stays in the fields.
        study.refresh_from_db()
    typed = request.POST if wrong else {}
    page = Paginator(rounds.results(study), TRIES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "may_change": place.owns,
        "page": page,
        "usable": len(rounds.usable(study)),
        "wrong": wrong,
        "images": typed.get("images", study.practice_images or ""),
        "pass_mark": typed.get("pass_mark", study.practice_pass),
        "tries": typed.get("tries", study.practice_tries),
    }
    return render(request, "annotations/practice_round.html", context, status=409 if wrong else 200)
