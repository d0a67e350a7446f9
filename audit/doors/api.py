"""The answer of any question that has exhibits, over the REST API."""

from __future__ import annotations

from django.http import Http404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import research_place_or_404
from annotations.api.declared import ALWAYS, refuse_others
from annotations.api.lists import Filters, MessageSerializer, filters, page_of_rows, row_list
from annotations.errors import Refused
from annotations.models import StoredAnswer
from annotations.stored_answers.store import read_answer
from audit.contests.parameters import MADE_FROM, TIES, Parameters
from audit.doors.registry import (
    all_exhibits,
    parameter_names,
    read_parameters,
    refuse_hidden_studies,
    show_body,
)
from audit.questions.leaderboard.question import LEADERBOARD


class QuestionSerializer(serializers.Serializer):
    """A question that has an answer."""

    name = serializers.CharField()
    title = serializers.CharField()
    parameters = serializers.ListField(child=serializers.CharField())


def _parameters() -> list[OpenApiParameter]:
    """Of all questions together; each takes its own alone."""
    takers: dict[str, list[str]] = {}
    for name, exhibits in all_exhibits().items():
        for parameter in parameter_names(exhibits):
            takers.setdefault(parameter, []).append(name)
    return [
        OpenApiParameter(name, OpenApiTypes.STR, description=f"Of {', '.join(takers[name])}.")
        for name in sorted(takers)
    ]


@row_list(QuestionSerializer)
@api_view()
def questions(request: Request, slug: str) -> Response:
    """The questions that have an answer in JSON, and the parameters of each."""
    research_place_or_404(request, slug)
    rows = [
        {"name": name, "title": exhibits.title, "parameters": parameter_names(exhibits)}
        for name, exhibits in sorted(all_exhibits().items())
    ]
    return page_of_rows(request, rows, QuestionSerializer)


@extend_schema(
    parameters=_parameters(),
    responses={200: OpenApiTypes.OBJECT, 202: MessageSerializer},
)
@api_view()
def question(request: Request, slug: str, name: str) -> Response:
    """The answer of a question, as `manage.py answer QUESTION --study STUDY --json` prints it. Of a
    large study a worker computes it first: ask again."""
    study = research_place_or_404(request, slug).study
    if name not in all_exhibits():
        raise Http404
    exhibits = all_exhibits()[name]
    refuse_others(request.query_params, {*parameter_names(exhibits), *ALWAYS})
    given = request.query_params.dict()
    parameters = read_parameters(exhibits, study, given)
    refuse_hidden_studies(exhibits, parameters, request.user)
    answer = read_answer(exhibits.question, study, parameters)
    if answer.body:
        return Response(show_body(exhibits, study, answer.body, given))
    return respond_with(answer, "A worker is computing the answer.")


def respond_with(answer: StoredAnswer, waiting: str) -> Response:
    if answer.content:
        return Response(answer.body)
    if answer.reason:
        raise Refused(answer.reason)
    return Response({"message": waiting}, status=202)


class LeaderboardFilters(Filters):
    question = serializers.CharField(required=False)
    ties = serializers.ChoiceField(choices=list(TIES), required=False)
    slice = serializers.CharField(required=False, help_text="Prompts with this tag only.")
    made_from = serializers.ChoiceField(choices=list(MADE_FROM), required=False)


@extend_schema(
    parameters=[LeaderboardFilters],
    responses={200: OpenApiTypes.OBJECT, 202: MessageSerializer},
)
@api_view()
def leaderboard(request: Request, slug: str) -> Response:
    """The generators by people and by each judge, as `manage.py leaderboard STUDY --json` prints them.
    Of a large study a worker counts them first: ask again."""
    place = research_place_or_404(request, slug)
    asked = Parameters(**filters(request, LeaderboardFilters))
    answer = read_answer(LEADERBOARD, place.study, asked)
    return respond_with(answer, "A worker is counting the votes.")


urlpatterns = [
    path("studies/<slug:slug>/leaderboard/", leaderboard, name="api-leaderboard"),
    path("studies/<slug:slug>/questions/", questions, name="api-questions"),
    path("studies/<slug:slug>/questions/<slug:name>/", question, name="api-question"),
]
