"""Serves an image, or a picture of its prompt, to the people of its study, and to programs with a token.

The address does not say who made it.
"""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required, login_required
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations.access import example_picture_or_404, image_or_404, prompt_picture_or_404
from annotations.models import ExamplePicture, Image, PromptPicture
from annotations.pictures.send import send_picture
from annotations.pictures.store import thumbnail_of

Find = Callable[[HttpRequest, str], Image | PromptPicture]


@login_not_required
def image_file(request: HttpRequest, public_id: str) -> HttpResponseBase:
    return _answer(request, public_id, image_or_404)


@login_not_required
def prompt_picture(request: HttpRequest, public_id: str) -> HttpResponseBase:
    return _answer(request, public_id, prompt_picture_or_404)


def _answer(request: HttpRequest, public_id: str, find: Find) -> HttpResponseBase:
    if "Authorization" in request.headers:
        return _for_programs(request, public_id=public_id, find=find)
    return _for_browsers(request, public_id, find)


@require_safe
@login_required
def _for_browsers(request: HttpRequest, public_id: str, find: Find) -> HttpResponseBase:
    return _send(request, find(request, public_id))


@require_safe
def example_picture(request: HttpRequest, public_id: str) -> HttpResponseBase:
    return _send(request, example_picture_or_404(request, public_id))


class _ForPrograms(APIView):
    """The API's own way in: its tokens, its scopes, its refusals."""

    schema = None

    def get(self, request: Request, public_id: str, find: Find) -> HttpResponseBase:
        image = find(request, public_id)
        self.check_object_permissions(request, image)
        return _send(request, image)


_for_programs = _ForPrograms.as_view()


def _send(request: HttpRequest, image: Image | ExamplePicture | PromptPicture) -> HttpResponseBase:
    if "small" in request.GET:
        return send_picture(thumbnail_of(image.file), otherwise=image.file)
    return send_picture(image.file)
