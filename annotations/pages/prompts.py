"""The prompts of a study: the list, making some by a benchmark's rules, writing one's own."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from annotations.access import research_place_or_404
from annotations.bounded_numbers import read_whole
from annotations.errors import ImportRefused
from annotations.imports import new_prompts
from annotations.imports.outcome import Outcome
from annotations.models import Atom, Image, Prompt, Study
from jurybox_formats import registry

PER_PAGE = 100
SHOWN, EDITABLE = 10, 50
USUAL_COUNT = 100


@require_GET
def prompts(request: HttpRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    context = {
        "study": place.study,
        "q": words,
        "page": Paginator(_list_prompts(place.study, words), PER_PAGE).get_page(
            request.GET.get("page")
        ),
        "any": bool(words) or place.study.prompts.exists(),
    }
    return render(request, "annotations/prompts.html", context)


def prompt_make(request: HttpRequest, slug: str) -> HttpResponse:
    """POST: show ten of what would be made, or, with `make`, write them."""
    study = research_place_or_404(request, slug).study
    given = request.POST
    context = {
        "study": study,
        "thing": gettext("Make prompts"),
        "makers": [(name, new_prompts.TITLES.get(name, name)) for name in registry.MAKERS],
        "maker": given.get("maker", "geneval2"),
        "count": given.get("count", USUAL_COUNT),
        "seed": given.get("seed", "0"),
        "most": new_prompts.MOST_MADE,
    }
    if request.method != "POST":
        return render(request, "annotations/prompt_make.html", context)
    try:
        records = new_prompts.make(
            maker=given.get("maker", ""),
            seed=_whole("The seed", given.get("seed", "")),
            count=_whole("The number", given.get("count", "")),
        )
    except ImportRefused as refusal:
        context["wrong"] = refusal.message
        return render(request, "annotations/prompt_make.html", context, status=422)
    if "make" in given:
        outcome = new_prompts.write(study=study, records=records)
        return _report_outcome(request, study, outcome)
    plan = new_prompts.sort_out(study=study, records=records)
    step = max(1, len(plan.new) // SHOWN)
    context |= {"plan": plan, "shown": plan.new[::step][:SHOWN]}
    return render(request, "annotations/prompt_make.html", context)


def prompt_write(request: HttpRequest, slug: str) -> HttpResponse:
    """POST: show the atoms with their questions to change, or, with `write`, write them."""
    study = research_place_or_404(request, slug).study
    text = request.POST.get("prompts", "")
    context = {
        "study": study,
        "thing": gettext("Write prompts"),
        "text": text,
        "editable": EDITABLE,
        "most": new_prompts.MOST_WRITTEN,
        "longest": new_prompts.LONGEST_QUESTION,
    }
    if request.method != "POST":
        return render(request, "annotations/prompt_write.html", context)
    changed = {
        name.removeprefix("question-"): request.POST[name]
        for name in request.POST
        if name.startswith("question-")
    }
    try:
        records = new_prompts.write_down(text, changed)
    except ImportRefused as refusal:
        context["wrong"] = refusal.message
        return render(request, "annotations/prompt_write.html", context, status=422)
    if "write" in request.POST:
        outcome = new_prompts.write(study=study, records=records)
        return _report_outcome(request, study, outcome)
    plan = new_prompts.sort_out(study=study, records=new_prompts.write_down(text))
    shown = [
        (
            record,
            [
                (atom, f"{record.key}.{atom.index}", changed.get(f"{record.key}.{atom.index}"))
                for atom in record.atoms
            ],
        )
        for record in plan.new[:EDITABLE]
    ]
    context |= {"plan": plan, "shown": shown, "hidden": len(plan.new) - len(shown)}
    return render(request, "annotations/prompt_write.html", context)


def _report_outcome(request: HttpRequest, study: Study, outcome: Outcome) -> HttpResponse:
    messages.success(request, outcome.as_text().replace("\n", " "))
    return redirect("prompts", slug=study.slug)


def _list_prompts(study: Study, words: str) -> QuerySet[Prompt]:
    """With the numbers of their atoms and images, counted for the rows that are shown only."""

    def count(model: type[Atom] | type[Image]) -> Coalesce:
        rows = model._base_manager.filter(prompt=OuterRef("pk")).order_by().values("prompt")
        counted = rows.annotate(n=Count("pk")).values("n")
        return Coalesce(Subquery(counted, output_field=IntegerField()), 0)

    rows = Prompt.objects.filter(study=study)
    if words:
        found = Q(text__icontains=words) | Q(key__icontains=words) | Q(tags__icontains=words)
        found |= Q(family__icontains=words)
        rows = rows.filter(found)
    return rows.annotate(atom_count=count(Atom), image_count=count(Image)).order_by("key")


def _whole(name: str, text: str) -> int:
    value = read_whole(text)
    if value is None:
        raise ImportRefused(f"{name} is a whole number, not “{text[:40]}”.")
    return value
