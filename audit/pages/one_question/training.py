"""Audit → Training set: which images were taken to train on and why, and what speaks against them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import (
    HtmxRequest,
    owner_place_or_404,
    places_of,
    research_place_or_404,
)
from annotations.errors import Refused
from annotations.exports.labels import csv_text
from annotations.models import Image, Study
from annotations.pages.form_values import number, whole
from audit.images import cards
from audit.models import TrainingSet
from audit.pages.files import send_csv
from audit.pages.filters import select
from audit.pages.frame import render_part
from audit.training.candidates import MOST, PRECISION, RULES, TrainingOptions
from audit.training.choose import COUNT, draw_borderline
from audit.training.freeze import freeze
from audit.words import training as words
from audit.words.report import title
from judges.names import runs_by_name
from jurybox_judging.methods.gors import THRESHOLDS

SHOWN = 12
SETS = 20
COLUMNS = (
    "image", "prompt", "text", "generator", "weight", "score", "people_yes", "people_n", "sha256",
)  # fmt: skip


@require_GET
def training(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    study = place.study
    sets = list(TrainingSet.objects.filter(study=study).defer("rows")[:SETS])
    wanted = request.GET.get("set", "")
    made = next((one for one in sets if str(one.pk) == wanted), sets[0] if sets else None)
    judges = runs_by_name(study)
    context = {
        "study": study,
        "is_owner": place.owns,
        "judges": [(name, title(name)) for name in judges],
        "rules": list(RULES.items()),
        "categories": list(THRESHOLDS),
        "usual": {"most": MOST, "precision": PRECISION},
        "others": [one.study for one in places_of(request.user) if one.may_research]
        if place.owns
        else [],
        **(_set_context(study, made, sets, judges) if made else {}),
    }
    return render_part(request, "audit/training.html", context)


@require_POST
def choose(request: HtmxRequest, slug: str) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    known = {one.study.slug for one in places_of(request.user) if one.may_research}
    named = request.POST.getlist("evaluation")
    for other in named:
        if other not in known:
            raise Refused(f"There is no study “{other[:80]}”.")
    asked = TrainingOptions(
        judge=request.POST.get("judge", ""),
        rule=request.POST.get("rule", ""),
        most=whole(request.POST.get("most", "")),
        precision=number(request.POST.get("precision", "")),
        category=request.POST.get("category", ""),
        evaluation=tuple(named),
    )
    made = freeze(study=study, asked=asked, by=request.user)
    return redirect(f"{reverse('training', args=[slug])}?set={made.pk}")


@require_POST
def confirm(request: HtmxRequest, slug: str, set_id: int) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    made = get_object_or_404(TrainingSet, study=study, pk=set_id)
    drawn = draw_borderline(made, user=request.user)
    messages.success(
        request,
        gettext(
            "%(count)s images drawn: those next to the threshold, and others by chance. People get "
            "these, and all others wait."
        )
        % {"count": drawn.count},
    )
    return redirect("data", slug=slug)


@require_GET
def table(request: HtmxRequest, slug: str, set_id: int) -> HttpResponse:
    """The images that were taken, with their weights."""
    study = research_place_or_404(request, slug).study
    made = get_object_or_404(TrainingSet, study=study, pk=set_id)
    lines = [[row[name] for name in COLUMNS] for row in made.rows if row["weight"]]
    return send_csv(csv_text(COLUMNS, *lines), f"{slug}-training-set-{made.sha256[:12]}")


def _set_context(
    study: Study, made: TrainingSet, sets: list[TrainingSet], judges: dict[str, Any]
) -> dict[str, Any]:
    body = made.body
    taken = [row for row in made.rows if row["weight"]]
    weights = {row["image"]: row["weight"] for row in taken}
    ranked = sorted(taken, key=lambda row: (-row["weight"], -row["score"], row["image"]))
    best = [row["image"] for row in ranked[:SHOWN]]
    near = body["near"][:SHOWN]
    run = judges.get(body["signature"]["judge"])
    keys = dict(
        Image.objects.filter(study=study, key__in=[*best, *near])
        .order_by()
        .values_list("key", "pk")
    )
    shown = {
        card.image.key: card
        for card in cards.cards_of_images([keys[key] for key in {*best, *near} if key in keys], run)
    }
    named = [(str(one.pk), f"{one.made_at:%Y-%m-%d %H:%M}, {one.sha256[:12]}") for one in sets]

    def list_judges(names: list[str]) -> list[dict[str, Any]]:
        return [
            {"card": shown[key], "weight": f"{weights[key]:.3f}" if key in weights else ""}
            for key in names
            if key in shown
        ]

    return {
        "made": made,
        "choices": [select("set", gettext("set"), named, made.pk)] if len(named) > 1 else [],
        "sentences": words.sentences(body)[: -len(body["warnings"]) or None],
        "warnings": body["warnings"],
        "facts": [
            (gettext("images taken"), f"{body['taken']:,}"),
            (gettext("prompts"), f"{body['prompts']:,}"),
            (gettext("effective sample size"), f"{body['effective_size']:,.1f}"),
            (gettext("mean weight"), f"{body['mean_weight']:.3f}"),
            (gettext("precision, of 100"), words.precision_short(body["precision"])),
        ],
        "sources": body["generators"].items(),
        "best": list_judges(best),
        "near": list_judges(near),
        "confirms": COUNT,
        "signature": [
            f"{title(body['signature']['judge'])}, fingerprint {body['signature']['fingerprint']}",
            f"rule {body['rule']}, question {body['question']}, {body['signature']['reference']}",
            f"data {body['signature']['data'][:12]}",
            f"set {made.sha256}",
        ],
    }
