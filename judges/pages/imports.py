"""The page where people send files and watch a worker import them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotations.access import HtmxRequest, Place, research_place_or_404
from annotations.benchmarks.registry import FORMATS
from annotations.errors import ImportRefused
from judges import tasks
from judges.intake import uploads as intake_uploads
from judges.models import Upload
from judges.runs.wake import send

SHOWN = 20


@require_http_methods(["GET", "POST"])
@login_required
def imports(request: HtmxRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    if request.method == "POST":
        _accept(request, place)
        if not request.htmx:
            return redirect("imports", slug=slug)
    return _page(request, place)


@require_POST
@login_required
def try_again(request: HtmxRequest, slug: str, upload_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    upload = get_object_or_404(Upload, study=place.study, pk=upload_id)
    intake_uploads.try_again(upload=upload)
    transaction.on_commit(lambda: send(tasks.import_upload_task, upload.pk))
    return _page(request, place) if request.htmx else redirect("imports", slug=slug)


def _accept(request: HtmxRequest, place: Place) -> None:
    sent = request.FILES.get("file")
    if sent is None:
        raise ImportRefused("Choose a file to import.")
    upload = intake_uploads.accept(
        study=place.study,
        by=request.user,
        content=sent,
        name=sent.name or "",
        kind=request.POST.get("kind", ""),
        format=request.POST.get("format", ""),
        generator=request.POST.get("generator", "").strip(),
        judge=request.POST.get("judge", "").strip(),
        dry_run="dry_run" in request.POST,
        strict="strict" in request.POST,
        key=request.POST.get("key", "")[:80],
    )
    transaction.on_commit(lambda: send(tasks.import_upload_task, upload.pk))


def _page(request: HtmxRequest, place: Place) -> HttpResponse:
    uploads = list(Upload.objects.filter(study=place.study).select_related("by")[:SHOWN])
    context = {
        "study": place.study,
        "may_research": True,
        "uploads": uploads,
        "importing": any(upload.is_open for upload in uploads),
        "formats": [(name, known.title) for name, known in FORMATS.items()],
        "kinds": Upload.Kind.choices,
    }
    template = "judges/imports.html"
    if request.htmx:
        template += "#uploads"
    return render(request, template, context)
