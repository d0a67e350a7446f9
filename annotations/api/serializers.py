"""The REST API's input and output for studies, images and labels."""

from __future__ import annotations

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotations.api.lists import Filters, text_filter
from annotations.api.sent import SentSerializer
from annotations.models import Annotation, Image, PairVote, PromptPicture
from annotations.models.annotation import LANGUAGE_LENGTH


class StudySerializer(serializers.Serializer):
    slug = serializers.CharField(source="study.slug")
    title = serializers.CharField(source="study.title")
    status = serializers.CharField(source="study.status")
    simulated = serializers.BooleanField(source="study.simulated")
    role = serializers.CharField()


class StudyCountsSerializer(serializers.Serializer):
    """For researchers."""

    prompts = serializers.IntegerField()
    images = serializers.IntegerField()
    generators = serializers.IntegerField()
    people = serializers.IntegerField()
    annotations = serializers.IntegerField(help_text="Answered forms that count.")
    labelled = serializers.IntegerField(help_text="Images with at least one.")


class OneStudySerializer(StudySerializer):
    form = serializers.IntegerField(source="study.form_id")
    questions = serializers.ListField(
        child=serializers.DictField(), source="study.form.questions", help_text="Of its form."
    )
    counts = StudyCountsSerializer(allow_null=True, help_text="Null for annotators.")


class NextImageSerializer(serializers.Serializer):
    """What an annotator may know about an image: its picture, its prompt and the questions."""

    image = serializers.CharField()
    address = serializers.CharField()
    prompt = serializers.CharField()
    form = serializers.IntegerField()
    questions = serializers.ListField(child=serializers.DictField())
    language = serializers.CharField(
        allow_blank=True,
        help_text="Of the translation in which the questions stand; empty for the form's own words. "
        "A label that answers them says the same.",
    )
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
                raise serializers.ValidationError("A number, a text or a list of texts is needed.")
        return data

    def to_representation(self, value: Any) -> Any:
        return value


class LabelSerializer(SentSerializer):
    image = serializers.CharField(max_length=22)
    form = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    submission = serializers.UUIDField(default=uuid.uuid4)
    answers = serializers.DictField(child=AnswerField())
    seconds = serializers.FloatField(required=False, allow_null=True)
    language = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=LANGUAGE_LENGTH,
        help_text="Of the form's translation that was shown; empty for its own words.",
    )


class SavedSerializer(serializers.Serializer):
    """The result for one of many labels; `message` says why it was refused."""

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


class PromptPictureSerializer(serializers.Serializer):
    """What belongs to a prompt: the source of an edit, a reference, a mask."""

    place = serializers.CharField()
    address = serializers.SerializerMethodField()
    sha256 = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()

    def get_address(self, picture: PromptPicture) -> str:
        return f"/pictures/{picture.public_id}/"


class PromptSerializer(serializers.Serializer):
    prompt_id = serializers.CharField(source="key")
    prompt = serializers.CharField(source="text")
    tags = serializers.ListField(child=serializers.CharField())
    family = serializers.CharField(
        allow_blank=True,
        help_text="Prompts of one family, as of one template, are drawn together for intervals.",
    )
    atomicity = serializers.IntegerField(allow_null=True)
    metadata = serializers.DictField()
    atoms = AtomSerializer(many=True)
    pictures = PromptPictureSerializer(many=True)


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
    """One person's answers about one image; `rater` is a pseudonym."""

    id = serializers.IntegerField(source="pk")
    image_id = serializers.CharField(source="image.key")
    rater = serializers.SerializerMethodField()
    state = serializers.CharField()
    form = serializers.CharField()
    language = serializers.CharField(
        allow_blank=True, help_text="In which it was asked; empty for the form's own words."
    )
    seconds = serializers.FloatField(allow_null=True)
    submitted_at = serializers.DateTimeField()
    answers = AnsweredSerializer(many=True)

    def get_rater(self, annotation: Annotation) -> str:
        return self.context["name"](annotation.annotator_id)


class PairVoteSerializer(serializers.Serializer):
    """One person's vote on two images, as it stands now; `rater` is a pseudonym."""

    pair_id = serializers.CharField(source="pair.key")
    prompt_id = serializers.CharField(source="pair.prompt.key")
    first = serializers.CharField(source="pair.first.key", help_text="An `image_id`.")
    second = serializers.CharField(source="pair.second.key")
    rater = serializers.SerializerMethodField()
    question = serializers.CharField()
    value = serializers.ChoiceField(choices=PairVote.Value.values)
    left = serializers.CharField(
        allow_blank=True, help_text="Which of the two stood left; empty where nobody knows."
    )
    language = serializers.CharField(
        allow_blank=True, help_text="In which it was asked; empty for the questions' own words."
    )
    seconds = serializers.FloatField(allow_null=True)
    submitted_at = serializers.DateTimeField()

    def get_rater(self, vote: PairVote) -> str:
        return self.context["name"](vote.annotator_id)


class PromptFilters(Filters):
    prompt_id = text_filter("key")


class ImageFilters(Filters):
    prompt_id = text_filter("prompt__key")
    generator = text_filter("generator__name")
    variant = serializers.ChoiceField(choices=Image.Variant.values, required=False)


class AnnotationFilters(Filters):
    image_id = text_filter("image__key")
    generator = text_filter("image__generator__name")
    question = text_filter("answers__question", max_length=80)
    state = serializers.ChoiceField(choices=Annotation.State.values, required=False)


LABEL = {
    "image": "3Jx0c5V1hQk9pZ2a",
    "form": 1,
    "submission": "0b9d6c1e-6f0e-4d55-8f0a-0d7f6a1b2c3d",
    "answers": {"aligned": 1, "quality": 0},
    "seconds": 4.2,
    "language": "",
}
SAVED = {"submission": LABEL["submission"], "status": "saved", "message": ""}
YES_NO = [{"value": 1, "text": "Yes"}, {"value": 0, "text": "No"}]
NEXT = {
    "image": LABEL["image"],
    "address": f"/images/{LABEL['image']}/",
    "prompt": "a red circle left of a blue star",
    "form": 1,
    "questions": [
        {"name": "aligned", "text": "Does the image align with the prompt?", "choices": YES_NO},
        {"name": "quality", "text": "Is the image of good quality?", "choices": YES_NO},
    ],
    "language": "",
    "done": 12,
    "left": 88,
}
