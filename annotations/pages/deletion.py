"""Delete a study: the owner asks for it; the home page shows that it goes on, or why it does not."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotations.access import HtmxRequest, owner_place_or_404
from annotations.errors import StudyRefused
from annotations.models import Deletion
from annotations.studies import deletion as study_deletion


@require_http_methods(["GET", "POST"])
def delete(request: HtmxRequest, slug: str) -> HttpResponse:
    place = owner_place_or_404(request, slug)
    if request.method == "GET":
        return render(request, "annotations/delete.html", {"study": place.study})
    if request.POST.get("name", "").strip() != slug:
        raise StudyRefused(f"Nothing was deleted: type {slug} to delete this study.")
    study_deletion.begin(study=place.study, by=request.user)
    return redirect("home")


@require_POST
def try_again(request: HtmxRequest, deletion_id: int) -> HttpResponse:
    """For the person who began it; nobody else can see the study."""
    deletion = get_object_or_404(Deletion, pk=deletion_id, by=request.user)
    study_deletion.try_again(deletion=deletion)
    return redirect("home")
