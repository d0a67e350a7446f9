"""Anchors, below why the gap moved: frozen by a button, scored again by a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST

from annotations.access import HtmxRequest, owner_place_or_404
from annotations.anchors import again, keep
from annotations.errors import Refused
from annotations.models import AnchorRound, AnchorSet, Study
from annotations.pages.form_values import whole
from audit.anchors.certificate import certificate, newest, unanswered
from audit.anchors.draw import COUNT, make_anchors
from audit.doors.page import Actions, QuestionPage
from audit.words import anchors as words
from judges import tasks
from judges.anchors import jobs
from judges.models import AnchorScoring, Run
from judges.names import runs_by_name


@dataclass(frozen=True)
class Anchors:
    """`usual`: how many images are frozen if nobody says otherwise; `job`: a scoring of this judge
    without an answer."""

    set: AnchorSet | None
    usual: int
    job: AnchorScoring | None
    last: AnchorScoring | None
    rounds: list[AnchorRound]

    @property
    def is_waiting(self) -> bool:
        return self.job is not None and self.job.is_open

    @property
    def facts(self) -> list[Any]:
        job, last = self.job, self.last
        state = [job.pk, job.state, job.done] if job else []
        return [self.set and self.set.pk, self.usual, last and last.pk, len(self.rounds), *state]

    def describe(self, *, certified: bool = False) -> list[str]:
        """`certified`: the certificate stands elsewhere on the page."""
        if self.set is None:
            return ["No anchors yet. They show when a model changes behind its name."]
        day, count, of = f"{self.set.made_at:%Y-%m-%d}", self.set.count, self.set.of
        lines = [f"{count} of {of} images were frozen on {day}."]
        if self.last is None:
            return [*lines, "This judge has not scored them again yet."]
        if certified:
            return lines
        return [*lines, *words.sentences(certificate(self.last))]


def show_anchors(page: QuestionPage) -> Actions:
    """Of the judge whose gap is explained."""
    judge = page.query.get("judge", "")
    anchors = anchors_of(page.study, runs_by_name(page.study).get(judge), owns=page.place.owns)
    context = {
        "judge": judge,
        "anchors": anchors,
        "lines": anchors.describe(certified=bool(page.body.get("certificates"))),
        "is_owner": page.place.owns,
    }
    return Actions("audit/partials/anchors.html", context, anchors.facts, anchors.is_waiting)


def anchors_of(study: Study, run: Run | None, *, owns: bool) -> Anchors:
    return Anchors(
        keep.newest(study),
        keep.candidates(study)[:COUNT].count() if owns else 0,
        unanswered(run) if run else None,
        newest(run) if run else None,
        again.rounds_of(study),
    )


@require_POST
def make(request: HtmxRequest, slug: str) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    count = whole(request.POST.get("count", ""))
    made = make_anchors(study=study, count=count, by=request.user)
    messages.success(request, f"{made.count} images are anchors now. Let a judge score them.")
    return _back(request, slug)


@require_POST
def score(request: HtmxRequest, slug: str) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    run = runs_by_name(study).get(request.POST.get("judge", ""))
    anchors = keep.newest(study)
    if run is None or anchors is None:
        raise Refused("There is no such judge here, or there are no anchors yet.")
    asked = jobs.ask(run=run, anchors=anchors, by=request.user)
    transaction.on_commit(lambda: tasks.call_for(asked))
    return _back(request, slug)


@require_POST
def ask(request: HtmxRequest, slug: str) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    anchors = keep.newest(study)
    if anchors is None:
        raise Refused("There are no anchors yet.")
    words = request.POST.get("words", AnchorRound.Wording.NOW)
    if words not in AnchorRound.Wording.values:
        raise Refused("Choose the words of then or of now.")
    asked = again.ask_again(
        study=study, anchors=anchors, words=words, soon="soon" in request.POST, by=request.user
    )
    messages.success(
        request, f"The study “{asked.study.title}” asks the same people about the anchors again."
    )
    return _back(request, slug)


def _back(request: HtmxRequest, slug: str) -> HttpResponse:
    judge = request.POST.get("judge", "")
    return redirect(f"{reverse('judge', args=[slug])}?{urlencode({'judge': judge})}#why")
