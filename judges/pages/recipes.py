"""Recipes of this installation: read, added and removed by researchers, as text alone."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotations.access import Place, research_place_or_404
from judges import own_recipes
from jurybox_judging.errors import JudgeRefused


@require_http_methods(["GET", "POST"])
def recipes(request: HttpRequest, slug: str) -> HttpResponse:
    """POST adds the recipe that was chosen as a file or typed; nothing typed is lost."""
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return _page(request, place)
    text = request.POST.get("text", "")
    try:
        if file := request.FILES.get("file"):
            text = own_recipes.decoded(file.read(), file.name or gettext_noop("the file"))
        if not text.strip():
            raise JudgeRefused("Choose a file, or write the recipe.")
        added = own_recipes.add(text=text, by=request.user)
    except JudgeRefused as refusal:
        return _page(request, place, text=text, wrong=refusal.message)
    messages.success(request, gettext("Added: %(name)s.") % {"name": added.title})
    return redirect("run-options", slug=slug, judge=added.name)


@require_GET
def recipe_file(request: HttpRequest, slug: str, judge: str) -> HttpResponse:
    """The recipe of any judge: to share, or to begin one's own from."""
    research_place_or_404(request, slug)
    answer = HttpResponse(own_recipes.text_of(judge), content_type="application/toml")
    answer["Content-Disposition"] = f'attachment; filename="{judge}.toml"'
    return answer


@require_POST
def remove(request: HttpRequest, slug: str, judge: str) -> HttpResponse:
    research_place_or_404(request, slug)
    own_recipes.remove(name=judge, by=request.user)
    messages.success(request, gettext("Removed: %(name)s.") % {"name": judge})
    return redirect("recipes", slug=slug)


def _page(request: HttpRequest, place: Place, text: str = "", wrong: str = "") -> HttpResponse:
    context = {
        "study": place.study,
        "rows": own_recipes.rows(request.user),
        "text": text,
        "wrong": wrong,
    }
    return render(request, "judges/recipes.html", context, status=422 if wrong else 200)
