"""Data → Pairs, below how far they are: pairs are drawn, and votes come from files."""

from __future__ import annotations

import io
import math
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.html import escape
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations import event_log
from annotations.access import HtmxRequest, owner_place_or_404, research_place_or_404
from annotations.errors import ImportRefused, Refused, StudyRefused
from annotations.language.stored_words import say
from annotations.models import Image, PairPlan, Study
from annotations.pages.form_values import whole
from annotations.pairs import draws, files
from annotations.pairs.assign import plan_of
from annotations.pairs.expected import expected
from audit.contests.useful_pairs import draw_informative
from audit.doors.page import Actions, QuestionPage, show_question
from audit.words import pairs as words
from judges.preferences.imported import ImportedVotes, take_votes

MOST_IMAGES = 100_000  # of more, a draw takes longer than a page may
LARGEST_FILE = 10_000_000  # bytes
DRAWS_SHOWN = 20
USUAL = {"which": "random", "per_prompt": "3", "one": "", "other": "", "seed": "0"}


def show_forms(
    page: QuestionPage,
    given: dict[str, str] | None = None,
    *,
    refused: list[str] | None = None,
    wrong: list[str] | None = None,
) -> Actions:
    """As they were sent, with what was wrong; else as the study asks now."""
    study = page.study
    given = given or _form_values({}, study)
    context = {
        "is_owner": page.place.owns,
        "given": given,
        "generators": list(study.generators.order_by("name").values_list("name", flat=True)),
        "draws": [
            {"draw": one, "words": words.of_draw(one), "note": one.note.splitlines()}
            for one in study.pair_draws.order_by("-pk")[:DRAWS_SHOWN]
        ],
        "refused": refused or [],
        "wrong": wrong or [],
        "columns": ", ".join(files.COLUMNS),
        "expected": "" if page.request.htmx else _expected(study, given),
    }
    return Actions("audit/partials/pairs.html", context, stays=True)


@require_GET
def pairs_expected(request: HtmxRequest, slug: str) -> HttpResponse:
    """What the draw that stands in the form would ask of people."""
    place = research_place_or_404(request, slug)
    context = {"expected": _expected(place.study, _form_values(request.GET, place.study))}
    return render(request, "audit/partials/pairs.html#expected", context)


