"""The Summary's rows: the verdict, and drawings on the axes of their columns."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.exhibits.marks import Axis, axis_around_zero, draw_course, draw_dot
from audit.reports import make as reports
from audit.words import verdicts
from tests import making
from tests.audit.pages.test_dashboards import judge_all


def test_a_dot_stands_where_its_number_lies_on_the_axis():
    # From 6 to 114: 0 in the middle, 5 a quarter further, and what lies beyond at the end.
    dot = draw_dot({"value": 5.0, "low": 0.0, "high": 30.0}, Axis(-10, 10), 0.0)
    assert (dot.at, dot.low, dot.length, dot.guide) == (87.0, 60.0, 54.0, 60.0)
    alone = draw_dot({"value": 5.0, "low": None, "high": None}, Axis(-10, 10), 0.0)
    assert (alone.at, alone.low, alone.length) == (87.0, 87.0, 0.0)
    assert draw_dot({"undefined": "too few images", "n": 3}, Axis(-10, 10), 0.0) is None


def test_an_axis_goes_as_far_to_either_side():
    assert axis_around_zero([-12.0, None, 3.0], 10.0) == Axis(-12.0, 12.0)
    assert axis_around_zero([None], 10.0) == Axis(-10.0, 10.0)


def test_a_course_goes_up_where_people_say_yes_more_often_and_leaves_out_what_is_not_known():
    course = draw_course([0.0, None, 10.0], Axis(-10, 10))
    assert (course.points, course.zero, course.last) == ("6.0,12.0 114.0,1.2", 12.0, (114.0, 1.2))
    assert draw_course([None, 3.0, None], Axis(-10, 10)) is None


@pytest.mark.parametrize(
    ("moved", "offset", "words"),
    [
        ("offset", 12.0, "reads newer images as worse than people do"),
        ("offset", -12.0, "reads newer images as better than people do"),
        ("gain", 12.0, "tells good from bad less than before"),
    ],
)
def test_what_a_judge_that_drifts_does_is_said_in_a_few_words(moved, offset, words):
    drift = {
        "alarm": True,
        "moved": moved,
        "likeliest": 0,
        "steps": [{"offset": {"value": offset}}],
    }
    assert verdicts.explain_change({"drift": drift}) == words
    assert verdicts.explain_change({"drift": drift | {"alarm": False}}) == ""


@pytest.mark.django_db
def test_each_judge_has_a_row_with_its_worst_pictures_at_the_cost_of_one(as_alice, study):
    judge_all(study)
    reports.make_report(study=study)
    address = reverse("summary", args=[study.slug])
    as_alice.get(address)
    with CaptureQueriesContext(connection) as one:
        (row,) = as_alice.get(address).context["rows"]
    assert len(row["images"]) == 3
    picture = study.images.get(public_id=row["images"][0])
    thumbnail = reverse("thumbnail", args=[study.slug, picture.public_id])
    judge_all(study, name="other-judge", verdicts=False)
    body = reports.make_report(study=study).body
    with CaptureQueriesContext(connection) as two:
        page = as_alice.get(address)
    assert len(two) == len(one)
    assert [row["title"] for row in page.context["rows"]] == verdicts.best_first(body["judges"])
    text = making.html_of(page)
    assert thumbnail in text
    assert reverse("side-by-side", args=[study.slug]) in text
    for judge in body["judges"].values():
        assert verdicts.chip_of(judge)["words"] in text
