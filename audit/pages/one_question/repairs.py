"""Audit → Repairs: what was found wrong, confirmed or corrected by people; repaired images beside the old one
and a control; and what repairing gained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, owner_place_or_404, research_place_or_404
from annotations.errors import Refused, StudyRefused
from annotations.language.stored_words import say as say_in_language
from annotations.models import Image, StoredAnswer, Study
from annotations.stored_answers.store import read_answer
from annotations.stored_answers.waiting import waiting_words
from audit.evidence.image_cards import thumbnail_size
from audit.exhibits import Table, row, statistics_table
from audit.models import Finding
from audit.pages.files import send_tables
from audit.pages.frame import render_part
from audit.questions.gains.question import GAINS
from audit.repairs import findings, gains
from audit.repairs.enforce import ARMS, enforce
from audit.repairs.painters import Bench
from audit.statistic_names import headings
from audit.words import repairs as words
from audit.words.report import title
from judges.names import runs_by_name
from jurybox_formats.sets.builtin.study import GENERATORS

QUEUE = 12
# More of them are made by the command, with a progress bar: a page cannot wait.
MOST = 200
NO_POINTS = gettext_noop("its scores are no points: see the sentence")
COLUMNS = ("gain", "repaired", "control")


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    image: Image
    size: tuple[int, int] | None


@require_GET
def repairs_page(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    study = place.study
    rows = Finding.objects.filter(study=study)
    counts = gains.findings_by_state(study)
    queue = rows.filter(state=Finding.State.OPEN).select_related("image__prompt")[:QUEUE]
    answer = _gains(study, counts)
    waiting = waiting_words(answer)
    body, first = _parts(answer)
    names = set(study.generators.order_by().values_list("name", flat=True))
    context = {
        "study": study,
        "is_owner": place.owns,
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
        "sentences": words.sentences(body) if body else [],
        "gained": _table(body) if body and body["repaired"] else None,
        "csv": f"{reverse('repairs-table', args=[slug])}?study={slug}",
        "sides": _sides(study, first),
        "waiting": waiting,
        "is_old": answer.is_old,
        "poll_url": request.get_full_path(),
    }
    return render_part(request, "audit/repairs.html", context)


@require_GET
def table(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    # Without a repaired image the table has no rows, and nothing is read for it.
    body: dict[str, Any] = {
        "study": study.slug,
        "rows": [],
        "signature": {"judges": {}, "data": ""},
    }
    counts = gains.findings_by_state(study)
    if counts["real"]:
        answer = _gains(study, counts)
        if not answer.content:
            raise Refused(answer.reason or "A worker has yet to compute this: open the page first.")
        told, first = _parts(answer)
        body = told if first else body
    return send_tables(request, body, [_table(body)], f"{slug}-repairs")


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


def _table(body: dict[str, Any]) -> Table:
    columns = headings(*COLUMNS)
    rows = []
    for one in body["rows"]:
        hidden = {name: {"undefined": NO_POINTS, "n": one[name]["n"]} for name in COLUMNS}
        numbers = {name: one[name] for name in COLUMNS} if one["in_points"] else hidden
        label = title(one["judge"]) if one["judge"] else gettext("people")
        note = gettext("found what is wrong") if one.get("found") else ""
        rows.append(row(label, numbers, columns, judge=one["judge"], note=note))
    return statistics_table("gains", gettext("Gains in points"), gettext("by"), columns, rows)


def _gains(study: Study, counts: dict[str, int]) -> StoredAnswer:
    """Without a real finding nothing is read."""
    return read_answer(GAINS, study) if counts["real"] else StoredAnswer()


def _parts(answer: StoredAnswer) -> tuple[dict[str, Any], list[dict[str, str]]]:
    body = answer.body or {}
    return body.get("gains", {}), body.get("first", [])


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
