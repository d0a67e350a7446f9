"""The pages of known answers: nothing typed is lost, and ten rows more ask nothing more."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Image
from annotations.studies import known_answers, selections
from tests import making

pytestmark = pytest.mark.django_db


def at(name, study, *more):
    return reverse(name, args=[study.slug, *more])


def queries(client, address):
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(address).status_code == 200
    return len(asked)


def test_an_owner_sets_changes_and_removes_them(as_alice, study):
    image = study.images.get(key="early-0")
    where = at("known-answer-edit", study, image.public_id)
    page = as_alice.get(where).content.decode()
    assert "a red circle, number 0" in page
    sent = {"answer-aligned": "1", "explanation": "Round & red"}
    assert as_alice.post(where, sent).status_code == 302
    listed = as_alice.get(at("known-answers", study)).content.decode()
    assert "Round &amp; red" in listed
    assert "alice" in listed
    assert 'value="1" data-key="y" required checked' in as_alice.get(where).content.decode()
    as_alice.post(where, {"remove": "1"})
    assert Image.objects.get(pk=image.pk).gold is None


def test_a_refused_answer_keeps_what_was_typed(as_alice, study):
    image = study.images.get(key="early-0")
    where = at("known-answer-edit", study, image.public_id)
    response = as_alice.post(where, {"answer-beauty": "1", "explanation": "Because of this"})
    assert response.status_code == 422
    assert "Because of this" in response.content.decode()
    response = as_alice.post(where, {"explanation": "Because of that"})
    assert "at least one question" in response.content.decode()
    assert "Because of that" in response.content.decode()


def test_a_refused_table_keeps_the_typed_rows(as_alice, study):
    typed = "image_id,question,value\nnowhere,aligned,1"
    response = as_alice.post(at("known-answer-import", study), {"table": typed})
    text = response.content.decode()
    assert response.status_code == 422
    assert "Line 2, image_id" in text
    assert typed in text
    picture = SimpleUploadedFile("known.csv", making.png())
    response = as_alice.post(at("known-answer-import", study), {"file": picture})
    assert "not a text file" in response.content.decode()


def test_the_table_is_taken_as_file_and_given_back(as_alice, study):
    file = SimpleUploadedFile("k.csv", b"image_id,question,value\nearly-0,aligned,1\n")
    as_alice.post(at("known-answer-import", study), {"file": file})
    assert Image.objects.get(key="early-0").gold == {"aligned": 1}
    saved = as_alice.get(at("known-answer-csv", study))
    assert "early-0,aligned,1" in saved.content.decode()


def test_any_image_can_be_found_by_words_of_its_prompt(as_alice, study):
    where = at("known-answer-choose", study)
    page = as_alice.get(where, {"q": "number 2"}).content.decode()
    assert page.count("known-answers/images/") == 2
    assert "No image fits" in as_alice.get(where, {"q": "elephant"}).content.decode()


def test_ten_rows_more_ask_nothing_more(as_alice):
    study = making.study("many", prompts=8)
    making.person(study, "alice", role="owner")
    pictures = list(study.images.select_related("prompt", "study__form").order_by("pk"))
    making.labels(study, {i.key: {"ann": 1, "ben": 0} for i in pictures})
    for image in pictures[:3]:
        known_answers.make(image=image, answers={"aligned": 1})
    before = [queries(as_alice, at(name, study)) for name in ("known-answers", "people")]
    for image in pictures[3:13]:
        known_answers.make(image=image, answers={"aligned": 1})
    after = [queries(as_alice, at(name, study)) for name in ("known-answers", "people")]
    assert before == after
    assert queries(as_alice, at("known-answer-choose", study)) <= 8


def chosen(study, *keys):
    images = study.images.filter(key__in=keys).values_list("pk", flat=True)
    return selections.choose(study=study, images=images, name="some")


def test_chosen_images_come_one_after_the_other(as_alice, study):
    first, second = (study.images.get(key=key) for key in ("early-1", "late-0"))
    sent = {"image": [second.public_id, first.public_id], "do": "known"}
    answer = as_alice.post(at("data-choose", study), sent, follow=True)
    where = answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"]
    assert first.public_id in where
    text = answer.content.decode()
    assert "<strong>1 of 2</strong>" in text
    assert 'rel="prev"' not in text
    answer = as_alice.post(where, {"answer-aligned": "1"}, follow=True)
    text = answer.content.decode()
    assert "<strong>2 of 2</strong>" in text
    assert "Save, done" in text
    assert 'rel="next"' not in text
    back = re.search(r'rel="prev" href="([^"]*)"', text)[1].replace("&amp;", "&")
    assert back == where
    last = answer.request["PATH_INFO"] + "?" + answer.request["QUERY_STRING"]
    answer = as_alice.post(last, {"answer-aligned": "0"}, follow=True)
    assert answer.request["PATH_INFO"] == at("known-answers", study)
    golds = dict(known_answers.known_images(study).values_list("key", "gold"))
    assert golds == {"early-1": {"aligned": 1}, "late-0": {"aligned": 0}}


def test_a_refused_answer_stays_at_its_place_and_one_may_be_left_out(as_alice, study):
    selection = chosen(study, "early-0", "early-1", "early-2")
    middle = study.images.get(key="early-1")
    where = at("known-answer-edit", study, middle.public_id) + f"?selection={selection.pk}&at=2"
    text = as_alice.post(where, {}).content.decode()
    assert "at least one question" in text
    assert "<strong>2 of 3</strong>" in text
    assert f"{study.images.get(key='early-2').public_id}/?selection={selection.pk}&amp;at=3" in text


@pytest.mark.parametrize("query", ["selection=x&at=1", "selection=1&at=99", "selection=9999&at=1"])
def test_a_walk_that_there_is_not_is_the_page_of_one_image(as_alice, study, query):
    chosen(study, "early-0")
    image = study.images.get(key="early-0")
    text = as_alice.get(at("known-answer-edit", study, image.public_id) + f"?{query}").content
    assert b" of 1</strong>" not in text
    assert b"Stop here" not in text


def test_another_studys_selection_is_nobodys_walk(as_alice, study):
    other = chosen(making.study("elsewhere"), "early-0")
    assert as_alice.get(at("known-answer-walk", study, other.pk)).status_code == 404
    image = study.images.get(key="early-0")
    where = at("known-answer-edit", study, image.public_id) + f"?selection={other.pk}&at=1"
    assert b"1 of 1" not in as_alice.get(where).content
