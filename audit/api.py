"""The REST API: the same verbs and queries as the pages, and as blind.

Each app has its own part; this file adds the reports and the schema, and puts them together.
"""

from __future__ import annotations

from django.http import Http404
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.access import research_place_or_404
from annotations.api import views as annotations_api
from annotations.api.lists import MessageSerializer, listed, page
from audit import tasks
from audit.accounts import api as accounts_api
from audit.models import Report
from audit.reports import progress
from judges import api as judges_api
from judges.runs.wake import send


class ReportSerializer(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    created_at = serializers.DateTimeField()
    options = serializers.DictField()
    # Also the name of a property of serializers, which this field hides: the API calls it so.
    data = serializers.CharField(help_text="SHA-256 of all that the statistics saw.")  # type: ignore[assignment]


@extend_schema(responses={200: OpenApiTypes.OBJECT, 403: MessageSerializer, 404: None})
@api_view()
def report(request: Request, slug: str) -> Response:
    """The newest report, as `manage.py report STUDY --json` prints it."""
    place = research_place_or_404(request, slug)
    newest = Report.objects.with_usual_options().filter(study=place.study).first()
    if newest is None:
        raise Http404
    return Response(newest.body)


@listed(ReportSerializer, methods=["GET"])
@extend_schema(
    methods=["POST"],
    request=None,
    responses={202: MessageSerializer, 403: MessageSerializer, 404: None},
)
@api_view(["GET", "POST"])
def reports(request: Request, slug: str) -> Response:
    """The stored reports; POST has a worker make a new one."""
    place = research_place_or_404(request, slug)
    if request.method == "GET":
        return page(request, Report.objects.filter(study=place.study), ReportSerializer)
    progress.asked(place.study, by=request.user)
    # Without the message, a worker finds the row by itself, a little later.
    send(tasks.make_report_task, place.study.pk)
    return Response({"message": "A worker is making the report."}, status=202)


urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    *accounts_api.urlpatterns,
    *annotations_api.urlpatterns,
    *judges_api.urlpatterns,
    path("studies/<slug:slug>/report/", report, name="api-report"),
    path("studies/<slug:slug>/reports/", reports, name="api-reports"),
]
