"""A form in several languages: each text under its source, answers the same in all of them."""

import re
import uuid
from dataclasses import replace

import pyarrow.parquet
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from annotations.errors import FormRefused, LabelRefused
from annotations.exports.files import as_parquet
from annotations.exports.labels import COLUMNS, as_csv, label_rows
from annotations.forms.display import blocks
from annotations.forms.html import form_html, instructions_html
from annotations.forms.versions import (
    publish_form,
    questions_for_all,
    shown_language,
    use_form,
)
from annotations.imports.outcome import Outcome
from annotations.imports.write_study import import_records
from annotations.labelling import assign
from annotations.labelling.record import check_answers, record_label
from annotations.models import Annotation, Answer
from audit.people.agreement import body_of
from audit.words.page_sentences import languages_note
from jurybox_formats.forms.definition import YES_NO, Choice, Form, Question, Translation
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.papers.own_form import written_form
from jurybox_formats.forms.per_image import PromptFacts, questions_about
from jurybox_formats.forms.text_format import as_text
from jurybox_formats.forms.validate_definition import read_form
from jurybox_formats.sources.tidy_tables import labels
from tests.annotations.pages.test_label import HTMX, LABEL

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
GERMAN = {
    "Look first.": "Erst ansehen.",
    "Does the image show [OBJECT]s?": "Zeigt das Bild „[OBJECT]“?",
    "Yes": "Ja",
    "No": "Nein",
    "Of any size.": "Gleich wie groß.",
}
FORM = Form(
    slug="own-two",
    title="Two languages",
    source="",
    introduction="Look first.",
    questions=(
        Question(
            "shown", "Does the image show [OBJECT]s?", YES_NO, hint="Of any size.", objects=(0,)
        ),
    ),
)


def in_german(**changed):
    definition = FORM.definition()
    texts = {**GERMAN, **changed}
    definition["translations"] = {
        "de": {"by": "Ada", "texts": {source: text for source, text in texts.items() if text}}
    }
    return definition


def refusal(definition):
    with pytest.raises(FormRefused) as refused:
        read_form(definition)
    return " ".join(refused.value.wrong)


def test_a_form_without_translations_keeps_its_definition_and_digest():
    assert "translations" not in FORM.definition()
    assert (
        FORMS["geneval-audit"].digest
        == "8c307c50c429657c010cb551ba04483ed467b11d48953259d50706512bcc5c29"
    )


def test_a_translation_enters_the_digest_and_survives_its_definition():
    form = read_form(in_german())
    assert form.digest != FORM.digest
    assert replace(form, translations=()).digest == FORM.digest
    assert read_form(form.definition()) == form
    assert form.translations == (Translation("de", tuple(GERMAN.items()), "Ada"),)


def test_the_order_of_texts_does_not_count_as_a_database_keeps_none():
    turned = in_german()
    turned["translations"]["de"]["texts"] = dict(reversed(GERMAN.items()))
    assert read_form(turned) == read_form(in_german())


def test_words_are_filled_in_and_keys_values_and_marks_are_those_of_the_source():
    form = read_form(in_german())
    (asked,) = questions_about(form, PromptFacts("two dogs", objects=("dog",)), "de")
    (block,) = blocks("two dogs", [asked], {})
    question = block.question
    assert question.text == "Zeigt das Bild „dog“?"
    assert (question.hint, question.translated, question.translator) == (
        "Gleich wie groß.",
        True,
        "Ada",
    )
    shown = [(c.value, c.text, c.key, c.word, c.mark) for c in question.choices]
    assert shown == [("1", "Ja", "y", "yes", "✓"), ("0", "Nein", "n", "no", "✗")]
    assert asked.question.text == "Does the image show dogs?"


def test_an_unfinished_translation_is_refused_with_what_it_lacks():
    words = refusal(in_german(Yes=""))
    assert "The German translation is not finished: it has no words for 1 of 5 texts" in words
    assert "“Yes”" in words


def test_words_for_a_text_that_has_changed_are_refused():
    stale = in_german()
    stale["introduction"] = "Look closely first."
    words = refusal(stale)
    assert "has words for “Look first.”, which the form does not say" in words
    assert "no words for 1 of 5 texts, the first is “Look closely first.”" in words


