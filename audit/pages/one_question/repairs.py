"""Improve → Repairs, below what repairing gained: repaired images beside the old one and a control, and what was
found wrong, confirmed or corrected by people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotations.access import HtmxRequest, owner_place_or_404, research_place_or_404
from annotations.errors import StudyRefused
from annotations.language.stored_words import say as say_in_language
from annotations.models import Image, Study
from audit.doors.page import Actions, QuestionPage
from audit.evidence.image_cards import thumbnail_size
from audit.models import Finding
from audit.repairs import findings, gains
from audit.repairs.enforce import ARMS, enforce
from audit.repairs.painters import Bench
from audit.words.report import title
from judges.names import runs_by_name
from jurybox_formats.sets.builtin.study import GENERATORS

QUEUE = 12
# More of them are made by the command, with a progress bar: a page cannot wait.
MOST = 200


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    image: Image
    size: tuple[int, int] | None


def show_findings(page: QuestionPage) -> Actions:
    """The first repaired images beside their controls, findings to be confirmed, and what makes both."""
    study, counts = page.study, gains.findings_by_state(page.study)
    rows = Finding.objects.filter(study=study, state=Finding.State.OPEN)
    queue = rows.select_related("image__prompt")[:QUEUE]
    names = set(study.generators.order_by().values_list("name", flat=True))
    context = {
        "is_owner": page.place.owns,
        "counts": counts,
        "searchers": [(name, title(name)) for name in runs_by_name(study)],
        "queue": [
            {
                "finding": one,
                "size": thumbnail_size(one.image),
                "by": title(one.judge) if one.judge else gettext("people"),
            }
            for one in queue
        ],
        "of_bench": bool(names & {one.name for one in GENERATORS}),
        "sides": _sides(study, page.body.get("first", [])),
    }
    return Actions("audit/partials/repairs.html", context, [*counts.values()])


@require_POST
def look(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    counts = findings.look(study=study, judge=request.POST.get("judge", ""))
    new = counts.pop("found")
    told = "".join(
        f"; {say_in_language(reason)}: {count}" for reason, count in sorted(counts.items())
    )
    words_of_new = gettext("%(new)s new findings wait to be confirmed%(told)s.")
    messages.success(request, words_of_new % {"new": new, "told": told})
    return redirect("repairs", slug=slug)


@require_POST
def say(request: HtmxRequest, slug: str, finding_id: int) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    finding = get_object_or_404(Finding, study=study, pk=finding_id)
    findings.say(
        finding=finding,
        state=request.POST.get("state", ""),
        by=request.user,
        wanted=request.POST.get("wanted", ""),
        found=request.POST.get("found", ""),
    )
    return redirect(f"{reverse('repairs', args=[slug])}#queue")


@require_POST
def make(request: HtmxRequest, slug: str) -> HttpResponse:
    """By the built-in bench: it draws an image in some milliseconds, without a model."""
    study = owner_place_or_404(request, slug).study
    confirmed = findings.confirmed(study)
    if len(confirmed) > MOST:
        raise StudyRefused(
            f"{len(confirmed)} findings are confirmed; a page makes images for {MOST} at most. Use "
            f"manage.py enforce {slug} --pipeline builtin."
        )
    made = enforce(study=study, findings=confirmed, painter=Bench())
    messages.success(
        request,
        gettext(
            "%(images)s images made, as many repaired as controls. Judge them and have people label them."
        )
        % {"images": made.images},
    )
    return redirect("repairs", slug=slug)


def _sides(study: Study, some: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Old, repaired and control of the first images, each with its prompt."""
    keys = [key for each in some for key in each.values()]
    images = {
        image.key: image
        for image in Image.objects.filter(study=study, key__in=keys).select_related("prompt")
    }
    return [
        {
            "prompt": images[each["old"]].prompt.text,
            "wanted": images[each[ARMS[0]]].metadata.get("wanted", ""),
            "pictures": [
                Picture(name, images[each[name]], thumbnail_size(images[each[name]]))
                for name in ("old", *ARMS)
            ],
        }
        for each in some
        if images.keys() >= set(each.values())
    ]
