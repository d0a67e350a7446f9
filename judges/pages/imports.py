"""The page where people send files and watch a worker import them."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotations.access import PersonsRequest, research_place_or_404
from annotations.models import Study
from judges import tasks
from judges.intake import uploads as intake_uploads
from judges.models import Upload
from judges.pages import bring
from judges.runs.queries import has_scores

SHOWN = 20


@require_http_methods(["GET", "POST"])
def imports(request: PersonsRequest, slug: str) -> HttpResponse:
    place = research_place_or_404(request, slug)

    def show(refusal: str = "") -> HttpResponse:
        return _page(request, place.study, refusal)

    return bring.change(request, place.study, show) if request.method == "POST" else show()


@require_POST
def try_again(request: PersonsRequest, slug: str, upload_id: int) -> HttpResponse:
    place = research_place_or_404(request, slug)
    upload = get_object_or_404(Upload, study=place.study, pk=upload_id)
    intake_uploads.try_again(upload=upload)
    transaction.on_commit(lambda: tasks.call_for(upload))
    return _page(request, place.study) if request.htmx else redirect("imports", slug=slug)


def _page(request: PersonsRequest, study: Study, refusal: str = "") -> HttpResponse:
    uploads = list(Upload.objects.filter(study=study).select_related("by")[:SHOWN])
    importing = [upload for upload in uploads if upload.is_open]
    context = bring.context_of(request, study) | {
        "study": study,
        "uploads": uploads,
        "importing": bool(importing),
        "importing_fresh": any(upload.is_fresh for upload in importing),
        "has_images": study.images.exists(),
        "has_scores": has_scores(study),
        "refusal": refusal,
    }
    template = "judges/imports.html"
    if request.htmx:
        found = request.htmx.target == "found"
        template = "judges/delivery.html#found" if found else f"{template}#uploads"
    return render(request, template, context, status=422 if refusal else 200)
