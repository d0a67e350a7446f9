"""The API's list of scores: run by run in pages, forwards and backwards, however many scores there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judges.models import Run, Score
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(as_alice):
    return as_alice


@pytest.fixture
def scored(study):
    for judge in ("one", "two", "three"):
        making.scores(study, {f"early-{n}": n / 4 for n in range(4)}, name=judge)
    return study


def address(study, **query):
    return reverse("api-scores", args=[study.slug], query=query)


def named(page):
    return [(row["judge"], row["image_id"]) for row in page["results"]]


def expected(study):
    rows = Score.objects.filter(run__study=study).order_by("run_id", "image_id")
    return list(rows.values_list("run__judge__name", "image__key"))


@pytest.mark.parametrize("size", [1, 3, 4, 5, 12, 100])
def test_pages_go_through_all_runs_and_back_again(api, scored, size):
    seen, there = [], address(scored, page_size=size)
    while there:
        page = api.get(there).json()
        seen.append(named(page))
        last, there = page, page["next"]
    assert [row for one in seen for row in one] == expected(scored)
    assert all(len(one) == size for one in seen[:-1])
    for before in seen[-2::-1]:
        last = api.get(last["previous"]).json()
        assert named(last) == before
    assert last["previous"] is None
    if len(seen) > 1:
        assert named(api.get(last["next"]).json()) == seen[1]


def test_filters_hold_on_every_page(api, scored):
    first = api.get(address(scored, judge="two", page_size=3)).json()
    assert named(first) == expected(scored)[4:7]
    assert named(api.get(first["next"]).json()) == expected(scored)[7:8]
    one = api.get(address(scored, image_id="early-2")).json()
    assert [row["image_id"] for row in one["results"]] == ["early-2"] * 3
    assert api.get(address(scored, judge="nobody")).json()["results"] == []


def test_scores_that_come_meanwhile_repeat_and_hide_none(api, scored):
    first = api.get(address(scored, page_size=6)).json()
    making.scores(scored, {"late-0": 1, "late-1": 1}, name="four")
    image = scored.images.get(key="late-3")
    Score.objects.create(run=Run.objects.get(judge__name="one"), image=image, value=1)
    later = named(api.get(first["next"]).json())
    assert later[:6] == [row for row in expected(scored) if row not in named(first)][-8:-2]
    assert len(later) == 6


def test_scores_of_other_studies_stay_there(api, scored):
    other = making.study("other", files=False)
    making.scores(other, {"early-0": 1}, name="elsewhere")
    assert "elsewhere" not in {judge for judge, _ in named(api.get(address(scored)).json())}
    run = Run.objects.get(judge__name="elsewhere").pk
    # A place of another study is only a place.
    assert api.get(address(scored, cursor=f"{run}.1")).json()["results"] == []


@pytest.mark.parametrize("cursor", ["x", "1", "1.", "-.1", "1.2.3", "1.-2", "٣.٣", "9" * 19 + ".1"])
def test_a_cursor_that_nobody_gave_is_refused(api, scored, cursor):
    assert api.get(address(scored, cursor=cursor)).status_code == 404


def test_a_page_inside_one_run_asks_as_often_however_many_there_are(api, scored):
    def queries(size):
        with CaptureQueriesContext(connection) as seen:
            api.get(address(scored, page_size=size))
        return len(seen)

    before = queries(2)
    for judge in ("five", "six"):
        making.scores(scored, {f"early-{n}": n / 4 for n in range(4)}, name=judge)
    assert queries(2) == before
