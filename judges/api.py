"""The API of judges, runs, scores and imports; all of it is for researchers."""

from __future__ import annotations

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import research_place_or_404
from annotations.api.lists import (
    FIELDS,
    Filters,
    filters,
    one,
    page,
    page_by_parts,
    page_of_rows,
    paged_list,
    request_and_answer,
    row_list,
    text_filter,
)
from annotations.api.once import KEY, once_per_key
from annotations.api.sent import SentSerializer, SoundJSON
from judges import own_recipes, tasks
from judges.cards import jobs as card_jobs
from judges.cards.pictures import COUNT, MOST, DrawnImages
from judges.cards.plan import plan
from judges.intake import uploads
from judges.models import Judge, Run, Score, Upload
from judges.runs import lifecycle
from judges.runs.queries import judge_choices, judge_info, run_row, run_rows
from judges.runs.readiness import ABSENT, NEEDS, READY
from jurybox_formats.registry import FORMATS
from jurybox_formats.tools.result_files import READERS
from jurybox_judging.recipes.peoples_unit import UNITS
from jurybox_judging.recipes.read import LARGEST

LARGEST_ID = 2**63 - 1


class RunSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="run.pk")
    judge = serializers.CharField(source="run.judge.name")
    fingerprint = serializers.CharField(help_text="Empty until a worker has read its weights.")
    state = serializers.CharField(source="run.state")
    reason = serializers.CharField()
    done = serializers.IntegerField()
    failed = serializers.IntegerField()
    assumed = serializers.IntegerField(
        help_text="Answers that the model did not tell and that count 0, as in the official code."
    )
    expected = serializers.IntegerField()


class StartRunSerializer(SentSerializer):
    judge = serializers.CharField(max_length=120)
    options = serializers.DictField(
        required=False,
        default=dict,
        help_text="By name, as studies/{slug}/judges/offers/{judge}/ lists them.",
    )


class MeasureSerializer(SentSerializer):
    count = serializers.IntegerField(
        required=False,
        default=COUNT,
        min_value=1,
        max_value=MOST,
        help_text="Images that pictures are made from.",
    )


class MeasurementSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    judge = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    done = serializers.IntegerField()


class ObstacleSerializer(serializers.Serializer):
    """Why some images cannot be scored, and what their prompts lack."""

    reason = serializers.CharField()
    lacks = serializers.CharField()
    images = serializers.IntegerField()


class FitSerializer(serializers.Serializer):
    """How many images the judge can score. Of many prompts some are looked at, evenly drawn."""

    images = serializers.IntegerField()
    scorable = serializers.IntegerField()
    obstacles = ObstacleSerializer(many=True)
    prompts = serializers.IntegerField(help_text="That were looked at.")
    prompts_in_all = serializers.IntegerField()


class OfferSerializer(serializers.Serializer):
    """A judge that can be started, or why it cannot; those that fit the study first."""

    name = serializers.CharField()
    title = serializers.CharField()
    why_not = serializers.CharField()
    started = serializers.BooleanField()
    state = serializers.ChoiceField(choices=[READY, NEEDS, ABSENT], source="readiness.state")
    needs = serializers.CharField(source="readiness.next_steps", help_text="What it needs first.")
    fit = FitSerializer()


class OptionSerializer(serializers.Serializer):
    """What an option of a judge is for, and what it takes."""

    name = serializers.CharField()
    type = serializers.ChoiceField(
        choices=["flag", "whole", "number", "choice", "text", "texts", "fields"]
    )
    default = serializers.JSONField()
    wanted = serializers.CharField(help_text="What its value must be, in words.")
    minimum = serializers.FloatField(allow_null=True)
    maximum = serializers.FloatField(allow_null=True)
    choices = serializers.ListField(child=serializers.CharField())
    longest = serializers.IntegerField(allow_null=True, help_text="Characters of a text.")
    help = serializers.CharField()


class RecipeSerializer(serializers.Serializer):
    """A judge of somebody's own."""

    name = serializers.CharField()
    title = serializers.CharField()
    text = serializers.CharField(help_text="Its recipe, in TOML.")
    added_by = serializers.CharField(source="added_by.username", default="")
    added_at = serializers.DateTimeField()


class AddRecipeSerializer(SentSerializer):
    text = serializers.CharField(max_length=LARGEST, trim_whitespace=False)


class JudgeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Judge
        fields = [
            "name",
            "fingerprint",
            "method",
            "method_version",
            "engine",
            "engine_version",
            "checkpoint",
            "revision",
            "template",
            "precision",
            "options",
            "release_date",
        ]


