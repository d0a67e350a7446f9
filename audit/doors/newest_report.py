"""Which of the stored reports a program asks for: the newest with these options."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from annotations.api.lists import Filters, filters
from annotations.models import Study
from audit.models import Report
from audit.reports.options import CONSENSUS, Options


class ReportFilters(Filters):
    question = serializers.CharField(required=False, max_length=80, help_text="Of the form.")
    positive_at = serializers.FloatField(required=False, help_text="From which rating is a yes.")
    threshold = serializers.FloatField(required=False, help_text="From which score is a yes.")
    consensus = serializers.ChoiceField(
        choices=list(CONSENSUS), required=False, help_text="How several answers become one."
    )


def report_options(
    request: Request, among: type[Filters] = ReportFilters
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options that change a report, and what else `among` declares."""
    given = filters(request, among)
    names = [str(name) for name in ReportFilters().fields if name in given]
    options = {name: given.pop(name) for name in names}
    return Options(**options).changed_options(), given


def newest_with_options(study: Study, options: dict[str, Any]) -> Report | None:
    return Report.objects.filter(study=study, options=options).first()
