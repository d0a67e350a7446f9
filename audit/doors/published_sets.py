"""A judge's place among published ones over the REST API."""

from __future__ import annotations

import io

from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.studies.owners import expect_maker
from audit.test_judge.sent_files import place_sent_files


class TestJudgeSerializer(serializers.Serializer):
    file = serializers.FileField(help_text="The set's own file, or a ZIP of several.")
    scores = serializers.CharField(
        help_text="A table: pair and vote, vote_swapped, or score_a, score_b; image and score; check and "
        "answer."
    )


@extend_schema(
    operation_id="test_judge",
    request={"multipart/form-data": TestJudgeSerializer},
    responses={200: OpenApiTypes.OBJECT, 422: None},
)
@api_view(["POST"])
@parser_classes([MultiPartParser])
def test_judge(request: Request) -> Response:
    """A judge's scores or votes on a published set beside people's, and its place among published
    judges, as `manage.py test_judge --json` prints them. Nothing is kept."""
    expect_maker(request.user, "Tests of judges")
    sent = TestJudgeSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    scores = io.BytesIO(sent.validated_data["scores"].encode())
    return Response(place_sent_files(sent.validated_data["file"], scores))


urlpatterns = [path("test-judge/", test_judge, name="api-test-judge")]