class ScoreSerializer(serializers.Serializer):
    image_id = serializers.CharField(source="image.key")
    judge = serializers.CharField(source="run.judge.name")
    fingerprint = serializers.CharField(source="run.judge.fingerprint")
    score = serializers.FloatField(source="value", allow_null=True)
    correct = serializers.BooleanField(allow_null=True)
    reason = serializers.CharField()
    error = serializers.CharField()
    evidence = serializers.DictField()


class ScoreFilters(Filters):
    judge = serializers.CharField(required=False, max_length=120)
    image_id = text_filter("image__key")
    generator = text_filter("image__generator__name")
    failed = serializers.BooleanField(
        source="value__isnull", required=False, allow_null=True, default=None
    )


class UploadSerializer(serializers.ModelSerializer):
    name = serializers.CharField()
    kind = serializers.ChoiceField(source="brings", choices=Upload.Brings.choices)
    format = serializers.CharField()
    read = serializers.IntegerField(source="done")
    outcome = serializers.JSONField(source="result")
    dry_run = serializers.BooleanField()
    strict = serializers.BooleanField()

    class Meta:
        model = Upload
        fields = [
            "id",
            "name",
            "kind",
            "format",
            "state",
            "read",
            "dry_run",
            "strict",
            "reason",
            "outcome",
            "created_at",
            "finished_at",
        ]


class SendSerializer(SentSerializer):
    file = serializers.FileField()
    kind = serializers.ChoiceField(choices=Upload.Brings.values, default="study")
    format = serializers.ChoiceField(choices=[*FORMATS, *READERS], default="tidy")
    generator = serializers.CharField(max_length=200, required=False, default="")
    judge = serializers.CharField(max_length=120, required=False, default="")
    grid = serializers.IntegerField(min_value=0, max_value=8, default=0)
    unit = serializers.ChoiceField(
        choices=["", *UNITS],
        default="",
        help_text="What a score is: a share of yes, or its own scale.",
    )
    dry_run = serializers.BooleanField(default=False)
    strict = serializers.BooleanField(default=False)


START = {"judge": "geneval-builtin", "options": {}}
RUN = {
    "id": 7,
    "judge": "geneval-builtin",
    "fingerprint": "0aab96ff6ff9a4ad",
    "state": "running",
    "reason": "",
    "done": 0,
    "failed": 0,
    "assumed": 0,
    "expected": 1600,
}
MEASUREMENT = {
    "id": 12,
    "judge": "geneval-builtin",
    "state": "waiting",
    "reason": "",
    "done": 0,
}
RECIPE_TEXT = """name = "strict-dsg"
title = "DSG, also the grandparents"
released = 2024-04-01
method = "dsg"
options.transitive = true
answers.engine = "builtin"
"""
RECIPE = {
    "name": "strict-dsg",
    "title": "DSG, also the grandparents",
    "text": RECIPE_TEXT,
    "added_by": "alice",
    "added_at": "2026-01-31T12:00:00Z",
}
SENT = {"file": "image_id,rater,question,value\n", "kind": "labels", "format": "tidy"}
UPLOAD = {
    "id": 3,
    "name": "labels.csv",
    "kind": "labels",
    "format": "tidy",
    "state": "waiting",
    "read": 0,
    "dry_run": False,
    "strict": False,
    "reason": "",
    "outcome": {},
    "created_at": "2026-01-31T12:00:00Z",
    "finished_at": None,
}


@row_list(RunSerializer, methods=["GET"])
@extend_schema(
    methods=["POST"],
    operation_id="start_run",
    parameters=[KEY],
    request=StartRunSerializer,
    responses={202: RunSerializer, 422: None},
    examples=request_and_answer("The built-in judge", START, RUN, status=202),
)
@api_view(["GET", "POST"])
@once_per_key
def runs(request: Request, slug: str) -> Response:
    """The runs of a study; POST starts one, or continues it where it stopped."""
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return page_of_rows(request, run_rows(place.study), RunSerializer)
    sent = StartRunSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    run = lifecycle.start_run(
        study=place.study,
        name=sent.validated_data["judge"],
        options=sent.validated_data["options"],
        by=request.user,
    )
    transaction.on_commit(lambda: tasks.wake(run))
    return Response(RunSerializer(run_row(run)).data, status=202)


@extend_schema(parameters=[FIELDS], responses=RunSerializer)
@api_view()
def run(request: Request, slug: str, run_id: int) -> Response:
    """One run and how far it is."""
    place = research_place_or_404(request, slug)
    return one(request, RunSerializer(run_row(_run_or_404(place, run_id))))


