"""The pages above the studies: home, Vega's script, a sign of life."""

from __future__ import annotations

import gzip

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from audit import queries, vega


@login_required
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"cards": queries.cards(request.user)})


@require_GET
@cache_control(public=True, max_age=86400)
@vary_on_headers("Accept-Encoding")
def vega_embed(request: HttpRequest) -> HttpResponse:
    content = vega.bundle().read_bytes()
    kind = "text/javascript; charset=utf-8"
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(gzip.decompress(content), content_type=kind)
    return HttpResponse(content, content_type=kind, headers={"Content-Encoding": "gzip"})


@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")
