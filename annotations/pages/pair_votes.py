"""A person's own votes on pairs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import place_or_404
from annotations.errors import LabelRefused
from annotations.models import Image, Membership, Pair, PairVote
from annotations.pairs import questions, record
from annotations.pairs.votes import MATCH

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Verdict:
    vote: PairVote
    sides: tuple[Image, Image]  # as they stood
    answers: list[tuple[str, str]]  # question, the vote


@require_GET
def compare_votes(request: HttpRequest, slug: str) -> HttpResponse:
    """Newest first, each with a button that gives the pair back for another vote."""
    place = place_or_404(request, slug)
    votes = _votes(place.own) if place.own else PairVote.objects.none()
    page = Paginator(votes, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "annotations/pair_votes.html",
        {"study": place.study, "page": page, "rows": _in_words(list(page))},
    )


@require_POST
def compare_change(request: HttpRequest, slug: str) -> HttpResponse:
    place = place_or_404(request, slug)
    name = request.POST.get("pair", "")[:22].replace("\0", "")
    pair = Pair.objects.filter(study=place.study, public_id=name).first()
    if pair is None:
        raise LabelRefused(
            gettext("This pair is no longer part of the study; nothing was changed.")
        )
    record.take_back(pair=pair, annotator=place.membership)
    return redirect("compare", slug=slug)


def _votes(person: Membership) -> QuerySet[PairVote]:
    votes = PairVote.objects.filter(annotator=person, current=True, question=MATCH)
    votes = votes.select_related("pair__prompt", "pair__first", "pair__second")
    return votes.order_by("-submitted_at", "-pk")


def _in_words(votes: list[PairVote]) -> list[Verdict]:
    answers: dict[int, list[tuple[str, str]]] = defaultdict(list)
    if votes:
        person = votes[0].annotator_id
        pairs = {vote.pair_id for vote in votes}
        every = PairVote.objects.filter(annotator=person, current=True, pair__in=pairs)
        for vote in every.order_by("question"):
            answers[vote.pair_id].append(_vote_words(vote))
    return [Verdict(vote, _sides(vote), answers[vote.pair_id]) for vote in votes]


def _sides(vote: PairVote) -> tuple[Image, Image]:
    ends = vote.pair.first, vote.pair.second
    return ends[::-1] if vote.left == "second" else ends


def _vote_words(vote: PairVote) -> tuple[str, str]:
    asked = questions.question_in(vote.question, questions.shown_language())
    said = record.said_of(vote.value, vote.left or "first")
    return asked.text, next(one.text for one in asked.choices if one.value == said)
