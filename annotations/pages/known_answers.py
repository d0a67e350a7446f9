"""Known answers: the list, one image's answers, choosing an image, and a table in and out."""

from __future__ import annotations

import tempfile
from pathlib import Path

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import content_disposition_header
from django.utils.text import Truncator
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    PersonsRequest,
    Place,
    owner_place_or_404,
    research_place_or_404,
)
from annotations.errors import StudyRefused
from annotations.forms.display import blocks
from annotations.forms.html import questions_html
from annotations.forms.versions import questions_for
from annotations.models import Image
from annotations.pages.form_values import whole
from annotations.studies import known_answers
from annotations.studies import settings as study_settings

PER_PAGE = 50
CHOICES_PER_PAGE = 60
LARGEST_TABLE = 10 * 2**20


@require_GET
@login_required
def known_answer_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _list(request, research_place_or_404(request, slug))


@require_POST
@login_required
def known_answer_share(request: HttpRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    share = whole(request.POST.get("gold_share", ""))
    study_settings.set_gold_share(study=place.study, share=share)
    messages.success(request, f"{share} % of the images that a person sees have known answers.")
    return redirect("known-answers", slug=slug)


@require_GET
@login_required
def known_answer_choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Images to choose one from, found by words of the prompt or by the image's name."""
    place = owner_place_or_404(request, slug)
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    rows = known_answers.candidates(place.study, words)
    context = {
        "study": place.study,
        "thing": "Choose an image",
        "q": words,
        "page": Paginator(rows, CHOICES_PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "annotations/known_answer_choose.html", context)


@login_required
def known_answer_edit(request: PersonsRequest, slug: str, public_id: str) -> HttpResponse:
    """One image with the study's questions: POST sets its known answers, or takes them away."""
    place = owner_place_or_404(request, slug)
    image = get_object_or_404(
        Image.objects.select_related("prompt", "study__form", "known"),
        study=place.study,
        public_id=public_id,
    )
    if request.method != "POST":
        known = getattr(image, "known", None)
        explanation = known.explanation if known else ""
        return _form(request, place, image, image.gold or {}, explanation)
    if "remove" in request.POST:
        known_answers.remove(image=image)
        messages.success(request, "This image is an ordinary one again.")
        return redirect("known-answers", slug=slug)
    sent = {
        name.removeprefix("answer-"): values
        for name, values in request.POST.lists()
        if name.startswith("answer-")
    }
    explanation = request.POST.get("explanation", "")
    try:
        known_answers.make(image=image, answers=sent, explanation=explanation, by=request.user)
    except StudyRefused as refusal:
        shown = {key: _typed(values) for key, values in sent.items()}
        return _form(request, place, image, shown, explanation, refusal.message)
    messages.success(request, "The known answers are saved.")
    return redirect("known-answers", slug=slug)


@require_POST
@login_required
def known_answer_import(request: PersonsRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    file, typed = request.FILES.get("file"), request.POST.get("table", "")
    if file is not None and (file.size or 0) > LARGEST_TABLE:
        return _list(request, place, typed, ["The file is larger than 10 MB; send a part of it."])
    content = file.read() if file is not None else typed.encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "known-answers.csv"
        path.write_bytes(content)
        try:
            count = known_answers.import_table(study=place.study, path=path, by=request.user)
        except known_answers.TableRefused as refusal:
            return _list(request, place, typed, refusal.wrong)
    messages.success(request, f"{count} image{'s' * (count != 1)} got known answers.")
    return redirect("known-answers", slug=slug)


@require_GET
@login_required
def known_answer_csv(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    name = content_disposition_header(True, f"{slug}-known-answers.csv") or ""
    text = known_answers.as_table(place.study)
    return HttpResponse(
        text, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name}
    )


def _typed(values: list[str]) -> float | str:
    """As the form shows it again: a number where it is one, else the words."""
    joined = "|".join(values)
    try:
        return float(joined)
    except ValueError:
        return joined


def _list(
    request: HttpRequest,
    place: Place,
    typed: str = "",
    wrong: list[str] | None = None,
) -> HttpResponse:
    study = place.study
    page = Paginator(known_answers.listed(study), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "may_change": place.owns,
        "page": page,
        "rows": known_answers.as_shown(study, page.object_list),
        "typed": typed,
        "wrong": wrong or [],
        "columns": ", ".join([*known_answers.COLUMNS, *known_answers.MORE]),
    }
    status = 422 if wrong else 200
    return render(request, "annotations/known_answers.html", context, status=status)


def _form(
    request: HttpRequest,
    place: Place,
    image: Image,
    answers: dict[str, float | str],
    explanation: str,
    wrong: str = "",
) -> HttpResponse:
    text = image.prompt.text
    asked = questions_for(place.study.form, image.prompt)
    context = {
        "study": place.study,
        "thing": f"Answers to “{Truncator(text).chars(60)}”",
        "image": image,
        "questions": questions_html(blocks(text, asked, answers), text),
        "explanation": explanation,
        "longest": known_answers.LONGEST_EXPLANATION,
        "wrong": wrong,
        "unfit": [key for key in image.gold or {} if key not in {one.key for one in asked}],
    }
    status = 422 if wrong else 200
    return render(request, "annotations/known_answer_edit.html", context, status=status)
