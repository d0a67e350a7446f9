"""One field finds studies, pages, images and prompts, and shows nobody what they may not see."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import making

pytestmark = pytest.mark.django_db
ADDRESS = "/search/"


def links(client, **asked):
    return client.get(ADDRESS, asked, headers={"HX-Request": "true"}).text


def test_an_owner_finds_pages_images_and_prompts_of_the_study_they_came_from(as_alice, study):
    assert reverse("summary", args=["shapes"]) in links(as_alice, q="summ", study="shapes")
    assert "early-3 · Shapes" in links(as_alice, q="early-3", study="shapes")
    assert "number 2 · Shapes" in links(as_alice, q="circle number 2", study="shapes")
    assert "Nothing has these words" in links(as_alice, q="no such thing", study="shapes")
    assert reverse("study", args=["shapes"]) in links(as_alice, q="Sha")


def test_an_image_is_found_by_its_id_as_it_is_written(as_alice, study):
    study.images.filter(key="early-3").update(key="Run7/Early-3")
    assert "Run7/Early-3 · Shapes" in links(as_alice, q="Run7/E", study="shapes")


def test_the_page_is_whole_and_its_results_are_a_part(as_alice, study):
    assert "<html" in as_alice.get(ADDRESS).text
    part = links(as_alice, q="shapes")
    assert "<html" not in part and 'id="results"' in part


def test_an_annotator_finds_neither_prompts_nor_images_nor_pages_of_the_audit(as_bob, study):
    for words in ("circle", "early", "summary", "judges"):
        assert "Nothing has these words" in links(as_bob, q=words, study="shapes"), words
    assert reverse("label", args=["shapes"]) in links(as_bob, q="shapes")


def test_other_peoples_studies_are_not_found(as_alice, study):
    other = making.study("secret")
    for words in ("secret", "early"):
        assert "secret" not in links(as_alice, q=words).replace('value="secret"', "")
    assert other.slug not in links(as_alice, study="secret", q="circle")


def test_the_page_asks_as_often_with_many_studies_as_with_few(as_alice, alice, study):
    def questions() -> int:
        with CaptureQueriesContext(connection) as asked:
            links(as_alice, q="circle")
        return len(asked)

    few = questions()
    for number in range(3):
        making.person(making.study(f"more-{number}"), "alice", role="owner")
    assert questions() == few
