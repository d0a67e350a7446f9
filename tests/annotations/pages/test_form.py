"""Choosing and composing the questions of a study: for its owner alone."""

import pytest

from annotations.models import FormVersion
from jurybox_formats.forms.papers import FORMS
from tests import making

pytestmark = pytest.mark.django_db
PAGE = "/studies/shapes/form/"
WRITTEN = "Title: Own\n\nnice (yes/no): Is it nice?\n"


def test_the_owner_sees_what_is_asked_now(as_alice):
    page = as_alice.get(PAGE).content.decode()
    assert "Current form: Alignment and quality (geneval-audit), version 1." in page
    assert "This is what the study asks now." in page


@pytest.mark.parametrize("slug", FORMS)
def test_every_papers_form_can_be_looked_at_and_used(as_alice, alice, slug):
    text = as_alice.get(PAGE, {"from": slug}).context["text"]
    assert as_alice.post(PAGE, {"definition": text, "use": "yes"}).status_code == 302
    alice.study.refresh_from_db()
    assert alice.study.form.slug == slug


def test_looking_at_a_form_changes_nothing(as_alice, alice):
    page = as_alice.post(PAGE, {"definition": WRITTEN}).content.decode()
    assert "Is it nice?" in page
    assert "Not asked yet." in page
    assert FormVersion.objects.count() == 1


def test_a_composed_form_is_asked_from_now_on_and_its_next_words_are_its_next_version(
    as_alice, alice
):
    as_alice.post(PAGE, {"definition": WRITTEN, "use": "yes"})
    as_alice.post(PAGE, {"definition": WRITTEN.replace("nice?", "good?"), "use": "yes"})
    as_alice.post(PAGE, {"definition": WRITTEN, "use": "yes"})
    alice.study.refresh_from_db()
    assert str(alice.study.form) == "own-own v1"
    assert FormVersion.objects.filter(slug="own-own").count() == 2


def test_what_is_wrong_is_said_and_what_was_written_stays(as_alice, alice):
    page = as_alice.post(PAGE, {"definition": "Title: A\nb (dance): C", "use": "yes"})
    assert page.status_code == 422
    text = page.content.decode()
    assert "Line 2: “dance” is not a kind of question" in text
    assert "b (dance): C" in text
    alice.study.refresh_from_db()
    assert alice.study.form.slug == "geneval-audit"


def test_nobody_else_chooses_the_questions(as_bob, study, client):
    assert as_bob.get(PAGE).status_code == 403
    researcher = making.person(study, "rosa", role="researcher")
    client.force_login(researcher.user)
    assert client.post(PAGE, {"definition": WRITTEN, "use": "yes"}).status_code == 403


def test_a_papers_form_with_other_words_loses_the_papers_name(as_alice, alice):
    text = as_alice.get(PAGE, {"from": "genai-likert"}).context["text"]
    as_alice.post(PAGE, {"definition": text.replace("exactly", "nearly"), "use": "yes"})
    alice.study.refresh_from_db()
    assert alice.study.form.slug == "own-genai-likert"
    assert alice.study.form.definition["source"].startswith("after GenAI-Bench")
