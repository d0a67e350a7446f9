"""Marks on an image: fractions of its sides, checked on the server, the same text in and out."""

import csv
import io
import json
import uuid

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from annotations.errors import FormRefused, LabelRefused
from annotations.forms.validate_answers import validated
from annotations.forms.versions import in_words, use_form
from annotations.labelling import record
from annotations.models import Answer, Membership
from annotations.studies.adjudication import answers_side_by_side, disagreements
from annotations.studies.annotator_quality import agreement_with_majority
from audit.evidence import image_cards
from audit.people import agreement
from jurybox_formats.forms import marks
from jurybox_formats.forms.per_image import PromptFacts, questions_about
from jurybox_formats.forms.text_format import as_text, parse
from jurybox_formats.forms.validate_definition import read_form
from tests import making

WRITTEN = "Title: Where\naligned (yes/no): B?\nwhere (mark, optional): Mark where it is wrong.\n"
POINT, BOX = {"x": 0.25, "y": 0.5}, {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.25}
STORED = '[{"x":0.25,"y":0.5},{"x":0.1,"y":0.2,"width":0.3,"height":0.25}]'


def check(sent):
    form = read_form(parse(WRITTEN))
    asked = questions_about(form, PromptFacts("a dog"))
    return validated(form, asked, {"aligned": "0", "where": sent}).get("where")


def test_a_form_can_ask_for_marks():
    form = read_form(parse(WRITTEN))
    assert form.questions[1].kind == "mark"
    assert form.questions[1].optional
    assert read_form(parse(as_text(form))) == form


@pytest.mark.parametrize(
    ("about", "words"),
    [("mark, per atom", "asked once for each image"), ("mark, can't tell", "with one choice")],
)
def test_marks_are_about_the_whole_image(about, words):
    with pytest.raises(FormRefused, match=words):
        read_form(parse(f"Title: A\nb ({about}): C"))


@pytest.mark.parametrize("sent", [STORED, [STORED], [POINT, BOX], json.dumps([POINT, BOX])])
def test_pages_and_programs_send_the_same_marks(sent):
    assert check(sent) == STORED


@pytest.mark.parametrize("sent", ["", "[]", [], [""], None, ["[]"]])
def test_no_mark_is_no_answer(sent):
    assert check(sent) is None


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("over there", "no list of marks"),
        ('{"x": 1, "y": 1}', "no list of marks"),
        ("[" * 5000, "no list of marks"),
        ("[5]", "a mark has x and y"),
        ('[{"x": 0.5}]', "a mark has x and y"),
        ('[{"x": 0.5, "y": 0.5, "colour": 1}]', "a mark has x and y"),
        ('[{"x": 1.2, "y": 0.5}]', "a number from 0 to 1"),
        ('[{"x": -0.1, "y": 0.5}]', "a number from 0 to 1"),
        ('[{"x": NaN, "y": 0.5}]', "a number from 0 to 1"),
        ('[{"x": "0.5", "y": 0.5}]', "a number from 0 to 1"),
        ('[{"x": true, "y": 0.5}]', "a number from 0 to 1"),
        ('[{"x": 0.9, "y": 0.5, "width": 0.2, "height": 0.1}]', "ends outside the image"),
        ('[{"x": 0.1, "y": 0.5, "width": 0.2}]', "a width and a height"),
        (json.dumps([POINT] * 21), "it has 21 marks, and 20 are allowed"),
    ],
)
def test_what_is_no_mark_on_the_image_is_refused(sent, words):
    with pytest.raises(LabelRefused, match=words):
        check(sent)


SHARE = st.floats(0, 1)


@given(st.lists(st.tuples(SHARE, SHARE, SHARE, SHARE), max_size=marks.MOST))
def test_what_is_written_reads_back_as_the_same_marks(places):
    given_marks = [
        {"x": x, "y": y, "width": width * (1 - x), "height": height * (1 - y)}
        if width * (1 - x) > 0.001 and height * (1 - y) > 0.001
        else {"x": x, "y": y}
        for x, y, width, height in places
    ]
    read = marks.read(given_marks)
    text = marks.marks_text(read)
    assert marks.read(text) == read
    assert marks.marks_text(marks.read(text)) == text
    assert not text or marks.are_in(text)