@extend_schema(
    operation_id="cancel_run",
    request=None,
    responses={200: RunSerializer, 422: None},
    examples=request_and_answer("A run", None, {**RUN, "state": "cancelled"}, status=200),
)
@api_view(["POST"])
def cancel(request: Request, slug: str, run_id: int) -> Response:
    """Stop after the current images; all scores are kept."""
    place = research_place_or_404(request, slug)
    cancelled = _run_or_404(place, run_id)
    lifecycle.cancel_run(run=cancelled)
    return Response(RunSerializer(run_row(cancelled)).data)


@extend_schema(
    operation_id="resume_run",
    request=None,
    responses={200: RunSerializer, 422: None},
    examples=request_and_answer("A run", None, RUN, status=200),
)
@api_view(["POST"])
def resume(request: Request, slug: str, run_id: int) -> Response:
    """Go on where the run was stopped."""
    place = research_place_or_404(request, slug)
    resumed = lifecycle.resume_run(run=_run_or_404(place, run_id))
    transaction.on_commit(lambda: tasks.wake(resumed))
    return Response(RunSerializer(run_row(resumed)).data)


@extend_schema(
    methods=["GET"],
    operation_id="plan_card",
    responses={200: OpenApiTypes.OBJECT},
    description="What a card of this run's judge will take: pictures, seconds and price.",
)
@extend_schema(
    methods=["POST"],
    operation_id="measure_card",
    parameters=[KEY],
    request=MeasureSerializer,
    responses={202: MeasurementSerializer},
    examples=request_and_answer("Twenty images", {"count": 20}, MEASUREMENT, status=202),
    description=(
        "Asks a worker to show the judge the pictures of its card. What has a score is not asked again. "
        "The card is studies/{slug}/questions/card/?judge=NAME."
    ),
)
@api_view(["GET", "POST"])
@once_per_key
def run_card(request: Request, slug: str, run_id: int) -> Response:
    place = research_place_or_404(request, slug)
    run = _run_or_404(place, run_id)
    given = MeasureSerializer(data=request.data if request.method == "POST" else {})
    given.is_valid(raise_exception=True)
    count = given.validated_data["count"]
    if request.method == "GET":
        return Response(plan(DrawnImages(run, count)))
    job = card_jobs.request(run, count=count, by=request.user)
    transaction.on_commit(lambda: tasks.call_for(job))
    return Response(MeasurementSerializer(job).data, status=202)


@row_list(OfferSerializer)
@api_view()
def judge_offers(request: Request, slug: str) -> Response:
    """The judges that can be started on this study."""
    place = research_place_or_404(request, slug)
    return page_of_rows(request, judge_choices(place.study), OfferSerializer)


@row_list(OptionSerializer, refusals=[422])
@api_view()
def judge_options(request: Request, slug: str, judge: str) -> Response:
    """The options that this judge takes: type, range, choices and default of each."""
    research_place_or_404(request, slug)
    return page_of_rows(request, judge_info(judge).declared, OptionSerializer)


@row_list(RecipeSerializer, methods=["GET"])
@extend_schema(
    methods=["POST"],
    operation_id="add_recipe",
    parameters=[KEY],
    request=AddRecipeSerializer,
    responses={201: RecipeSerializer, 422: None},
    examples=request_and_answer("A recipe", {"text": RECIPE_TEXT}, RECIPE, status=201),
)
@api_view(["GET", "POST"])
@once_per_key
def recipes(request: Request, slug: str) -> Response:
    """The recipes of this installation; POST adds one, for all studies."""
    research_place_or_404(request, slug)
    if request.method == "GET":
        found = [row.recipe for row in own_recipes.rows(request.user)]
        return page_of_rows(request, found, RecipeSerializer)
    sent = AddRecipeSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    added = own_recipes.add(text=sent.validated_data["text"], by=request.user)
    return Response(RecipeSerializer(added).data, status=201)


@extend_schema(operation_id="remove_recipe", responses={204: None, 422: None})
@api_view(["DELETE"])
def recipe(request: Request, slug: str, judge: str) -> Response:
    """Remove a recipe that one has added oneself and that no run rests on."""
    research_place_or_404(request, slug)
    own_recipes.remove(name=judge, by=request.user)
    return Response(status=204)


@paged_list(JudgeSerializer)
@api_view()
def judges(request: Request, slug: str) -> Response:
    """The judges that have a run in this study, frozen as they ran."""
    place = research_place_or_404(request, slug)
    return page(request, Judge.objects.filter(runs__study=place.study), JudgeSerializer)


