"""Serves an image to the people of its study. The address does not say who made it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from annotations.access import image_or_404
from annotations.pictures.send import send_picture
from annotations.pictures.store import thumbnail_of


@require_safe
@login_required
def image_file(request: HttpRequest, public_id: str) -> HttpResponseBase:
    image = image_or_404(request, public_id)
    if "small" in request.GET:
        return send_picture(thumbnail_of(image.file), otherwise=image.file)
    return send_picture(image.file)
