"""Which of the stored reports a program asks for: the newest with these options, or why there is none yet."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from annotations.api.lists import Filters, filters
from annotations.errors import Refused
from annotations.models import AnswerJob, Study
from audit.models import Report
from audit.questions.report.question import awaited_report, request_for_reader
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


class NoReportYet(Refused):
    """The address is right, and will have an answer once there is a report."""

    status = 404
    code = "no-report-yet"

    def __init__(
        self,
        job: AnswerJob | None,
        words: str = "There is no report yet, and none is being made. Ask for one first.",
    ) -> None:
        making = job is not None and job.is_open
        if making:
            super().__init__("There is no report yet. A worker is making it: ask again soon.")
        elif job is not None and job.reason:
            super().__init__(f"There is no report yet. {job.reason}")
        else:
            super().__init__(words)
        self.members = {"making": making}


def newest_with_options(study: Study, options: dict[str, Any]) -> Report:
    newest = Report.objects.filter(study=study, options=options).first()
    request_for_reader(study, options)
    if newest is None:
        raise NoReportYet(awaited_report(study, options))
    return newest
