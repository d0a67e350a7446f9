"""Known answers: the list, one image's answers, choosing an image, and a table in and out."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    PersonsRequest,
    Place,
    owner_place_or_404,
    research_place_or_404,
)
from annotations.bounded_numbers import read_whole
from annotations.errors import StudyRefused, TableRefused
from annotations.forms.display import blocks
from annotations.forms.html import questions_html
from annotations.forms.versions import questions_for
from annotations.models import Image, Selection
from annotations.pages.form_values import send_csv, sent_answers, sent_table, whole
from annotations.studies import known_answers, selections
from annotations.studies import settings as study_settings

PER_PAGE = 50
CHOICES_PER_PAGE = 60
LARGEST_TABLE = 10 * 2**20


@require_GET
def known_answer_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _list(request, research_place_or_404(request, slug))


@require_POST
def known_answer_share(request: HttpRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    share = whole(request.POST.get("gold_share", ""))
    study_settings.set_gold_share(study=place.study, share=share)
    messages.success(
        request, gettext("%(share)s %% of the images are gold questions now.") % {"share": share}
    )
    return redirect("known-answers", slug=slug)


@require_GET
def known_answer_choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Images to choose one from, found by words of the prompt or by the image's name."""
    place = owner_place_or_404(request, slug)
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    rows = known_answers.candidates(place.study, words)
    context = {
        "study": place.study,
        "thing": gettext("Choose an image"),
        "q": words,
        "page": Paginator(rows, CHOICES_PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "annotations/known_answer_choose.html", context)


@dataclass(frozen=True, slots=True)
class Walk:
    """Where somebody is who sets the known answers of chosen images, one after the other."""

    selection: Selection
    at: int

    @property
    def is_last(self) -> bool:
        return self.at >= self.selection.images

    @property
    def earlier_address(self) -> str:
        return self.address(self.at - 1) if self.at > 1 else ""

    @property
    def after(self) -> str:
        """The next image; after the last one the list."""
        return self.address(self.at + 1) if not self.is_last else self._list()

    def address(self, number: int) -> str:
        image = selections.image_at(self.selection, number)
        if image is None:
            return self._list()
        slug = self.selection.study.slug
        here = reverse("known-answer-edit", args=[slug, image.public_id])
        return f"{here}?selection={self.selection.pk}&at={number}"

    def _list(self) -> str:
        return reverse("known-answers", args=[self.selection.study.slug])


def _walk(request: HttpRequest, place: Place) -> Walk | None:
    selection, at = (read_whole(request.GET.get(name, ""), low=0) for name in ("selection", "at"))
    if selection is None or at is None:
        return None
    chosen = Selection.objects.filter(study=place.study, pk=selection).first()
    return Walk(chosen, at) if chosen is not None and at <= chosen.images else None


@require_GET
def known_answer_walk(request: HttpRequest, slug: str, selection_id: int) -> HttpResponse:
    """Begin with the first of these images."""
    place = owner_place_or_404(request, slug)
    selection = get_object_or_404(Selection, study=place.study, pk=min(selection_id, 2**63 - 1))
    return redirect(Walk(selection, 1).address(1))


def known_answer_edit(request: PersonsRequest, slug: str, public_id: str) -> HttpResponse:
    """One image with the study's questions: POST sets its known answers, or takes them away. With
    `selection` and `at` in the address it is one of several, and the next one follows."""
    place = owner_place_or_404(request, slug)
    image = get_object_or_404(
        Image.objects.select_related("prompt", "study__form", "known"),
        study=place.study,
        public_id=public_id,
    )
    walk = _walk(request, place)
    goal = walk.after if walk else reverse("known-answers", args=[slug])
    if request.method != "POST":
        known = getattr(image, "known", None)
        explanation = known.explanation if known else ""
        return _form(request, place, image, walk, image.gold or {}, explanation)
    if "remove" in request.POST:
        known_answers.remove(image=image)
        messages.success(request, "This image is an ordinary one again.")
        return redirect(goal)
    sent = sent_answers(request)
    explanation = request.POST.get("explanation", "")
    try:
        known_answers.make(image=image, answers=sent, explanation=explanation, by=request.user)
    except StudyRefused as refusal:
        shown = {key: _typed(values) for key, values in sent.items()}
        return _form(request, place, image, walk, shown, explanation, refusal.message)
    if walk is None or walk.is_last:
        messages.success(request, "The gold question is saved.")
    return redirect(goal)


@require_POST
def known_answer_import(request: PersonsRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    try:
        with sent_table(request, "known-answers.csv", LARGEST_TABLE) as path:
            count = known_answers.import_table(study=place.study, path=path, by=request.user)
    except TableRefused as refusal:
        return _list(request, place, request.POST.get("table", ""), refusal.wrong)
    messages.success(
        request,
        ngettext("%(count)s gold question imported.", "%(count)s gold questions imported.", count)
        % {"count": count},
    )
    return redirect("known-answers", slug=slug)


@require_GET
def known_answer_csv(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    return send_csv(known_answers.as_table(place.study), f"{slug}-known-answers")


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
    page = Paginator(known_answers.list_known(study), PER_PAGE).get_page(request.GET.get("page"))
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
    walk: Walk | None,
    answers: dict[str, float | str],
    explanation: str,
    wrong: str = "",
) -> HttpResponse:
    text = image.prompt.text
    asked = questions_for(place.study.form, image.prompt)
    context = {
        "study": place.study,
        "thing": gettext("Answers to “%(prompt)s”") % {"prompt": Truncator(text).chars(60)},
        "image": image,
        "walk": walk,
        "questions": questions_html(blocks(text, asked, answers), text),
        "explanation": explanation,
        "longest": known_answers.LONGEST_EXPLANATION,
        "wrong": wrong,
        "unfit": [key for key in image.gold or {} if key not in {one.key for one in asked}],
    }
    status = 422 if wrong else 200
    return render(request, "annotations/known_answer_edit.html", context, status=status)
