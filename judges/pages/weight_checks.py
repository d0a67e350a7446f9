"""The weights of a judge, checked by a worker before it is started."""

from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, research_place_or_404
from annotations.jobs import JobKind
from annotations.models import Study
from judges import tasks
from judges.models import WeightCheck
from judges.pages.runs import filled_in
from judges.runs import weight_jobs
from judges.runs.ask_judge import Row
from judges.runs.ask_judge import request as request_job
from judges.runs.queries import PART_TITLES
from jurybox_judging import catalogue, registry
from jurybox_judging.engines.shared.memory import gib


@require_POST
def ask(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    measure = request.POST.get("measure") == "1"
    check = request_check(request, study, weight_jobs.KIND, measure=measure)
    return redirect("weight-check", slug=slug, check_id=check.pk)


def request_check(request: HtmxRequest, study: Study, kind: JobKind[Row], **more: Any) -> Row:
    """Of the judge in the form, with the options that it says."""
    judge = request.POST.get("judge", "")
    options = registry.from_text(judge, filled_in(request))
    by = request.user
    check = request_job(kind, study=study, name=judge, options=options, by=by, **more)
    transaction.on_commit(lambda: tasks.call_for(check))
    return check


@require_GET
def check(request: HtmxRequest, slug: str, check_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    asked = _check_or_404(place, check_id)
    entry = catalogue.find(asked.judge)
    context = {
        "study": place.study,
        "check": asked,
        "parts": [_with_sizes(part) for part in asked.parts],
        "title": entry.title if entry else asked.judge,
        "thing": gettext("Weights of %(judge)s, check %(number)s")
        % {"judge": asked.judge, "number": asked.pk},
        "is_known": entry is not None,
        "typed": [(name, _as_typed(value)) for name, value in asked.options.items()],
    }
    template = "judges/weight_check.html"
    if request.htmx:
        template += "#check"
    return render(request, template, context)


@require_GET
def check_file(request: HtmxRequest, slug: str, check_id: int) -> HttpResponse:
    """The same as data."""
    asked = _check_or_404(research_place_or_404(request, slug), check_id)
    told = {
        "judge": asked.judge,
        "options": asked.options,
        "state": asked.state,
        "reason": asked.reason,
        "parts": asked.parts,
    }
    return send_json(told, f"weights-{asked.pk}")


def send_json(body: dict[str, Any], name: str) -> HttpResponse:
    answer = JsonResponse(body, json_dumps_params={"ensure_ascii": False, "indent": 1})
    answer["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return answer


def _with_sizes(part: dict[str, Any]) -> dict[str, Any]:
    """Bytes as the command prints them, and the heading of its options."""
    sizes = {
        name: {key: gib(size) for key, size in part.get(name, {}).items()}
        for name in ("files", "memory", "free")
    }
    official = [
        {**one, "size": gib(one["size"]) if one["size"] else ""} for one in part.get("official", ())
    ]
    title = gettext(PART_TITLES.get(part["part"], part["part"]))
    return {"keys": "", **part, **sizes, "official": official, "title": title}


def _as_typed(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _check_or_404(place: Place, check_id: int) -> WeightCheck:
    return get_object_or_404(WeightCheck, study=place.study, pk=check_id)
