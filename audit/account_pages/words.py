"""The page that says what words and numbers mean."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from audit.words.glossary import CHAPTERS


@require_GET
def show_words(request: HttpRequest) -> HttpResponse:
    chapters = [
        {
            "title": gettext(chapter.title),
            "terms": [
                {
                    "anchor": term.anchor,
                    "word": gettext(term.word),
                    "meaning": gettext(term.meaning),
                }
                for term in chapter.terms
            ],
        }
        for chapter in CHAPTERS
    ]
    return render(request, "words.html", {"chapters": chapters})