@pytest.mark.parametrize(
    ("translations", "sentence"),
    [
        ([], None),
        ("de", "an object for each language"),
        ({"tlh": {"texts": {}}}, "There is no page in “tlh”; write en, zh-hans, de."),
        ({"de": {"Yes": "Ja"}}, "The German translation needs “texts”"),
        ({"de": {"texts": GERMAN, "who": "me"}}, "The German translation has a “who”"),
        ({"de": {"texts": GERMAN, "by": 7}}, "“by” is a name"),
        ({"de": {"texts": {**GERMAN, "Yes": 7}}}, "is not finished"),
        ({"de": {"texts": {**GERMAN, "No": "Ja"}}}, "the same for two choices"),
        ({"de": {"texts": {**GERMAN, "Yes": "J" * 2001}}}, "2000 are allowed"),
        (
            {"de": {"texts": {**GERMAN, "Does the image show [OBJECT]s?": "Zeigt es etwas?"}}},
            "must name the same of [OBJECT]",
        ),
    ],
)
def test_what_is_no_translation_is_refused_with_a_sentence(translations, sentence):
    definition = FORM.definition() | {"translations": translations}
    if sentence is None:
        assert read_form(definition) == FORM
    else:
        assert sentence in refusal(definition)


def test_a_translation_is_written_as_json_and_read_back():
    form = read_form(in_german())
    assert written_form(as_text(form)) == form


def test_a_papers_form_with_a_translation_keeps_its_name():
    paper = FORMS["genai-likert"]
    (question,) = paper.questions
    texts = (question.text, *(choice.text for choice in question.choices))
    told = replace(paper, translations=(Translation("de", tuple((t, f"{t} (de)") for t in texts)),))
    assert written_form(as_text(told)) == told
    other = replace(told, title="Another title")
    assert written_form(as_text(other)).slug == "own-genai-likert"


def test_numbers_need_no_translation():
    scale = Question("n", "How many?", (Choice(0, "0"), Choice(1, "1 or more")))
    definition = replace(FORM, introduction="", questions=(scale,)).definition()
    texts = {"How many?": "Wie viele?", "1 or more": "1 oder mehr"}
    form = read_form(definition | {"translations": {"de": {"texts": texts}}})
    (asked,) = questions_about(form, PromptFacts(""), "de")
    (block,) = blocks("", [asked], {})
    assert [choice.text for choice in block.question.choices] == ["0", "1 oder mehr"]


# ---- On the page and in the database ------------------------------------------------------------

IS_IT = Question("shown", "Is it there?", YES_NO, cant_tell=True)
PLAIN = replace(FORM, questions=(IS_IT,))
PLAIN_GERMAN = {
    "Look first.": "Erst ansehen.",
    "Is it there?": "Ist es da?",
    "Yes": "Ja",
    "No": "Nein",
}
BOTH = replace(PLAIN, translations=(Translation("de", tuple(PLAIN_GERMAN.items()), "Ada"),))


@pytest.mark.django_db
def test_a_page_shows_the_form_in_its_language_and_caches_each_by_itself():
    version = publish_form(BOTH)
    shown = {}
    for language in ("en", "de", "zh-hans", "en", "de"):
        with translation.override(language):
            questions = questions_for_all(version, shown_language(version))
            html = form_html(version, questions, "", {}) + instructions_html(version, {})
            assert shown.setdefault(language, html) == html
    assert "Is it there?" in shown["en"] and "Look first." in shown["en"]
    assert "translated" not in shown["en"]
    assert "Ist es da?" in shown["de"] and "Erst ansehen." in shown["de"]
    assert "Is it there?" not in shown["de"] and "Can&#x27;t tell" not in shown["de"]
    # A language without a translation is asked in the source.
    assert "Is it there?" in shown["zh-hans"] and "Can&#x27;t tell" in shown["zh-hans"]


@pytest.fixture
def bob_in_two(study, bob):
    use_form(study=study, form=BOTH)
    bob.study.refresh_from_db()
    return bob


def answer_next(person, value, language=""):
    record_label(
        image=assign.next_image(annotator=person).image,
        annotator=person,
        form=person.study.form,
        answers={"shown": value},
        submission=uuid.uuid4(),
        language=language,
    )


