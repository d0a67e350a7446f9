"""Use a jury: below what it gains, the button that makes it a judge of the study."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, research_place_or_404
from audit.doors.page import Actions, QuestionPage
from audit.doors.registry import read_parameters
from audit.questions.jury.adopt import adopt, jury_runs
from audit.questions.jury.exhibits import EXHIBITS
from audit.words.report import title


def show_use(page: QuestionPage) -> Actions:
    used = [run.judge.fingerprint for run in jury_runs(page.study.pk)]
    context = {
        "chosen": page.query,
        "judges": [{**one, "title": title(one["judge"])} for one in page.body.get("judges", [])],
        "used": len(used),
    }
    return Actions("audit/partials/jury.html", context, used)


@require_GET
def choose(request: HtmxRequest, slug: str) -> HttpResponse:
    """The boxes that are ticked, as the page's address has them."""
    research_place_or_404(request, slug)
    chosen = {
        "members": ",".join(request.GET.getlist("member")),
        "way": request.GET.get("way", ""),
    }
    query = urlencode({name: value for name, value in chosen.items() if value})
    return redirect(f"{reverse('jury', args=[slug])}?{query}")


@require_POST
def use(request: HtmxRequest, slug: str) -> HttpResponse:
    study = research_place_or_404(request, slug).study
    parameters = read_parameters(EXHIBITS, study, request.POST.dict())
    adopt(study=study, parameters=parameters, by=request.user)
    messages.success(request, gettext("The jury is a judge of this study now."))
    return redirect("runs", slug=slug)
