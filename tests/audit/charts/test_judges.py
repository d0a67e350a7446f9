"""The chart of all judges on one statistic."""

from __future__ import annotations

import pytest

from audit.charts.judges import judges
from audit.reports import make as reports
from audit.view import View
from tests import making
from tests.audit.pages.test_dashboards import judge_all


@pytest.mark.django_db
def test_the_words_of_peoples_line_have_a_row_below_the_judges():
    study = making.study(prompts=40)
    judge_all(study)
    body, _ = reports.compute(study, reports.Options())
    chart = judges(body, View(), "light")
    places = chart["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert len(places) == len(body["judges"]) + 1 and places[-1] == " "
    # Only what rests on people's own agreement has the line.
    chart = judges(body, View(statistic="net_deviation"), "light")
    assert " " not in chart["layer"][0]["encoding"]["y"]["scale"]["domain"]
