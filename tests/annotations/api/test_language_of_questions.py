"""What to label next, over the API: in the language that is asked for, where the questions have it."""

from dataclasses import replace

import pytest

from annotations.forms.versions import use_form
from annotations.models import Annotation
from audit.models import AccountLanguage
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.translations import LANGUAGES, translation_of

pytestmark = pytest.mark.django_db
NEXT = "/api/v1/studies/shapes/next/"
LABELS = "/api/v1/studies/shapes/labels/"
ENGLISH = "Does the image align with the prompt?"
GERMAN = "Stimmt das Bild mit dem Prompt überein?"
CHINESE = "图片与提示词是否一致？"


@pytest.fixture
def translated(study, bob):
    form = FORMS["geneval-audit"]
    use_form(
        study=study,
        form=replace(form, translations=tuple(translation_of(form, one) for one in LANGUAGES)),
    )
    return study


def ask(client, *accepted):
    headers = {"Accept-Language": accepted[0]} if accepted else {}
    given = client.post(NEXT, headers=headers).json()
    return given["language"], given["questions"][0]["text"]


@pytest.mark.parametrize(
    ("accepted", "language", "words"),
    [
        ("de", "de", GERMAN),
        ("zh-CN,zh;q=0.9,en;q=0.5", "zh-hans", CHINESE),
        ("fr;q=0.9, de-AT;q=0.8", "de", GERMAN),
        ("en, de;q=0.5", "", ENGLISH),
        ("fr", "", ENGLISH),
        ("*", "", ENGLISH),
        (";;;=,\t" * 50, "", ENGLISH),
    ],
)
def test_the_header_says_the_language(as_bob, translated, accepted, language, words):
    assert ask(as_bob, accepted) == (language, words)


def test_without_a_header_the_account_says_it(as_bob, bob, translated):
    assert ask(as_bob) == ("", ENGLISH)
    AccountLanguage.objects.create(user=bob.user, language="de")
    assert ask(as_bob) == ("de", GERMAN)
    assert ask(as_bob, "en") == ("", ENGLISH)


def test_choices_are_in_it_too_and_their_values_are_the_same(as_bob, translated):
    given = as_bob.post(NEXT, headers={"Accept-Language": "zh-hans"}).json()
    assert given["questions"][0]["choices"] == [
        {"value": 1, "text": "是"},
        {"value": 0, "text": "否"},
    ]


def test_a_form_without_translations_is_asked_in_its_own_words(as_bob, study, bob):
    assert ask(as_bob, "de") == ("", ENGLISH)


def test_a_label_says_in_which_it_was_asked(as_bob, translated):
    given = as_bob.post(NEXT, headers={"Accept-Language": "de"}).json()
    label = {key: given[key] for key in ("image", "form", "language")}
    label["answers"] = {"aligned": 1, "quality": 0}
    sent = as_bob.post(LABELS, label, content_type="application/json")
    assert sent.status_code == 201
    assert Annotation.objects.get().language == "de"


def test_a_refusal_stays_english(as_bob, translated):
    translated.status = "closed"
    translated.save()
    label = {"image": "none", "form": 1, "answers": {}}
    sent = as_bob.post(
        LABELS, label, content_type="application/json", headers={"Accept-Language": "de"}
    )
    assert sent.json()["detail"] == "Not found."


def test_the_schema_says_how_to_ask_and_what_comes(as_bob):
    schema = as_bob.get("/api/v1/schema/", {"format": "json"}).json()
    asked = schema["paths"]["/api/v1/studies/{slug}/next/"]["post"]
    assert [one["name"] for one in asked["parameters"] if one["in"] == "header"] == [
        "Accept-Language"
    ]
    assert "language" in schema["components"]["schemas"]["NextImage"]["properties"]
