"""The REST API: the same verbs and queries as the pages, and as blind.

Each app has its own part; this file adds the reports and the schema, and puts them together.
"""

from __future__ import annotations

import re
from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import research_place_or_404
from annotations.api import views as annotations_api
from annotations.api.lists import (
    FIELDS,
    Filters,
    MessageSerializer,
    filters,
    one,
    page,
    paged_list,
    request_and_answer,
)
from annotations.api.once import KEY, once_per_key
from annotations.api.own_format import OwnFormat
from annotations.api.problems import CODES
from annotations.consensus import RULES
from audit.accounts import api as accounts_api
from audit.doors import api as doors_api
from audit.doors import disagreements as disagreements_api
from audit.doors import published_sets as published_sets_api
from audit.doors.newest_report import ReportFilters, newest_with_options, report_options
from audit.images import browse
from audit.models import Report
from audit.pages import export as export_page
from audit.questions.jury.adopt import adopt
from audit.questions.jury.question import STACK, WAYS, Parameters
from audit.questions.report.question import request_report
from judges import api as judges_api
from judges.api import LARGEST_ID
from judges.exports.payments import PER
from judges.exports.tables import MEDIA, TABLES, ExportOptions
from judges.runs.queries import run_row


class JurySerializer(serializers.Serializer):
    members = serializers.CharField(
        default="", help_text="Names of judges with commas between, or all; empty: a suggestion."
    )
    way = serializers.ChoiceField(tuple(WAYS), default=STACK)


@extend_schema(
    operation_id="use_jury",
    parameters=[KEY],
    request=JurySerializer,
    responses={201: judges_api.RunSerializer},
    examples=request_and_answer("All judges", {"members": "all"}, judges_api.RUN, status=201),
)
@api_view(["POST"])
@once_per_key
def use_jury(request: Request, slug: str) -> Response:
    """Use a jury of this study's judges as a judge of it; its gain is studies/{slug}/questions/jury/."""
    place = research_place_or_404(request, slug)
    asked = JurySerializer(data=request.data)
    asked.is_valid(raise_exception=True)
    run = adopt(study=place.study, parameters=Parameters(**asked.validated_data), by=request.user)
    return Response(judges_api.RunSerializer(run_row(run)).data, status=201)


class ReportSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    created_at = serializers.DateTimeField()
    options = serializers.DictField()
    # Also the name of a property of serializers, which this field hides: the API calls it so.
    data = serializers.CharField(help_text="SHA-256 of all that the statistics saw.")  # type: ignore[assignment]


@extend_schema(
    operation_id="get_newest_report",
    parameters=[ReportFilters],
    responses={200: OpenApiTypes.OBJECT, 404: None},
)
@api_view()
def report(request: Request, slug: str) -> Response:
    """The newest report, as `manage.py report STUDY --json` prints it."""
    place = research_place_or_404(request, slug)
    newest = newest_with_options(place.study, report_options(request)[0])
    return Response(newest.body)


BEING_MADE = "A worker is making the report."


@paged_list(ReportSerializer, methods=["GET"])
@extend_schema(
    methods=["POST"],
    operation_id="make_report",
    request=None,
    parameters=[ReportFilters, KEY],
    responses={202: MessageSerializer},
    examples=request_and_answer("A report", None, {"message": BEING_MADE}, status=202),
)
@api_view(["GET", "POST"])
@once_per_key
def reports(request: Request, slug: str) -> Response:
    """The stored reports; POST has a worker make a new one."""
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return page(request, Report.objects.filter(study=place.study), ReportSerializer)
    request_report(place.study, report_options(request)[0], by=request.user)
    return Response({"message": BEING_MADE}, status=202)


class WholeReportSerializer(ReportSerializer):
    body = serializers.DictField(help_text="As `manage.py report --json` prints it.")


@extend_schema(operation_id="get_report", parameters=[FIELDS], responses=WholeReportSerializer)
@api_view()
def stored_report(request: Request, slug: str, report_id: int) -> Response:
    """One of the stored reports, by its id."""
    place = research_place_or_404(request, slug)
    rows = Report.objects.filter(study=place.study)
    found = get_object_or_404(rows, pk=min(report_id, LARGEST_ID))
    return one(request, WholeReportSerializer(found))


