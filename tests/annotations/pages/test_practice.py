"""The pages of the practice round, by a person, a crowd worker, an owner, and the API."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.forms.versions import use_form
from annotations.models import Annotation, Image, Membership, PracticeTry
from annotations.studies import crowd, known_answers, practice
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.forms.translations import translation_of
from tests import making

pytestmark = pytest.mark.django_db
RIGHT = {"aligned": "1", "quality": "1"}


@pytest.fixture
def practised(study):
    for key in ("early-0", "early-1"):
        image = Image.objects.select_related("prompt", "study__form").get(study=study, key=key)
        known_answers.make(image=image, answers=RIGHT, explanation="Because it is red.")
    practice.set_practice(study=study, images=2, pass_mark=80, tries=1)
    return study


def where(study, name="practice"):
    return reverse(name, args=[study.slug])


def go(client, study, **sent):
    response = client.post(where(study), sent, follow=True)
    return response.content.decode()


def in_hand(member):
    member = Membership.objects.select_related("study__form").get(pk=member.pk)
    return practice.state_of(member).image.public_id


def do_it(client, study, member, value):
    go(client, study, do="begin")
    for _ in range(2):
        sent = {"answer-aligned": value, "answer-quality": value}
        text = go(client, study, do="answer", image=in_hand(member), **sent)
        assert "Because it is red." in text
        text = go(client, study, do="go-on")
    return text


def test_practice_comes_first_and_then_the_first_image(as_bob, bob, practised):
    response = as_bob.get(where(practised, "label"))
    assert response.headers["Location"] == where(practised)
    assert "Qualification first" in as_bob.get(where(practised)).content.decode()
    assert "You passed" in do_it(as_bob, practised, bob, "1")
    assert 'id="answers"' in as_bob.get(where(practised, "label")).content.decode()


def offers_languages(client, study, name):
    return '<footer class="languages">' in client.get(where(study, name)).content.decode()


@pytest.mark.parametrize("has_some", [False, True])
def test_languages_are_offered_beside_questions_that_have_some(as_bob, alice, practised, has_some):
    if has_some:
        form = geneval_audit.FORM
        use_form(study=practised, form=replace(form, translations=(translation_of(form, "de"),)))
    # Before the first question, for the page itself.
    assert offers_languages(as_bob, practised, "practice")
    go(as_bob, practised, do="begin")
    assert offers_languages(as_bob, practised, "practice") == has_some
    as_bob.force_login(alice.user)
    assert offers_languages(as_bob, practised, "label") == has_some


def test_nothing_on_the_page_tells_the_answer_before_it_is_given(as_bob, bob, practised):
    text = go(as_bob, practised, do="begin")
    assert "checked" not in text
    for secret in ("Because it is red.", "early-", "Expected:"):
        assert secret not in text


def test_an_incomplete_answer_keeps_what_was_chosen(as_bob, bob, practised):
    go(as_bob, practised, do="begin")
    sent = {"do": "answer", "image": in_hand(bob), "answer-aligned": "1"}
    response = as_bob.post(where(practised), sent)
    assert response.status_code == 422
    assert "has no answer yet" in response.content.decode()
    assert "checked" in response.content.decode()


def test_a_worker_who_does_not_pass_gets_the_code_for_that(client, practised):
    link = crowd.open_to_crowd(
        study=practised,
        completion_code="C0FFEE",
        screenout_code="SORRY1",
        screenout_url="https://platform.example/out",
    )
    worker = crowd.enter_from_crowd(invitation=link, worker="W1")
    client.force_login(worker.user)
    text = do_it(client, practised, worker, "0")
    assert "Not passed" in text
    assert "SORRY1" in text
    assert "https://platform.example/out" in text
    assert "C0FFEE" not in text + client.get(where(practised, "finished")).content.decode()


def test_the_api_leads_nobody_round_it(as_bob, bob, practised):
    api = f"/api/v1/studies/{practised.slug}"
    response = as_bob.post(f"{api}/next/")
    assert response.status_code == 409
    assert "qualification" in response.json()["message"]
    answer = {
        "image": practised.images.get(key="late-0").public_id,
        "form": practised.form_id,
        "answers": {"aligned": 1, "quality": 1},
        "submission": str(uuid.uuid4()),
    }
    alone = as_bob.post(f"{api}/labels/", answer, content_type="application/json")
    assert alone.status_code == 409
    many = as_bob.post(f"{api}/labels/bulk/", [answer], content_type="application/json")
    assert many.json()[0]["status"] == "refused"
    sent = {
        "image": answer["image"],
        "form": answer["form"],
        "submission": answer["submission"],
        "answer-aligned": "1",
        "answer-quality": "1",
    }
    as_bob.post(where(practised, "label"), sent)
    as_bob.post(where(practised, "label"), sent, HTTP_HX_REQUEST="true")
    as_bob.post(where(practised, "label-undo"))
    assert not Annotation.objects.exists()


def test_the_owner_sees_the_tries_and_gives_another(as_alice, bob, practised, client):
    member = Membership.objects.select_related("study__form").get(pk=bob.pk)
    practice.begin(member=member)
    PracticeTry.objects.update(passed=False, ended_at="2026-01-01T00:00:00Z")
    text = as_alice.get(where(practised, "practice-round")).content.decode()
    assert "not passed" in text
    as_alice.post(where(practised, "practice-change"), {"do": "try", "person": bob.pk})
    bob.refresh_from_db()
    assert bob.practice_more == 1


def test_a_refused_setting_keeps_what_was_typed(as_alice, practised):
    sent = {"do": "set", "images": "9", "pass_mark": "77", "tries": "3"}
    response = as_alice.post(where(practised, "practice-change"), sent)
    text = response.content.decode()
    assert response.status_code == 409
    assert "Only 2 gold questions fit" in text
    assert 'value="9"' in text
    assert 'value="77"' in text


def test_more_tries_ask_nothing_more(as_alice, practised):
    def queries():
        with CaptureQueriesContext(connection) as asked:
            assert as_alice.get(where(practised, "practice-round")).status_code == 200
        return len(asked)

    def tries(*names):
        for name in names:
            person = making.person(practised, name)
            practice.begin(
                member=Membership.objects.select_related("study__form").get(pk=person.pk)
            )

    tries("one")
    queries()
    before = queries()
    tries(*(f"p{n}" for n in range(10)))
    assert queries() == before


def test_a_superuser_who_labels_practises_unless_they_own_the_study(client, practised):
    root = making.person(making.study("elsewhere"), "root").user
    root.is_superuser = True
    root.save()
    client.force_login(root)
    assert client.get(where(practised, "label")).headers["Location"] == where(practised)
    Membership.objects.filter(study=practised, user=root).update(role="owner")
    assert client.get(where(practised, "label")).status_code == 200
