"""The API's list of answers: by number in pages, whatever their state, forwards and backwards."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Annotation
from tests import making

pytestmark = pytest.mark.django_db
STATES = Annotation.State.values


@pytest.fixture
def answered(study):
    """Eight answers, of each state in turn."""
    making.labels(study, {image.key: {"ann": 1} for image in study.images.order_by("pk")[:8]})
    for number, annotation in enumerate(Annotation.objects.order_by("pk")):
        Annotation.objects.filter(pk=annotation.pk).update(state=STATES[number % 3])
    return study


def address(study, **query):
    return reverse("api-annotations", args=[study.slug], query=query)


def images(page):
    return [row["image_id"] for row in page["results"]]


def expected(study, **chosen):
    rows = Annotation.objects.filter(study=study, **chosen).order_by("pk")
    return list(rows.values_list("image__key", flat=True))


@pytest.mark.parametrize("size", [1, 3, 7, 8, 100])
def test_pages_go_through_all_states_by_number_and_back_again(as_alice, answered, size):
    seen, there = [], address(answered, page_size=size)
    while there:
        last = as_alice.get(there).json()
        seen.append(images(last))
        there = last["next"]
    assert [key for page in seen for key in page] == expected(answered)
    assert all(len(page) == size for page in seen[:-1])
    for before in seen[-2::-1]:
        last = as_alice.get(last["previous"]).json()
        assert images(last) == before
    assert last["previous"] is None


def test_one_state_alone_has_its_pages(as_alice, answered):
    first = as_alice.get(address(answered, state="withdrawn", page_size=2)).json()
    rest = as_alice.get(first["next"]).json()
    assert images(first) + images(rest) == expected(answered, state="withdrawn")
    assert rest["next"] is None


def test_another_filter_holds_whatever_the_state(as_alice, answered):
    key = expected(answered, state="set aside")[0]
    assert images(as_alice.get(address(answered, image_id=key)).json()) == [key]
    assert as_alice.get(address(answered, image_id="none")).json()["results"] == []


def test_a_page_reads_the_first_answers_of_each_state_from_the_index(as_alice, answered):
    with CaptureQueriesContext(connection) as asked:
        as_alice.get(address(answered))
    firsts = [query["sql"] for query in asked if '"state" >=' in query["sql"]]
    assert len(firsts) == len(STATES)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for sql in firsts:
                cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
                (plan,) = [row[-1] for row in cursor.fetchall()]
                assert "annotation_by_state (study_id=? AND state>? AND state<?)" in plan
