"""The REST API for studies, images and labels; annotators see as little as on the pages."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils import translation
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import (
    Place,
    owner_place_or_404,
    place_or_404,
    places_of,
    research_place_or_404,
)
from annotations.api.lists import (
    FIELDS,
    MessageSerializer,
    filters,
    first_of_parts,
    one,
    page,
    page_of_rows,
    paged_list,
    request_and_answer,
    row_list,
)
from annotations.api.once import KEY, once_per_key
from annotations.api.serializers import (
    LABEL,
    NEXT,
    SAVED,
    AnnotationFilters,
    AnnotationSerializer,
    ImageFilters,
    ImageSerializer,
    LabelSerializer,
    NextImageSerializer,
    OneStudySerializer,
    PairVoteSerializer,
    PromptFilters,
    PromptSerializer,
    SavedSerializer,
    StudySerializer,
)
from annotations.errors import LabelRefused, Refused
from annotations.exports.pseudonyms import naming
from annotations.forms.versions import definitions_in, shown_language
from annotations.labelling import assign, record
from annotations.labelling.queries import progress
from annotations.models import Annotation, FormVersion, Image, PairVote, Prompt
from annotations.studies import deletion, queries

HEADER = OpenApiParameter(
    "Accept-Language",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description=(
        "In which language the questions are wanted, such as `zh-hans` or `de`; without it, the one that the account "
        "has chosen. They come in it where the form has that translation, else in the form’s own words."
    ),
)


MOST = 1000


@row_list(StudySerializer)
@api_view()
def studies(request: Request) -> Response:
    """The studies that you see, and as what."""
    return page_of_rows(request, places_of(request.user), StudySerializer)


@extend_schema(methods=["GET"], parameters=[FIELDS], responses=OneStudySerializer)
@extend_schema(
    methods=["DELETE"],
    operation_id="delete_study",
    request=None,
    responses={202: MessageSerializer},
)
@api_view(["GET", "DELETE"])
def study(request: Request, slug: str) -> Response:
    """A study, its questions and, for researchers, how much it holds. DELETE, for its owner, closes it
    at once; its rows go in the background."""
    if request.method == "GET":
        place = place_or_404(request, slug)
        counts = queries.counts(place.study) if place.may_research else None
        shown = {"study": place.study, "role": place.role, "counts": counts}
        return one(request, OneStudySerializer(shown))
    place = owner_place_or_404(request, slug)
    deletion.begin(study=place.study, by=request.user)
    return Response({"message": "The study is closed and will be deleted."}, status=202)


@extend_schema(
    operation_id="next_image",
    request=None,
    responses={200: NextImageSerializer, 204: None, 409: MessageSerializer},
    parameters=[HEADER],
    examples=request_and_answer("An image and its questions", None, NEXT, status=200),
)
@api_view(["POST"])
def next_image(request: Request, slug: str) -> Response:
    """Lease the next image, its questions in the language of the request; 204 when nothing is left for
    this person."""
    place = place_or_404(request, slug)
    assignment = assign.next_image(annotator=place.membership)
    if assignment is None and place.membership.must_practise:
        raise LabelRefused("Pass the qualification on the label page first; then images come.")
    if assignment is None:
        return Response(status=204)
    image, form = assignment.image, place.study.form
    mine, language = progress(place.membership), language_for(request, form)
    data = {
        "image": image.public_id,
        "address": f"/images/{image.public_id}/",
        "prompt": image.prompt.text,
        "form": form.pk,
        "questions": definitions_in(form, language),
        "language": language,
        "done": mine.mine,
        "left": mine.left,
    }
    return Response(NextImageSerializer(data).data)


@extend_schema(
    operation_id="save_label",
    request=LabelSerializer,
    responses={201: LabelSerializer, 409: MessageSerializer},
    parameters=[KEY],
    examples=request_and_answer("A yes and a no", LABEL, LABEL, status=201),
)
@api_view(["POST"])
@once_per_key
def labels(request: Request, slug: str) -> Response:
    """Save one person's answers about one image; the same submission twice is saved once."""
    place = place_or_404(request, slug)
    sent = LabelSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    _record(place, sent.validated_data)
    return Response(sent.data, status=201)


@extend_schema(
    operation_id="save_labels",
    request=LabelSerializer(many=True),
    responses={200: SavedSerializer(many=True)},
    parameters=[KEY],
    examples=request_and_answer("One label", LABEL, SAVED, status=200),
)
@api_view(["POST"])
@once_per_key
def labels_bulk(request: Request, slug: str) -> Response:
    """Up to 1,000 labels of one person in one request, each saved or refused by itself."""
    place = place_or_404(request, slug)
    data = request.data
    if not isinstance(data, list) or not 1 <= len(data) <= MOST:
        raise serializers.ValidationError({"detail": f"A list of 1 to {MOST} labels is needed."})
    sent = LabelSerializer(data=data, many=True)
    sent.is_valid(raise_exception=True)
    results = []
    for given in sent.validated_data:
        saved = {"submission": given["submission"], "status": "saved", "message": ""}
        try:
            _record(place, given)
        except Http404:
            saved |= {"status": "refused", "message": "The study has no such image."}
        except Refused as refusal:
            saved |= {"status": "refused", "message": refusal.message}
        results.append(saved)
    return Response(SavedSerializer(results, many=True).data)


