"""A person's own earlier answers."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotations.access import place_or_404
from annotations.forms.versions import form_of, in_words, shown_language
from annotations.labelling import queries as label_queries
from annotations.models import Annotation

ANSWERS_PER_PAGE = 50


@require_GET
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """A person's own answers, newest first, each with a link to correct it."""
    place = place_or_404(request, slug)
    # Whoever only looks becomes nobody of the study.
    own = label_queries.answers_of(place.own) if place.own else Annotation.objects.none()
    pages = Paginator(own, ANSWERS_PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    return render(
        request,
        "annotations/answers.html",
        {
            "study": place.study,
            "page": page,
            "rows": [(annotation, _in_words(annotation)) for annotation in page],
        },
    )


def _in_words(annotation: Annotation) -> list[tuple[str, str]]:
    """(question or atom, the answer in words), without the derived answers"""
    language = shown_language(annotation.form)
    asked = {question.name for question in form_of(annotation.form).questions}
    return [
        (
            (answer.atom.text or answer.atom.question) if answer.atom else answer.question,
            in_words(annotation.form, answer.question, answer.value, answer.text, language),
        )
        for answer in annotation.answers.all()
        if answer.question in asked or not asked
    ]