def test_the_answer_of_a_page_says_in_which_language_it_was_asked(as_bob, bob_in_two):
    for shown, sent_in, kept in (("de", "en", "de"), ("en", "de", ""), ("zh-hans", "de", "")):
        page = as_bob.get(LABEL, headers={"Accept-Language": shown}).content.decode()
        assert f'name="language" value="{kept}"' in page
        sent = dict(HIDDEN.findall(page)) | {"answer-shown": "1"}
        # Another tab has changed the language since; the page that was answered counts.
        as_bob.post(LABEL, sent, headers={"Accept-Language": sent_in}, **HTMX)
        assert Annotation.objects.latest("pk").language == kept
    assert set(Answer.objects.values_list("value", flat=True)) == {1.0}


def test_a_translation_costs_an_answer_no_query(as_bob, bob_in_two):
    def count_queries(language):
        page = as_bob.get(LABEL, headers={"Accept-Language": language}).content.decode()
        sent = dict(HIDDEN.findall(page)) | {"answer-shown": "1"}
        with CaptureQueriesContext(connection) as queries:
            as_bob.post(LABEL, sent, headers={"Accept-Language": language}, **HTMX)
        return len(queries)

    count_queries("en")
    assert count_queries("de") == count_queries("en")


def test_a_language_that_the_form_has_not_is_refused_and_a_correction_has_its_own(bob_in_two):
    sent = {
        "image": assign.next_image(annotator=bob_in_two).image,
        "annotator": bob_in_two,
        "form": bob_in_two.study.form,
        "answers": {"shown": 1},
    }
    with pytest.raises(LabelRefused, match="no translation “zh-hans”"):
        record_label(**sent, submission=uuid.uuid4(), language="zh-hans")
    assert record_label(**sent, submission=uuid.uuid4(), language="de").language == "de"
    corrected = record_label(**sent, submission=uuid.uuid4())
    assert (corrected.language, corrected.revisions.get().language) == ("", "de")


def test_ones_own_answers_are_read_in_the_language_of_the_page(as_bob, bob_in_two):
    answer_next(bob_in_two, 1)
    for language, word in (("de", "Ja"), ("en", "Yes"), ("zh-hans", "Yes")):
        page = as_bob.get(f"{LABEL}answers/", headers={"Accept-Language": language})
        [(_, [(_, answer)])] = page.context["rows"]
        assert answer == word


def test_a_refusal_names_the_question_as_it_was_asked(bob_in_two):
    image = assign.next_image(annotator=bob_in_two).image
    for language, words in (("de", "“Ist es da?” has no answer"), ("", "“Is it there?” has no")):
        with pytest.raises(LabelRefused, match=re.escape(words)):
            check_answers(image=image, form=bob_in_two.study.form, answers={}, language=language)


def test_exports_and_the_api_say_the_language_and_an_import_keeps_it(
    as_bob, bob_in_two, client, alice, tmp_path
):
    study = bob_in_two.study
    for language in ("de", ""):
        answer_next(bob_in_two, 0, language)
    rows = list(label_rows(study))
    assert sorted(row["language"] for row in rows) == ["", "de"]
    table = tmp_path / "labels.csv"
    table.write_text("".join(as_csv(rows)))
    assert table.read_text().splitlines()[0].endswith(",submitted_at,language")
    assert [record.language for record in labels(table)] == [row["language"] for row in rows]
    body = b"".join(as_parquet(rows, COLUMNS))
    read = pyarrow.parquet.read_table(pyarrow.BufferReader(body)).to_pylist()
    assert sorted(row["language"] or "" for row in read) == ["", "de"]
    client.force_login(alice.user)
    listed = client.get(f"/api/v1/studies/{study.slug}/annotations/").json()["results"]
    assert sorted(one["language"] for one in listed) == ["", "de"]
    Annotation.objects.all().delete()
    import_records(study=study, records=labels(table), outcome=Outcome())
    assert sorted(Annotation.objects.values_list("language", flat=True)) == ["", "de"]


def test_agreement_says_where_a_question_was_asked_in_several_languages(bob_in_two):
    study = bob_in_two.study
    for language in ("de", "", ""):
        answer_next(bob_in_two, 1, language)
    (question,) = body_of(study)["questions"]
    assert question["languages"] == {"": 2, "de": 1}
    assert "in its own words 2 times, in German once" in " ".join(languages_note(question))
    Annotation.objects.update(language="")
    (question,) = body_of(study)["questions"]
    assert "languages" not in question and languages_note(question) == []