pytestmark = pytest.mark.django_db


@pytest.fixture
def marked(study, bob, charlie):
    """One image that two people marked in different places."""
    use_form(study=study, form=read_form(parse(WRITTEN)))
    image = study.images.order_by("key").first()
    for person, where in ((bob, [POINT, BOX]), (charlie, [BOX])):
        making.give(image, person)
        record.record_label(
            image=image,
            annotator=person,
            form=study.form,
            answers={"aligned": "0", "where": where},
            submission=uuid.uuid4(),
        )
    return image


def test_marks_are_no_value_to_compare(study, marked):
    # Both said no; that their marks differ is no disagreement.
    assert list(disagreements(study)) == []
    assert [row.key for row in answers_side_by_side(marked)] == ["aligned"]
    assert {share.of for share in agreement_with_majority(study).values()} == {1}
    assert [row["question"] for row in agreement.body_of(study)["questions"]] == ["aligned"]


def test_pages_say_how_many_there_are(study, marked):
    assert in_words(study.form, "where", None, STORED) == "2 marks on the image"
    assert in_words(study.form, "where", None, '[{"x":0,"y":1}]') == "1 mark on the image"


def name_of(person: int) -> str:
    return Membership.objects.get(pk=person).name


def test_the_evidence_places_them_in_fractions_of_the_image(marked):
    placed = image_cards.placed_marks(image_cards.raters(marked, name_of))
    found = [(m.person, m.x, m.y, m.width, m.height, m.is_point) for m in placed]
    assert found == [
        ("bob", 0.25, 0.5, 0, 0, True),
        ("bob", 0.1, 0.2, 0.3, 0.25, False),
        ("charlie", 0.1, 0.2, 0.3, 0.25, False),
    ]


def test_a_mark_may_be_on_the_picture_before_the_edit(marked):
    there = BOX | {"on": "source"}
    text = '[{"x":0.25,"y":0.5},{"x":0.1,"y":0.2,"width":0.3,"height":0.25,"on":"source"}]'
    assert check([POINT, there]) == text
    assert marks.marks_text(marks.read(text)) == text
    assert marks.in_words(text) == "1 mark on the image and 1 mark on the picture before the edit"
    assert marks.in_words(marks.marks_text(marks.read([there]))).startswith("1 mark on the picture")
    Answer.objects.filter(text=STORED).update(text=text)
    placed = image_cards.placed_marks(image_cards.raters(marked, name_of))
    assert [mark.on for mark in placed] == ["", "source", ""]


@pytest.mark.parametrize("on", ["mask", "result", "source-0", "source-", 5, None, ["source"]])
def test_a_mark_is_on_no_other_picture(on):
    with pytest.raises(LabelRefused, match="on the image, or on its “source”"):
        check([POINT | {"on": on}])


def test_a_text_that_only_looks_like_marks_breaks_no_page(marked):
    Answer.objects.filter(text=STORED).update(text='[{"x":"boo"}]')
    assert len(image_cards.placed_marks(image_cards.raters(marked, name_of))) == 1


def test_an_export_reads_back(study, marked, tmp_path):
    file = tmp_path / "labels.csv"
    call_command("export_labels", study.slug, out=file, stderr=io.StringIO())
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    cells = {row["value"] for row in rows if row["question"] == "where"}
    assert STORED in cells
    copy = making.study("copy")
    use_form(study=copy, form=read_form(parse(WRITTEN)))
    out = io.StringIO()
    call_command("import_labels", "copy", str(file), json=True, stdout=out)
    assert json.loads(out.getvalue())["rejected"] == []
    there = Answer.objects.filter(annotation__study=copy, question="where")
    assert set(there.values_list("text", flat=True)) == cells


def test_an_import_refuses_what_is_no_mark(study, marked, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text("image_id,rater,question,value\nlate-0,zoe,where,over there\n")
    out = io.StringIO()
    call_command("import_labels", study.slug, str(file), json=True, stdout=out)
    [rejected] = json.loads(out.getvalue())["rejected"]
    assert rejected["line"] == 2
    assert "no list of marks" in rejected["reason"]
