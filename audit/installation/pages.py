"""Pages outside the studies: home, Vega's script, and what probes and Prometheus ask."""

from __future__ import annotations

import gzip
import logging
import secrets
import sys

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.csrf import csrf_failure
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django.views.defaults import server_error as default_server_error

from annotations.access import HtmxRequest, PersonsRequest
from annotations.api.problems import refusal_response
from annotations.database.read_only import cannot_write
from annotations.middleware import CANNOT_WRITE
from annotations.models import Deletion
from annotations.studies import owners
from audit import demo
from audit.installation import health, vega_script
from audit.pages import home_cards
from audit.tasks import make_demo_task
from judges.runs.wake import send

logger = logging.getLogger(__name__)


def out_of_date(request: HttpRequest, reason: str = "") -> HttpResponse:
    """For a form that was made before the log-in. It sets no cookie: what a page sent while it was
    closed would else spoil the log-in form that is open by now."""
    answer = csrf_failure(request, reason=reason)
    request.META["CSRF_COOKIE_NEEDS_UPDATE"] = False
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """For what breaks outside of the pages, in a middleware: a full disk, or a database that does not
    answer, says so there, too."""
    error = sys.exc_info()[1]
    if isinstance(error, Exception) and cannot_write(error):
        logger.error("cannot write: %s", error)
        if request.path.startswith("/api/"):
            return refusal_response(CANNOT_WRITE, 503)
        return HttpResponse(render_to_string("503.html"), status=503)
    return default_server_error(request)


@require_GET
def home(request: HtmxRequest) -> HttpResponse:
    cards = home_cards.cards(request.user)
    context = {
        "cards": cards,
        "deletions": Deletion.objects.filter(by=request.user.pk or 0).order_by("pk"),
        "may_make_studies": owners.may_make_studies(request.user),
        "only_labels": bool(cards) and not any(card.may_research for card in cards),
        "has_demo": any(card.study.slug == demo.SLUG for card in cards),
    }
    template = "home.html#cards" if request.htmx else "home.html"
    return render(request, template, context)


@require_POST
def make_demo(request: PersonsRequest) -> HttpResponse:
    """The study is there at once; a worker draws its pictures and starts the judges."""
    study = demo.begin(request.user)
    send(make_demo_task, study.pk)
    return redirect("home")


@login_not_required
@require_GET
@cache_control(public=True, max_age=86400)
@vary_on_headers("Accept-Encoding")
def vega_embed(request: HttpRequest) -> HttpResponse:
    content = vega_script.bundle().read_bytes()
    kind = "text/javascript; charset=utf-8"
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(gzip.decompress(content), content_type=kind)
    return HttpResponse(content, content_type=kind, headers={"Content-Encoding": "gzip"})


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Whether pages can work, part by part, in words that give nothing away to strangers."""
    findings = health.needed_now()
    text = "".join(f"{finding.part}: {finding.state}\n" for finding in findings)
    broken = [finding for finding in findings if finding.state == "broken"]
    for finding in broken:
        logger.error("not ready: %s: %s", finding.part, finding.words)
    return HttpResponse(text, content_type="text/plain", status=503 if broken else 200)


@login_not_required
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Without METRICS_TOKEN, the page does not exist (404)."""
    token = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not token or not secrets.compare_digest(given.encode(), token.encode()):
        raise Http404
    from audit.installation.metrics import text

    content, kind = text()
    return HttpResponse(content, content_type=kind)
