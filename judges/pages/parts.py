"""Parts of the prompts: drafted for the whole study, checked by people on one page, frozen."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, research_place_or_404
from annotations.models import Prompt, Study
from judges.models import PromptParts
from judges.parts import drafts
from judges.parts.check import hints
from judges.parts.freeze import freeze, used_atoms
from judges.parts.part import read
from jurybox_judging.errors import JudgeRefused

PER_PAGE = 20
SHOWN = {"": Q(), "hints": Q(hints__gt=0), "unchecked": Q(is_checked=False)}


@require_GET
def prompt_parts(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    shown = request.GET.get("show", "")
    draft = drafts.draft_of(study)
    context: dict[str, Any] = {
        "study": study,
        "draft": draft,
        "frozen": drafts.frozen_of(study),
        "show": shown if shown in SHOWN else "",
        "prompts": study.prompts.count(),
        "most": drafts.MOST_PROMPTS,
    }
    if draft is not None:
        rows = draft.prompts.filter(SHOWN[context["show"]]).order_by("pk")
        page = Paginator(rows.select_related("prompt"), PER_PAGE).get_page(request.GET.get("page"))
        used = _used_parts(study, [row.prompt_id for row in page])
        context |= {
            "page": page,
            "cards": [_card(row, is_used=row.prompt_id in used) for row in page],
            "counts": draft.prompts.aggregate(
                prompts=Count("pk"),
                checked=Count("pk", filter=Q(is_checked=True)),
                with_hints=Count("pk", filter=Q(hints__gt=0)),
            ),
        }
    return render(request, "judges/parts.html", context)


@require_POST
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    if place.study.prompts.count() > drafts.MOST_PROMPTS:
        most = f"{drafts.MOST_PROMPTS:,}"
        raise JudgeRefused(
            f"A page drafts at most {most} prompts at a time. For more, run: jurybox draft_parts "
            f"{place.study.slug}"
        )
    drafts.make_draft(study=place.study, by=request.user)
    return redirect("prompt-parts", slug=slug)


@require_POST
def throw_away(request: HttpRequest, slug: str) -> HttpResponse:
    drafts.throw_away(study=research_place_or_404(request, slug).study)
    return redirect("prompt-parts", slug=slug)


@require_POST
def freeze_draft(request: HttpRequest, slug: str) -> HttpResponse:
    version = freeze(study=research_place_or_404(request, slug).study)
    frozen = gettext(
        "Version %(number)s is frozen. Judges that ask about parts can score these prompts now."
    )
    messages.success(request, frozen % {"number": version.number})
    return redirect("prompt-parts", slug=slug)


@require_POST
def save(request: HtmxRequest, slug: str, row_id: int) -> HttpResponse:
    """The parts of one prompt, as a person has corrected them."""
    study = research_place_or_404(request, slug).study
    rows = PromptParts.objects.select_related("prompt", "version")
    row = get_object_or_404(rows, pk=row_id, version__study=study)
    if _used_parts(study, [row.prompt_id]):
        raise JudgeRefused(
            "The parts of this prompt have answers or scores already and must stay as they are."
        )
    parts = drafts.corrected([read(held) for held in row.parts], request.POST.dict())
    drafts.save_parts(row=row, parts=parts)
    if not request.htmx:
        return redirect("prompt-parts", slug=slug)
    context = {"study": study, "card": _card(row, is_used=False)}
    return render(request, "judges/parts_card.html", context)


def _card(row: PromptParts, *, is_used: bool) -> dict[str, Any]:
    parts = [read(held) for held in row.parts]
    return {
        "row": row,
        "prompt": row.prompt,
        "parts": parts,
        "hints": hints(row.prompt.text, parts),
        "is_used": is_used,
    }


def _used_parts(study: Study, prompts: list[int]) -> set[int]:
    rows = Prompt.objects.filter(study=study, pk__in=prompts).filter(used_atoms())
    return set(rows.values_list("pk", flat=True))