class ExportFilters(Filters):
    format = serializers.ChoiceField(
        choices=sorted({name for table in TABLES.values() for name in table.formats}),
        required=False,
        help_text="csv by default; zip for the whole study.",
    )
    consensus = serializers.ChoiceField(choices=list(RULES), required=False)
    of = serializers.CharField(required=False, help_text="Scores of this judge only.")
    ratings = serializers.CharField(required=False, help_text="The question of genai_bench.")
    pictures = serializers.BooleanField(required=False, default=False)
    rate = serializers.CharField(
        required=False, help_text="What crowd workers are paid; without it no amount is said."
    )
    per = serializers.ChoiceField(choices=list(PER), required=False, help_text="Of the rate.")
    # Which images, as on the data page.
    q = serializers.CharField(required=False, help_text="Words of the prompt.")
    prompt = serializers.CharField(required=False)
    tag = serializers.CharField(required=False)
    generator = serializers.CharField(required=False)
    variant = serializers.ChoiceField(choices=list(browse.VARIANTS), required=False)
    flag = serializers.ChoiceField(choices=list(browse.FLAGS), required=False)
    labels = serializers.ChoiceField(choices=list(browse.LABELS), required=False)
    answer = serializers.CharField(required=False, help_text="QUESTION:yes, no, draw or LOW-HIGH.")
    split = serializers.CharField(required=False, help_text="A question, or any.")
    judge = serializers.CharField(required=False, help_text="Of least and most.")
    least = serializers.FloatField(required=False)
    most = serializers.FloatField(required=False)
    known = serializers.ChoiceField(choices=list(browse.KNOWN), required=False)
    selection = serializers.IntegerField(required=False, min_value=1)


FILES: dict[Any, Any] = {
    (200, media): OpenApiTypes.BINARY
    for media in sorted({kind.partition(";")[0] for kind in (*MEDIA.values(), "application/json")})
}


@extend_schema(
    parameters=[
        ExportFilters,
        OpenApiParameter("what", OpenApiTypes.STR, OpenApiParameter.PATH, enum=list(TABLES)),
    ],
    operation_id="export_table",
    responses={**FILES, 422: None},
)
@api_view()
@content_negotiation_class(OwnFormat)
def export(request: Request, slug: str, what: str) -> StreamingHttpResponse:
    """A table of the study as `manage.py export` writes it; people by pseudonym."""
    study = research_place_or_404(request, slug).study
    if what not in TABLES:
        raise Http404
    chosen = filters(request, ExportFilters)
    # An export of labels with a consensus is what people say together.
    what = "consensus" if what == "labels" and "consensus" in chosen else what
    format = chosen.get("format", TABLES[what].formats[0])
    if format not in TABLES[what].formats:
        raise serializers.ValidationError(
            {"format": [f"{what} comes as {', '.join(TABLES[what].formats)}."]}
        )
    asked = ExportOptions(
        what,
        format,
        among=export_page.among_or_404(study, export_page.filters_or_404(chosen)),
        rule=chosen.get("consensus", "majority"),
        judge=chosen.get("of", ""),
        question=chosen.get("ratings", "likert"),
        pictures=chosen["pictures"],
        rate=chosen.get("rate", ""),
        per=chosen.get("per", "hour"),
    )
    return export_page.send(study, asked)


@extend_schema(
    operation_id="export_records", responses={(200, "application/zip"): OpenApiTypes.BINARY}
)
@api_view()
@content_negotiation_class(OwnFormat)
def records(request: Request, slug: str) -> HttpResponse:
    """The newest report as records of Every Eval Ever 0.3, in one ZIP, as `manage.py eval_records` writes
    them."""
    study = research_place_or_404(request, slug).study
    newest_with_options(study, {})
    return export_page.send_records(study)


@extend_schema(responses=OpenApiTypes.OBJECT)
@api_view()
def index(request: Request) -> Response:
    """Every address, by name; parts in braces are to be filled in."""
    root = request.build_absolute_uri(reverse("api-index"))
    found = {"version": "1", "schema": f"{root}schema/"}
    for pattern in urlpatterns:
        name = pattern.name or ""
        if name.startswith("api-") and name not in {"api-index", "api-nothing"}:
            address = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
            found[name.removeprefix("api-")] = f"{root}{address}"
    return Response(found)


@extend_schema(responses=OpenApiTypes.OBJECT)
@api_view()
def problems(request: Request) -> Response:
    """What each code of a refusal means."""
    return Response(CODES)


@extend_schema(exclude=True)
@api_view(["GET", "POST", "PUT", "PATCH", "DELETE"])
def nothing(request: Request, rest: str) -> Response:
    """At every other address: a program gets a refusal that it can read."""
    raise Http404


urlpatterns = [
    path("", index, name="api-index"),
    path("problems/", problems, name="api-problems"),
    path("studies/<slug:slug>/records/", records, name="api-records"),
    path("studies/<slug:slug>/exports/<slug:what>/", export, name="api-export"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    *accounts_api.urlpatterns,
    *annotations_api.urlpatterns,
    *judges_api.urlpatterns,
    *doors_api.urlpatterns,
    *disagreements_api.urlpatterns,
    *published_sets_api.urlpatterns,
    path("studies/<slug:slug>/jury/", use_jury, name="api-use-jury"),
    path("studies/<slug:slug>/report/", report, name="api-report"),
    path("studies/<slug:slug>/reports/", reports, name="api-reports"),
    path("studies/<slug:slug>/reports/<int:report_id>/", stored_report, name="api-stored-report"),
    path("<path:rest>/", nothing, name="api-nothing"),
]