@require_POST
def pairs_draw(request: HtmxRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    study, given = place.study, _form_values(request.POST, place.study)
    try:
        if request.POST.get("do") == "save":
            if not plan_of(study):
                raise StudyRefused(
                    "There are no pairs yet: draw some, then say how they are asked."
                )
            _keep_plan(study, given)
            messages.success(request, gettext("Saved for all pairs of this study."))
        else:
            made = _draw(request, study, given)
            drawn = gettext("Drew %(pairs)s.") % {"pairs": words.of_draw(made)}
            messages.success(request, f"{drawn} {_say_lines(made.note)}".rstrip())
    except Refused as refusal:
        forms = partial(show_forms, given=given, refused=[refusal.message])
        return show_question(request, slug, "pairs", forms, refusal.status)
    return redirect("pairs", slug=slug)


@require_POST
def pairs_import(request: HtmxRequest, slug: str) -> HttpResponse:
    """People's votes from a tidy table, or with the name of a judge that judge's; all or none."""
    place = owner_place_or_404(request, slug)
    judge = request.POST.get("judge", "").strip()
    try:
        file = _sent_file(request)
        if judge:
            taken: Any = _take_votes_of(judge, place.study, file)
        else:
            taken = files.take(place.study, files.read(file))
    except files.VotesRefused as refusal:
        forms = partial(show_forms, wrong=refusal.wrong)
        return show_question(request, slug, "pairs", forms, refusal.status)
    except ImportRefused as refusal:
        forms = partial(show_forms, wrong=[refusal.message])
        return show_question(request, slug, "pairs", forms, refusal.status)
    said = taken.sentence()
    words_of_log = f"imported votes on pairs: {said}"[:300]
    event_log.note(place.study, "imported", words_of_log, by=request.user)
    messages.success(request, _say_lines(said))
    return redirect("pairs", slug=slug)


def _say_lines(text: str) -> str:
    """A line is a sentence, which is translated by itself."""
    return " ".join(say(line.strip()) for line in text.splitlines())


def _take_votes_of(judge: str, study: Study, file: io.StringIO) -> ImportedVotes:
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8", newline="") as kept:
        kept.write(file.getvalue())
        kept.flush()
        return take_votes(study=study, path=Path(kept.name), judge=judge)


@require_GET
def pairs_file(request: HtmxRequest, slug: str, name: str) -> StreamingHttpResponse:
    """The pairs, or the votes on them, one row each; people behind pseudonyms."""
    study = research_place_or_404(request, slug).study
    if name == "pairs":
        lines = files.csv_lines(files.pair_rows(study), files.PAIR_COLUMNS)
    elif name == "votes":
        event_log.note(study, "exported", "exported the votes on pairs, people: everybody")
        lines = files.csv_lines(files.vote_rows(study))
    else:
        raise Http404
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{name}.csv"'
    return response


def _form_values(sent: Mapping[str, str], study: Study) -> dict[str, str]:
    """What stands in the form: as it was sent, else as the study asks now."""
    plan = plan_of(study)
    usual = {
        **USUAL,
        "overlap": str(plan.overlap if plan else PairPlan._meta.get_field("overlap").default),
        "quality": "1" if plan and plan.asks_quality else "",
    }
    if not sent:
        return usual
    return {
        **usual,
        "quality": "",
        **{name: sent[name][:200] for name in usual if name in sent},
    }


def _expected(study: Study, given: Mapping[str, str]) -> str:
    """In a sentence, or what is wrong with the form."""
    try:
        per_prompt, overlap = whole(given["per_prompt"]), whole(given["overlap"])
        among = _two(given) if given["which"] == "duel" else ()
        found = expected(study, per_prompt=per_prompt, overlap=overlap, among=among)
    except Refused as refusal:
        return refusal.message
    if given["which"] == "information":
        # Wherever they tell most: a prompt may give more than the others.
        found = replace(found, pairs=max(found.pairs, per_prompt * found.prompts), exact=False)
    return escape(words.expected(found, connects=given["which"] == "random"))


def _two(given: Mapping[str, str]) -> tuple[str, str]:
    if not given["one"] or not given["other"] or given["one"] == given["other"]:
        raise StudyRefused("A duel is between two generators: choose both.")
    return given["one"], given["other"]


def _keep_plan(study: Study, given: Mapping[str, str]) -> None:
    draws.plan(study, overlap=whole(given["overlap"]), quality=given["quality"] == "1")


@transaction.atomic
def _draw(request: HtmxRequest, study: Study, given: Mapping[str, str]) -> Any:
    per_prompt, seed = whole(given["per_prompt"]), whole(given["seed"])
    if Image.objects.filter(study=study).order_by()[: MOST_IMAGES + 1].count() > MOST_IMAGES:
        most = f"{MOST_IMAGES:,}"
        command = f"manage.py pairs {study.slug} draw --per-prompt {per_prompt}"
        raise StudyRefused(
            f"This study has more than {most} images: drawing takes longer there than a page may. "
            f"Draw with “{command}”."
        )
    if given["which"] == "information":
        made = draw_informative(study=study, per_prompt=per_prompt, seed=seed, by=request.user)
    elif given["which"] == "duel":
        one, other = _two(given)
        made = draws.duel(
            study=study, one=one, other=other, per_prompt=per_prompt, seed=seed, by=request.user
        )
    else:
        made = draws.draw(study=study, per_prompt=per_prompt, seed=seed, by=request.user)
    _keep_plan(study, given)
    return made


def _sent_file(request: HtmxRequest) -> io.StringIO:
    file = request.FILES.get("file")
    if file is None:
        raise ImportRefused("Choose a file first.")
    if (file.size or math.inf) > LARGEST_FILE:
        raise ImportRefused(
            "The file is larger than 10 MB, or empty. A large one is taken by "
            "“manage.py import_pairs”."
        )
    try:
        return io.StringIO(file.read().decode("utf-8-sig"), newline="")
    except UnicodeDecodeError:
        raise ImportRefused("The file is not text in UTF-8.") from None
