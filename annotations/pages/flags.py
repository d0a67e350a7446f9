"""The images that people flagged, for the owner to settle."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotations.access import HtmxRequest, Place, owner_place_or_404, research_place_or_404
from annotations.exports import pseudonyms
from annotations.models import Flag
from annotations.studies import flags as study_flags

FLAGGED_PER_PAGE = 30


@require_GET
def flags(request: HtmxRequest, slug: str) -> HttpResponse:
    return _flags(request, research_place_or_404(request, slug))


@require_POST
def flag_change(request: HtmxRequest, slug: str, flag_id: int) -> HttpResponse:
    """Settle a flag with a remark, or put it back among the open ones."""
    place = owner_place_or_404(request, slug)
    flag = get_object_or_404(Flag, pk=flag_id, image__study=place.study)
    verb = request.POST.get("do", "")
    if verb == "settle":
        study_flags.settle(flag=flag, remark=request.POST.get("remark", ""), by=request.user)
    elif verb == "put-back":
        study_flags.put_back(flag=flag)
    else:
        raise Http404
    if request.htmx:
        return _flags(request, place)
    return redirect("flags", slug=slug)


def _flags(request: HtmxRequest, place: Place) -> HttpResponse:
    study = place.study
    only_open = "all" not in request.GET
    images = study_flags.flagged_images(study, only_open=only_open)
    page = Paginator(images, FLAGGED_PER_PAGE).get_page(request.GET.get("page"))
    name_of = pseudonyms.naming(study)
    template = "annotations/flags.html"
    if request.htmx:
        template += "#flags"
    context = {
        "study": study,
        "may_change": place.owns,
        "page": page,
        "rows": [
            (image, [(flag, name_of(flag.annotator_id)) for flag in image.flags.all()])
            for image in page
        ],
        "open": study_flags.open_flags(study).count(),
        "total": study_flags.flags_of(study).count(),
        "only_open": only_open,
    }
    return render(request, template, context)
