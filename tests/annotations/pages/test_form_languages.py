"""The builder's languages: one text field per text, its source beside it; unfinished is refused."""

from dataclasses import replace

import pytest

from annotations.forms import builder
from annotations.forms.builder_languages import closed_translations
from annotations.forms.versions import form_of, use_form
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.translations import LANGUAGES, translation_of
from jurybox_formats.forms.validate_definition import read_form
from tests.annotations.forms.test_builder import posted

pytestmark = pytest.mark.django_db
PAGE = "/studies/shapes/form/"


def fields(response):
    """What the shown page would send, its open language among it."""
    draft, context = response.context["draft"], response.context
    post = posted(draft)
    post["builder"] = "yes"
    post["translations"] = closed_translations(draft["translations"])
    post["translating"] = context["translating"]
    for row in context["texts"]:
        post.appendlist("translation-source", row.source)
        post.appendlist("translation-text", row.text)
    return post


def press(client, response, do="", **changed):
    post = fields(response)
    for name, value in changed.items():
        post[name] = value
    post["do" if do else "use"] = do or "yes"
    return client.post(PAGE, dict(post.lists()))


def write(response, source, text):
    """Type a translation."""
    rows = response.context["texts"]
    place = next(at for at, row in enumerate(rows) if row.source == source)
    rows[place] = rows[place]._replace(text=text)


@pytest.fixture
def likert(study, alice):
    use_form(study=study, form=FORMS["genai-likert"])
    return study


def asked(study):
    study.refresh_from_db()
    return form_of(study.form)


def test_a_papers_form_begins_with_jurybox_translation_and_keeps_its_name(as_alice, likert):
    page = as_alice.get(PAGE)
    assert [(row.name, row.done) for row in page.context["languages"]] == [
        ("Simplified Chinese", None),
        ("German", None),
    ]
    page = press(as_alice, page, "translate de")
    assert page.context["translating"] == "de"
    assert "Entspricht ihr genau." in page.content.decode()
    assert "Translation by Jurybox" in page.content.decode()
    assert press(as_alice, page).status_code == 302
    form = asked(likert)
    assert form == replace(
        FORMS["genai-likert"], translations=(translation_of(FORMS["genai-likert"], "de"),)
    )
    assert str(likert.form) == "genai-likert v2"


def test_the_preview_is_in_the_language_that_is_open(as_alice, likert):
    page = press(as_alice, as_alice.get(PAGE), "translate zh-hans")
    assert "图片（或视频）与描述有多相符？" in page.context["preview"]["questions"]
    page = press(as_alice, page, "translate")
    assert "How well does the image" in page.context["preview"]["questions"]


def test_what_an_owner_changes_is_no_longer_jurybox_translation(as_alice, likert):
    page = press(as_alice, as_alice.get(PAGE), "translate de")
    write(page, "Matches exactly.", "Stimmt haargenau.")
    press(as_alice, page)
    (told,) = asked(likert).translations
    assert (told.by, dict(told.texts)["Matches exactly."]) == ("", "Stimmt haargenau.")


def test_an_unfinished_translation_is_refused_and_what_was_typed_stays(as_alice, likert):
    page = press(as_alice, as_alice.get(PAGE), "translate de")
    write(page, "Matches exactly.", " ")
    write(page, "Has a few minor discrepancies.", "Fast gleich.")
    page = press(as_alice, page)
    assert page.status_code == 422
    text = page.content.decode()
    assert "The German translation is not finished: it has no words for 1 of 6 texts" in text
    assert "Fast gleich." in text
    assert page.context["preview"]["questions"] and str(likert.form) == "genai-likert v1"


def test_a_source_that_changes_leaves_its_old_words_to_be_looked_at(as_alice, likert):
    page = press(as_alice, as_alice.get(PAGE), "translate de")
    press(as_alice, page)
    page = press(as_alice, as_alice.get(PAGE), "open 0")
    post = fields(page)
    question = page.context["draft"]["questions"][0]
    question["text"] = "How well does it match?"
    post.setlist("question", [builder.closed(question)])
    post["open"], post["use"] = "", "yes"
    page = as_alice.post(PAGE, dict(post.lists()))
    assert page.status_code == 422
    # The language that is wrong stands open.
    assert page.context["translating"] == "de"
    rows = {row.source: row for row in page.context["texts"]}
    old = "How well does the image (or video) match the description?"
    assert rows["How well does it match?"].text == "" and rows[old].is_old
    assert "The form no longer says this." in page.content.decode()
    write(page, "How well does it match?", "Wie gut passt es?")
    write(page, old, "")
    assert press(as_alice, page).status_code == 302
    assert (
        dict(asked(likert).translations[0].texts)["How well does it match?"] == "Wie gut passt es?"
    )


def test_a_language_is_removed_and_the_form_is_the_earlier_version_again(as_alice, likert):
    press(as_alice, press(as_alice, as_alice.get(PAGE), "translate de"))
    page = press(as_alice, as_alice.get(PAGE), "untranslate de")
    assert press(as_alice, page).status_code == 302
    likert.refresh_from_db()
    assert str(likert.form) == "genai-likert v1"


@pytest.mark.parametrize(
    "sent", ["{", "[]", '{"de": 7}', '{"de": {"texts": []}}', '{"tlh": {"texts": {"a": "b"}}}']
)
def test_odd_fields_are_no_translation(as_alice, likert, sent):
    page = press(as_alice, as_alice.get(PAGE), "preview", translations=sent, translating="de")
    assert page.context["draft"]["translations"] == {} and page.context["translating"] == ""


@pytest.mark.parametrize("do", ["translate tlh", "untranslate de", "untranslate", "translate"])
def test_a_button_that_is_not_there_changes_nothing(as_alice, likert, do):
    page = press(as_alice, as_alice.get(PAGE), do)
    assert page.status_code == 200 and page.context["draft"]["translations"] == {}


@pytest.mark.parametrize("slug", ["geneval-crowd", "geneval2-atoms", "t2i-compbench"])
def test_both_translations_go_through_the_fields_and_the_lines(as_alice, alice, slug):
    form = FORMS[slug]
    told = replace(form, translations=tuple(translation_of(form, one) for one in LANGUAGES))
    use_form(study=alice.study, form=read_form(told.definition()))
    version = alice.study.form
    page = as_alice.get(PAGE)
    assert page.context["same"]
    for do in ("translate de", "translate zh-hans"):
        page = press(as_alice, page, do)
        assert page.context["same"]
    text = press(as_alice, page, "words").context["text"]
    assert as_alice.post(PAGE, {"definition": text, "use": "yes"}).status_code == 302
    alice.study.refresh_from_db()
    assert alice.study.form == version
