"""The pages of known answers: nothing typed is lost, and ten rows more ask nothing more."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Image
from annotations.studies import known_answers
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