@paged_list(PromptSerializer, PromptFilters)
@api_view()
def prompts(request: Request, slug: str) -> Response:
    """The prompts of a study, with their atoms."""
    place = research_place_or_404(request, slug)
    rows = Prompt.objects.filter(study=place.study, **filters(request, PromptFilters))
    return page(request, rows.prefetch_related("atoms", "pictures"), PromptSerializer)


@paged_list(ImageSerializer, ImageFilters)
@api_view()
def images(request: Request, slug: str) -> Response:
    """The images of a study and who made them; for researchers only."""
    place = research_place_or_404(request, slug)
    rows = Image.objects.filter(study=place.study, **filters(request, ImageFilters))
    return page(request, rows.select_related("prompt", "generator"), ImageSerializer)


@extend_schema(parameters=[FIELDS], responses=ImageSerializer)
@api_view()
def image(request: Request, slug: str, image_id: str) -> Response:
    """One image by its `image_id`; for researchers only."""
    place = research_place_or_404(request, slug)
    rows = Image.objects.filter(study=place.study).select_related("prompt", "generator")
    return one(request, ImageSerializer(get_object_or_404(rows, key=image_id)))


@paged_list(AnnotationSerializer, AnnotationFilters, operation_id="list_annotations")
@api_view()
def all_annotations(request: Request, slug: str) -> Response:
    """Everybody's answers; for researchers only."""
    place = research_place_or_404(request, slug)
    chosen = filters(request, AnnotationFilters)
    rows = (
        Annotation.objects.filter(study=place.study, **chosen)
        .select_related("image", "form")
        # Of a form its name is shown, of an image its key.
        .defer("form__definition", "image__metadata", "image__gold")
        .prefetch_related("answers__atom")
    )
    if chosen.keys() <= {"state"}:
        states = [chosen["state"]] if chosen else Annotation.State.values
        ours = Annotation.objects.filter(study=place.study)
        rows = rows.filter(pk__in=first_of_parts(request, ours, "state", states))
    # Only a form's answers can bring it twice; telling forms apart reads all of them.
    rows = rows.distinct() if "answers__question" in chosen else rows
    return page(request, rows, AnnotationSerializer, name=naming(place.study))


@paged_list(PairVoteSerializer, operation_id="list_votes")
@api_view()
def all_votes(request: Request, slug: str) -> Response:
    """Everybody's votes on pairs, without those that were corrected or taken back; for researchers only."""
    place = research_place_or_404(request, slug)
    rows = PairVote.objects.filter(study=place.study, current=True)
    rows = rows.select_related("pair__prompt", "pair__first", "pair__second")
    return page(request, rows, PairVoteSerializer, name=naming(place.study))


def _record(place: Place, given: dict[str, Any]) -> None:
    image = Image.objects.filter(study=place.study, public_id=given["image"]).first()
    if image is None:
        raise Http404
    if given["form"] != place.study.form_id:
        raise LabelRefused("The questions of this study have changed; ask for the image again.")
    record.record_label(
        image=image,
        annotator=place.membership,
        form=place.study.form,
        answers=given["answers"],
        submission=given["submission"],
        seconds=given.get("seconds"),
        language=given["language"],
    )


urlpatterns = [
    path("studies/", studies, name="api-studies"),
    path("studies/<slug:slug>/", study, name="api-study"),
    path("studies/<slug:slug>/next/", next_image, name="api-next"),
    path("studies/<slug:slug>/labels/", labels, name="api-labels"),
    path("studies/<slug:slug>/labels/bulk/", labels_bulk, name="api-labels-bulk"),
    path("studies/<slug:slug>/prompts/", prompts, name="api-prompts"),
    path("studies/<slug:slug>/images/", images, name="api-images"),
    path("studies/<slug:slug>/images/<path:image_id>/", image, name="api-image"),
    path("studies/<slug:slug>/annotations/", all_annotations, name="api-annotations"),
    path("studies/<slug:slug>/votes/", all_votes, name="api-votes"),
]


def language_for(request: Request, version: FormVersion) -> str:
    """Of the form's translations; empty for its own words. A page asked for this language shows the same."""
    with translation.override(_find_language(request)):
        return shown_language(version)


def _find_language(request: Request) -> str:
    header = request.headers.get("Accept-Language", "")
    for code, _ in parse_accept_lang_header(header):
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return "en" if header else request.account_language()  # type: ignore[attr-defined]
