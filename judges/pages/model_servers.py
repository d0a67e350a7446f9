"""Ask a model server: named and tried by an administrator, then started like any judge."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_http_methods, require_POST

from annotations.access import PersonsRequest, Place, research_place_or_404
from judges.model_servers import add, trial
from judges.models import ModelServer
from judges.runs.fit import MOST_FOR_ALL, StudyPrompts, group_by_obstacles
from jurybox_judging.errors import JudgeRefused

FIELDS = ("address", "model", "price_in", "price_out", "daily_budget")


@require_http_methods(["GET", "POST"])
def model_servers(request: PersonsRequest, slug: str) -> HttpResponse:
    """POST names a server and tries it; nothing typed is lost but the key."""
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return _page(request, place)
    add.expect_administrator(request.user)
    typed = {name: request.POST.get(name, "") for name in FIELDS}
    try:
        server = add.add_server(
            address=typed["address"],
            model=typed["model"],
            key=request.POST.get("key", ""),
            prices=(
                add.amount(gettext_noop("The price of tokens in"), typed["price_in"]),
                add.amount(gettext_noop("The price of tokens out"), typed["price_out"]),
            ),
            daily_budget=add.amount(gettext_noop("The budget"), typed["daily_budget"]),
            by=request.user,
        )
    except JudgeRefused as refusal:
        return _page(request, place, typed=typed, wrong=refusal.message)
    trial.try_server(server=server)
    return redirect("model-servers", slug=slug)


@require_POST
def try_again(request: PersonsRequest, slug: str, server_id: int) -> HttpResponse:
    research_place_or_404(request, slug)
    add.expect_administrator(request.user)
    trial.try_server(server=_server_or_404(server_id))
    return redirect("model-servers", slug=slug)


@require_POST
def remove(request: PersonsRequest, slug: str, server_id: int) -> HttpResponse:
    research_place_or_404(request, slug)
    add.expect_administrator(request.user)
    server = _server_or_404(server_id)
    add.remove_server(server=server)
    messages.success(request, gettext("Removed: %(name)s.") % {"name": server})
    return redirect("model-servers", slug=slug)


def _server_or_404(server_id: int) -> ModelServer:
    return get_object_or_404(ModelServer, pk=min(server_id, 2**63 - 1))


def _page(
    request: PersonsRequest, place: Place, typed: dict[str, str] | None = None, wrong: str = ""
) -> HttpResponse:
    servers = list(ModelServer.objects.all())
    context = {
        "study": place.study,
        "servers": _cards(place, servers),
        "is_administrator": request.user.is_superuser,
        "typed": typed or {"address": "", "model": ""},
        "wrong": wrong,
    }
    status = 422 if wrong else 200
    return render(request, "judges/model_servers.html", context, status=status)


def _cards(place: Place, servers: list[ModelServer]) -> list[dict[str, Any]]:
    """Each server with the judges that it can serve, those that fit the study first."""
    if not servers:
        return []
    prompts = StudyPrompts(place.study, MOST_FOR_ALL)
    cards = []
    for server in servers:
        entries = trial.judges_of(server)
        fits = prompts.fits(entries)
        judges: list[dict[str, Any]] = [
            {
                "name": name,
                "title": entry.title,
                "fit": fits[name],
                "estimate": trial.estimate(server, fits[name]),
                "options": trial.options_of(server, entry),
            }
            for name, entry in sorted(
                entries.items(), key=lambda pair: fits[pair[0]].scorable, reverse=True
            )
        ]
        unable = [row for row in judges if row["fit"].is_impossible]
        wrong = server.trial.get("wrong", {})
        cards.append(
            {
                "server": server,
                "judges": [row for row in judges if not row["fit"].is_impossible],
                "unable": group_by_obstacles(unable, itemgetter("fit")),
                "wrong": {words for words in wrong.values() if words},
                "works": any(words == "" for words in wrong.values()),
            }
        )
    return cards
