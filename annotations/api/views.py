"""The API of studies, images and labels: the same verbs as the pages, and the same blindness."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import Place, place_or_404, research_place_or_404
from annotations.api.lists import Filters, MessageSerializer, filters, listed, page
from annotations.errors import LabelRefused, Refused
from annotations.exports.pseudonyms import naming
from annotations.labelling import assign as assigning
from annotations.labelling import record as labelling
from annotations.labelling.queries import memberships_of, progress
from annotations.models import Annotation, Image, Prompt

MOST = 1000
KEY = OpenApiParameter(
    "Idempotency-Key",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The same request sent twice with the same key is carried out once.",
)


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


@extend_schema_field(
    {
        "oneOf": [
            {"type": "number"},
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}},
        ]
    }
)
class AnswerField(serializers.Field):
    """A number, a text, or the texts of several choices."""

    def to_internal_value(self, data: Any) -> Any:
        parts = data if isinstance(data, list) else [data]
        for part in parts:
            if not isinstance(part, int | float | str) or isinstance(part, str) and "\0" in part:
                raise serializers.ValidationError("A number, a text or a list of texts is wanted.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class LabelSerializer(serializers.Serializer):
    image = serializers.CharField(max_length=22)
    form = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    submission = serializers.UUIDField(default=uuid.uuid4)
    answers = serializers.DictField(child=AnswerField())
    seconds = serializers.FloatField(required=False, allow_null=True)


class SavedSerializer(serializers.Serializer):
    """What became of one label of many; `message` says why it was refused."""

    submission = serializers.UUIDField()
    status = serializers.ChoiceField(choices=["saved", "refused"])
    message = serializers.CharField(allow_blank=True)


class AtomSerializer(serializers.Serializer):
    index = serializers.IntegerField()
    kind = serializers.CharField()
    text = serializers.CharField()
    question = serializers.CharField()
    expected = serializers.CharField()
    parents = serializers.ListField(child=serializers.IntegerField())


class PromptSerializer(serializers.Serializer):
    prompt_id = serializers.CharField(source="key")
    prompt = serializers.CharField(source="text")
    tags = serializers.ListField(child=serializers.CharField())
    atomicity = serializers.IntegerField(allow_null=True)
    metadata = serializers.DictField()
    atoms = AtomSerializer(many=True)


class ImageSerializer(serializers.Serializer):
    image_id = serializers.CharField(source="key")
    prompt_id = serializers.CharField(source="prompt.key")
    generator = serializers.CharField(source="generator.name")
    variant = serializers.CharField()
    sample = serializers.IntegerField()
    address = serializers.SerializerMethodField()
    sha256 = serializers.CharField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    metadata = serializers.DictField()

    def get_address(self, image: Image) -> str:
        return f"/images/{image.public_id}/" if image.file else ""


class AnsweredSerializer(serializers.Serializer):
    question = serializers.CharField()
    atom = serializers.IntegerField(source="atom.index", allow_null=True, default=None)
    value = serializers.FloatField(allow_null=True)
    text = serializers.CharField()


class AnnotationSerializer(serializers.Serializer):
    """One person's answers about one image; people are called by a pseudonym."""

    id = serializers.IntegerField(source="pk")
    image_id = serializers.CharField(source="image.key")
    rater = serializers.SerializerMethodField()
    state = serializers.CharField()
    form = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    submitted_at = serializers.DateTimeField()
    answers = AnsweredSerializer(many=True)

    def get_rater(self, annotation: Annotation) -> str:
        return self.context["name"](annotation.annotator_id)


class PromptFilters(Filters):
    prompt_id = serializers.CharField(required=False, max_length=200)


class ImageFilters(Filters):
    prompt_id = serializers.CharField(required=False, max_length=200)
    generator = serializers.CharField(required=False, max_length=200)
    variant = serializers.ChoiceField(choices=Image.Variant.values, required=False)


class AnnotationFilters(Filters):
    image_id = serializers.CharField(required=False, max_length=200)
    generator = serializers.CharField(required=False, max_length=200)
    question = serializers.CharField(required=False, max_length=80)
    state = serializers.ChoiceField(choices=Annotation.State.values, required=False)


LABEL = OpenApiExample(
    "A yes and a no",
    {
        "image": "3Jx0c5V1hQk9pZ2a",
        "form": 1,
        "submission": "0b9d6c1e-6f0e-4d55-8f0a-0d7f6a1b2c3d",
        "answers": {"aligned": 1, "quality": 0},
        "seconds": 4.2,
    },
    request_only=True,
)


