"""Comments beside an image: by those who run the study, for each other."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from annotations import event_log
from annotations.access import HtmxRequest, NotYours, Place, research_place_or_404
from annotations.errors import Refused
from annotations.models import Image
from audit.models import Comment


@require_POST
def add_comment(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    place = research_place_or_404(request, slug)
    image = get_object_or_404(Image, study=place.study, public_id=public_id)
    text = request.POST.get("text", "").strip()
    if not text:
        raise Refused(gettext("Write something first."))
    if len(text) > Comment.LONGEST:
        words = gettext("A comment has at most %(most)s characters; this one has %(count)s.")
        raise Refused(words % {"most": Comment.LONGEST, "count": len(text)})
    Comment.objects.create(study=place.study, image=image, text=text, by=place.user)
    return _answer(request, place, image)


@require_POST
def delete_comment(request: HtmxRequest, slug: str, comment_id: int) -> HttpResponse:
    """By its writer, or an owner."""
    place = research_place_or_404(request, slug)
    comments = Comment.objects.select_related("image")
    comment = get_object_or_404(comments, study=place.study, pk=comment_id)
    if not place.owns and comment.by_id != place.user.pk:
        raise NotYours(gettext("Only its writer and the study's owner can delete a comment."))
    with transaction.atomic():
        comment.delete()
        image = comment.image
        event_log.note(
            place.study.pk, "comment deleted", f"deleted a comment on the image {image.key}"
        )
    return _answer(request, place, image)


def comments_context(place: Place, image: Image) -> dict[str, object]:
    rows = image.comments.select_related("by")
    return {
        "study": place.study,
        "image": image,
        "longest": Comment.LONGEST,
        "comments": [
            {"row": row, "may_delete": place.owns or row.by_id == place.user.pk} for row in rows
        ],
    }


def _answer(request: HtmxRequest, place: Place, image: Image) -> HttpResponse:
    if not request.htmx:
        return redirect(
            reverse("data-image", args=[place.study.slug, image.public_id]) + "#comments"
        )
    context = comments_context(place, image)
    return render(request, "audit/partials/comments.html", context)
