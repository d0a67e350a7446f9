"""Copy or delete a study. The page of the copy shows how far its images are; the home page shows that a
deletion goes on, or why it does not."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotations.access import HtmxRequest, owner_place_or_404
from annotations.copies import study as study_copies
from annotations.errors import StudyRefused
from annotations.models import Deletion, Study
from annotations.studies import deletion as study_deletion
from annotations.studies.owners import expect_maker


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


@require_http_methods(["GET", "POST"])
def copy(request: HtmxRequest, slug: str) -> HttpResponse:
    study = owner_place_or_404(request, slug).study
    running = study_copies.copy_of(study)
    if request.method == "GET":
        source = Study.objects.filter(pk=running.source).first() if running else None
        context = {"study": study, "copy": running, "source": source}
        part = "#copied" if request.htmx else ""
        return render(request, f"annotations/copy.html{part}", context)
    expect_maker(request.user, "New studies")
    if "again" in request.POST and running:
        study_copies.try_again(copy=running)
        return redirect("study-copy", slug=slug)
    made = study_copies.begin(
        study=study,
        title=request.POST.get("title", ""),
        images=request.POST.get("with") == "images",
        by=request.user,
    )
    return redirect("study-copy", slug=made.slug)
