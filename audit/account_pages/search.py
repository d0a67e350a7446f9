"""One field that finds studies, pages, images and prompts: reached from everywhere by Ctrl-K."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotations.access import PersonsRequest, Place, places_of
from annotations.models import Image, Prompt
from audit.images.browse import text_holds
from audit.navigation import Link, Navigation
from audit.words.glossary import all_terms

# Of each kind: who sees more needs another word.
MOST = 8
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    links: list[Link]


@require_GET
def search(request: PersonsRequest) -> HttpResponse:
    """`study`: the one that somebody came from; its pages and images come first."""
    places = places_of(request.user)
    here = next((one for one in places if one.study.slug == request.GET.get("study")), None)
    typed = request.GET.get("q", "").strip()[:LONGEST]
    groups = [group for group in _groups(places, here, typed.split()) if group.links]
    context = {"q": typed, "here": here.study if here else None, "groups": groups}
    part = "#results" if request.htmx else ""
    return render(request, f"audit/search.html{part}", context)


def _groups(places: list[Place], here: Place | None, words: list[str]) -> list[Group]:
    if not words:
        return [Group(gettext("Studies"), [_study_link(place) for place in places[:MOST]])]
    of = [here] if here else places
    searched = [place.study.pk for place in of if place.may_research]
    return [
        Group(gettext("Pages"), _pages(here, words) if here else []),
        Group(
            gettext("Studies"),
            [_study_link(place) for place in places if _fits(place, words)][:MOST],
        ),
        Group(gettext("Words"), _terms(words)),
        Group(gettext("Images"), _images(searched, words)),
        Group(gettext("Prompts"), _prompts(searched, words)),
    ]


def _has_all(text: str, words: list[str]) -> bool:
    return all(word.lower() in text.lower() for word in words)


def _fits(place: Place, words: list[str]) -> bool:
    return _has_all(f"{place.study.title} {place.study.slug}", words)


def _study_link(place: Place) -> Link:
    return Link(place.study.title, _navigation(place).start)


def _pages(here: Place, words: list[str]) -> list[Link]:
    return [
        Link(f"{section.title} · {link.title}", link.url)
        for section, links in _navigation(here).all
        for link in links
        if _has_all(f"{section.title} {link.title}", words)
    ]


def _navigation(place: Place) -> Navigation:
    return Navigation(place.study, "", place.role, "", "", "")


def _terms(words: list[str]) -> list[Link]:
    return [
        Link(gettext(term.word), f"{reverse('words')}#{term.anchor}")
        for term in all_terms()
        if _has_all(f"{term.word} {gettext(term.word)}", words)
    ][:MOST]


def _images(studies: list[int], words: list[str]) -> list[Link]:
    """By the beginning of its id: an index has it."""
    if len(words) != 1:
        return []
    rows = Image.objects.filter(study__in=studies, key__startswith=words[0])
    return [
        Link(
            f"{image.key} · {image.study.title}",
            reverse("data-image", args=[image.study.slug, image.public_id]),
        )
        for image in rows.select_related("study").order_by("study", "key")[:MOST]
    ]


def _prompts(studies: list[int], words: list[str]) -> list[Link]:
    """To the images of each, on the page of images."""
    rows = Prompt.objects.filter(*map(text_holds, words), study__in=studies).select_related("study")
    return [
        Link(
            f"{prompt.text[:120]} · {prompt.study.title}",
            f"{reverse('data', args=[prompt.study.slug])}?{urlencode({'q': prompt.text[:LONGEST]})}",
        )
        for prompt in rows.order_by("pk")[:MOST]
    ]
