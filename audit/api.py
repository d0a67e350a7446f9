"""The REST API, thin: the same verbs and queries as the pages, the same blindness."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.http import Http404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.authtoken.views import obtain_auth_token
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations import assigning, labelling
from annotations.access import place_or_404, research_place_or_404
from annotations.errors import LabelRefused
from annotations.models import Image
from annotations.queries import memberships_of, progress
from audit import queries
from judges import running, tasks
from judges.queries import run_row, run_rows


class StudySerializer(serializers.Serializer):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    status = serializers.CharField(source="study.status")
    simulated = serializers.BooleanField(source="study.simulated")
    role = serializers.CharField()


class NextImageSerializer(serializers.Serializer):
    """What an annotator may know of an image: its picture, its prompt and the questions."""

    image = serializers.CharField()
    address = serializers.CharField()
    prompt = serializers.CharField()
    form = serializers.IntegerField()
    questions = serializers.ListField(child=serializers.DictField())
    done = serializers.IntegerField()
    left = serializers.IntegerField()


class LabelSerializer(serializers.Serializer):
    image = serializers.CharField(max_length=22)
    form = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    submission = serializers.UUIDField(default=uuid.uuid4)
    answers = serializers.DictField(child=serializers.FloatField())
    seconds = serializers.FloatField(required=False, allow_null=True)


class RunSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="run.pk")
    judge = serializers.CharField(source="run.judge.name")
    fingerprint = serializers.CharField(source="run.judge.fingerprint")
    state = serializers.CharField(source="run.state")
    reason = serializers.CharField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    expected = serializers.IntegerField()


class StartRunSerializer(serializers.Serializer):
    judge = serializers.CharField(max_length=120)
    options = serializers.DictField(required=False, default=dict)


@extend_schema(responses=StudySerializer(many=True))
@api_view()
def studies(request: Request) -> Response:
    return Response(StudySerializer(memberships_of(request.user), many=True).data)


@extend_schema(request=None, responses={200: NextImageSerializer, 204: None})
@api_view(["POST"])
def next_image(request: Request, slug: str) -> Response:
    """Take the next image into hand; 204 when nothing is left for this person."""
    place = place_or_404(request, slug)
    assignment = assigning.next_image(annotator=place.membership)
    if assignment is None:
        return Response(status=204)
    image, form = assignment.image, place.study.form
    mine = progress(place.membership)
    found = {
        "image": image.public_id,
        "address": f"/images/{image.public_id}/",
        "prompt": image.prompt.text,
        "form": form.pk,
        "questions": form.questions,
        "done": mine.mine,
        "left": mine.left,
    }
    return Response(NextImageSerializer(found).data)


@extend_schema(request=LabelSerializer, responses={201: LabelSerializer})
@api_view(["POST"])
def labels(request: Request, slug: str) -> Response:
    """Save one person's answers about one image; the same submission twice is saved once."""
    place = place_or_404(request, slug)
    sent = LabelSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    image = Image.objects.filter(study=place.study, public_id=given["image"]).first()
    if image is None:
        raise Http404
    if given["form"] != place.study.form_id:
        raise LabelRefused("The questions of this study have changed; ask for the image again.")
    labelling.record_label(
        image=image,
        annotator=place.membership,
        form=place.study.form,
        answers=given["answers"],
        submission=given["submission"],
        seconds=given.get("seconds"),
    )
    return Response(sent.data, status=201)


@extend_schema(methods=["GET"], responses=RunSerializer(many=True))
@extend_schema(methods=["POST"], request=StartRunSerializer, responses={202: RunSerializer})
@api_view(["GET", "POST"])
def runs(request: Request, slug: str) -> Response:
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return Response(RunSerializer(run_rows(place.study), many=True).data)
    sent = StartRunSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    run = running.start_run(
        study=place.study,
        name=sent.validated_data["judge"],
        options=sent.validated_data["options"],
        by=request.user,
    )
    transaction.on_commit(lambda: tasks.wake(run))
    return Response(RunSerializer(run_row(run)).data, status=202)


@extend_schema(responses={200: OpenApiTypes.OBJECT})
@api_view()
def report(request: Request, slug: str) -> Response:
    """The newest report, as `manage.py report STUDY --json` prints it."""
    place = research_place_or_404(request, slug)
    newest = queries.newest_report(place.study)
    if newest is None:
        raise Http404
    return Response(newest.body)


urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("token/", obtain_auth_token, name="api-token"),
    path("studies/", studies, name="api-studies"),
    path("studies/<slug:slug>/next/", next_image, name="api-next"),
    path("studies/<slug:slug>/labels/", labels, name="api-labels"),
    path("studies/<slug:slug>/runs/", runs, name="api-runs"),
    path("studies/<slug:slug>/report/", report, name="api-report"),
]