@paged_list(ScoreSerializer, ScoreFilters)
@api_view()
def scores(request: Request, slug: str) -> Response:
    """Scores of all judges, run by run; `failed=true` lists the images that could not be scored."""
    place = research_place_or_404(request, slug)
    chosen = filters(request, ScoreFilters)
    runs = Run.objects.filter(study=place.study).order_by()
    if "judge" in chosen:
        runs = runs.filter(judge__name=chosen.pop("judge"))
    rows = Score.objects.filter(**chosen).select_related("image", "run__judge")
    keys = list(runs.values_list("pk", flat=True))
    return page_by_parts(request, rows, keys, ScoreSerializer, part="run_id", key="image_id")


@paged_list(UploadSerializer, methods=["GET"])
@extend_schema(
    methods=["POST"],
    operation_id="send_import",
    request={"multipart/form-data": SendSerializer},
    responses={202: UploadSerializer, 422: None},
    parameters=[KEY],
    examples=request_and_answer(
        "Labels", SENT, UPLOAD, status=202, media_type="multipart/form-data"
    ),
)
@api_view(["GET", "POST"])
@parser_classes([MultiPartParser, SoundJSON])
@once_per_key
def imports(request: Request, slug: str) -> Response:
    """Files that were sent; POST sends one, and a worker imports it."""
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return page(request, Upload.objects.filter(study=place.study), UploadSerializer)
    sent = SendSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    given = dict(sent.validated_data)
    file = given.pop("file")
    upload = uploads.accept(
        study=place.study, by=request.user, content=file, name=file.name, **given
    )
    transaction.on_commit(lambda: tasks.call_for(upload))
    return Response(UploadSerializer(upload).data, status=202)


@extend_schema(operation_id="get_import", parameters=[FIELDS], responses=UploadSerializer)
@api_view()
def import_outcome(request: Request, slug: str, upload_id: int) -> Response:
    """The progress of an import, then its outcome: the object of `import_* --json`."""
    place = research_place_or_404(request, slug)
    upload = get_object_or_404(Upload, study=place.study, pk=min(upload_id, LARGEST_ID))
    return one(request, UploadSerializer(upload))


@extend_schema(
    operation_id="try_import_again",
    request=None,
    responses={202: UploadSerializer, 422: None},
    examples=request_and_answer("A file", None, UPLOAD, status=202),
)
@api_view(["POST"])
def import_again(request: Request, slug: str, upload_id: int) -> Response:
    """Have a file read again that was given up."""
    place = research_place_or_404(request, slug)
    upload = get_object_or_404(Upload, study=place.study, pk=min(upload_id, LARGEST_ID))
    uploads.try_again(upload=upload)
    transaction.on_commit(lambda: tasks.call_for(upload))
    upload.refresh_from_db()
    return Response(UploadSerializer(upload).data, status=202)


def _run_or_404(place, run_id: int) -> Run:
    runs = Run.objects.select_related("judge")
    return get_object_or_404(runs, study=place.study, pk=min(run_id, LARGEST_ID))


urlpatterns = [
    path("studies/<slug:slug>/runs/", runs, name="api-runs"),
    path("studies/<slug:slug>/runs/<int:run_id>/", run, name="api-run"),
    path("studies/<slug:slug>/runs/<int:run_id>/cancel/", cancel, name="api-run-cancel"),
    path("studies/<slug:slug>/runs/<int:run_id>/resume/", resume, name="api-run-resume"),
    path("studies/<slug:slug>/runs/<int:run_id>/card/", run_card, name="api-run-card"),
    path("studies/<slug:slug>/judges/", judges, name="api-judges"),
    path("studies/<slug:slug>/judges/offers/", judge_offers, name="api-judge-offers"),
    path("studies/<slug:slug>/judges/offers/<str:judge>/", judge_options, name="api-judge-options"),
    path("studies/<slug:slug>/recipes/", recipes, name="api-recipes"),
    path("studies/<slug:slug>/recipes/<str:judge>/", recipe, name="api-recipe"),
    path("studies/<slug:slug>/scores/", scores, name="api-scores"),
    path("studies/<slug:slug>/imports/", imports, name="api-imports"),
    path("studies/<slug:slug>/imports/<int:upload_id>/", import_outcome, name="api-import"),
    path(
        "studies/<slug:slug>/imports/<int:upload_id>/again/",
        import_again,
        name="api-import-again",
    ),
]
