"""The answer of any question that has exhibits, over the REST API."""

from __future__ import annotations

from django.http import Http404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import research_place_or_404
from annotations.api.lists import MessageSerializer
from annotations.errors import Refused
from annotations.stored_answers.store import read_answer
from audit.doors.registry import all_exhibits, read_parameters


@extend_schema(
    responses={
        200: OpenApiTypes.OBJECT,
        202: MessageSerializer,
        400: MessageSerializer,
        403: MessageSerializer,
        404: None,
    },
)
@api_view()
def question(request: Request, slug: str, name: str) -> Response:
    """The answer of a question, as `manage.py answer QUESTION --study STUDY --json` prints it. Of a
    large study a worker computes it first: ask again."""
    study = research_place_or_404(request, slug).study
    if name not in all_exhibits():
        raise Http404
    exhibits = all_exhibits()[name]
    parameters = read_parameters(exhibits, request.query_params.dict())
    answer = read_answer(exhibits.question, study, parameters)
    if answer.content:
        return Response(answer.body)
    if answer.reason:
        raise Refused(answer.reason)
    return Response({"message": "A worker is computing the answer."}, status=202)


urlpatterns = [path("studies/<slug:slug>/questions/<slug:name>/", question, name="api-question")]