@extend_schema(responses=StudySerializer(many=True))
@api_view()
def studies(request: Request) -> Response:
    """The studies that you have a place in."""
    return Response(StudySerializer(memberships_of(request.user), many=True).data)


@extend_schema(request=None, responses={200: NextImageSerializer, 204: None, 404: None})
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


@extend_schema(
    request=LabelSerializer,
    responses={
        201: LabelSerializer,
        400: OpenApiTypes.OBJECT,
        404: None,
        409: MessageSerializer,
    },
    examples=[LABEL],
)
@api_view(["POST"])
def labels(request: Request, slug: str) -> Response:
    """Save one person's answers about one image; the same submission twice is saved once."""
    place = place_or_404(request, slug)
    sent = LabelSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    _record(place, sent.validated_data)
    return Response(sent.data, status=201)


@extend_schema(
    request=LabelSerializer(many=True),
    responses={200: SavedSerializer(many=True), 400: OpenApiTypes.OBJECT, 404: None},
    parameters=[KEY],
    examples=[OpenApiExample("One label", [LABEL.value], request_only=True)],
)
@api_view(["POST"])
def labels_bulk(request: Request, slug: str) -> Response:
    """Up to 1,000 labels of one person in one request, each saved or refused by itself."""
    place = place_or_404(request, slug)
    data = request.data
    if not isinstance(data, list) or not 1 <= len(data) <= MOST:
        raise serializers.ValidationError({"detail": f"A list of 1 to {MOST} labels is wanted."})
    key = request.headers.get("Idempotency-Key", "")[:200]
    for number, item in enumerate(data):
        if key and isinstance(item, dict) and "submission" not in item:
            # The same key and place is the same submission, whoever sends it again.
            name = f"{place.study.pk} {request.user.pk} {key} {number}"
            item["submission"] = str(uuid.uuid5(uuid.NAMESPACE_OID, name))
    sent = LabelSerializer(data=data, many=True)
    sent.is_valid(raise_exception=True)
    found = []
    for given in sent.validated_data:
        saved = {"submission": given["submission"], "status": "saved", "message": ""}
        try:
            _record(place, given)
        except Http404:
            saved |= {"status": "refused", "message": "The study has no such image."}
        except Refused as refusal:
            saved |= {"status": "refused", "message": refusal.message}
        found.append(saved)
    return Response(SavedSerializer(found, many=True).data)


@listed(PromptSerializer, PromptFilters)
@api_view()
def prompts(request: Request, slug: str) -> Response:
    """The prompts of a study, with their atoms."""
    place = research_place_or_404(request, slug)
    chosen = filters(request, PromptFilters)
    rows = Prompt.objects.filter(study=place.study).prefetch_related("atoms")
    if "prompt_id" in chosen:
        rows = rows.filter(key=chosen["prompt_id"])
    return page(request, rows, PromptSerializer)


@listed(ImageSerializer, ImageFilters)
@api_view()
def images(request: Request, slug: str) -> Response:
    """The images of a study and who made them; for researchers only."""
    place = research_place_or_404(request, slug)
    names = {"prompt_id": "prompt__key", "generator": "generator__name", "variant": "variant"}
    chosen = {names[name]: value for name, value in filters(request, ImageFilters).items()}
    rows = Image.objects.filter(study=place.study, **chosen).select_related("prompt", "generator")
    return page(request, rows, ImageSerializer)


@listed(AnnotationSerializer, AnnotationFilters)
@api_view()
def annotations(request: Request, slug: str) -> Response:
    """Everybody's answers; for researchers only."""
    place = research_place_or_404(request, slug)
    names = {
        "image_id": "image__key",
        "generator": "image__generator__name",
        "question": "answers__question",
        "state": "state",
    }
    chosen = {names[name]: value for name, value in filters(request, AnnotationFilters).items()}
    rows = (
        Annotation.objects.filter(study=place.study, **chosen)
        .select_related("image", "form")
        .prefetch_related("answers__atom")
        .distinct()
    )
    return page(request, rows, AnnotationSerializer, name=naming(place.study))


def _record(place: Place, given: dict[str, Any]) -> None:
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


urlpatterns = [
    path("studies/", studies, name="api-studies"),
    path("studies/<slug:slug>/next/", next_image, name="api-next"),
    path("studies/<slug:slug>/labels/", labels, name="api-labels"),
    path("studies/<slug:slug>/labels/bulk/", labels_bulk, name="api-labels-bulk"),
    path("studies/<slug:slug>/prompts/", prompts, name="api-prompts"),
    path("studies/<slug:slug>/images/", images, name="api-images"),
    path("studies/<slug:slug>/annotations/", annotations, name="api-annotations"),
]
