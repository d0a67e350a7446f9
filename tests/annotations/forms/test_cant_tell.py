""" "Can't tell": an answer like any other to whoever gives it, and a number to nobody."""

import csv
import io
import json
import uuid

import pytest
from django.core.management import call_command

from annotations.consensus import RULES
from annotations.errors import FormRefused, LabelRefused
from annotations.exports.labels import consensus_rows
from annotations.forms.display import show_question
from annotations.forms.validate_answers import validated
from annotations.forms.versions import use_form
from annotations.labelling import assign, record
from annotations.models import Answer
from annotations.studies.adjudication import decide
from annotations.studies.annotator_quality import people_rows
from annotations.studies.queries import cannot_tell
from audit.people import agreement
from audit.reports.make import compute
from audit.reports.options import Options
from audit.reports.pairing import pair
from audit.words import report as words
from jurybox_formats.forms.definition import YES_NO, Choice, Form, Question
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.per_image import AskedQuestion, PromptFacts, questions_about
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.forms.text_format import as_text, parse
from jurybox_formats.forms.validate_definition import read_form
from tests import making

WRITTEN = """
Title: Unsure
aligned (yes/no, can't tell): Does it match?
look (scale, can’t tell): How does it look?
- Bad
- Fair
- Good
atom (yes/no, per atom, can't tell): Is this part right?
why (text, when aligned is Can't tell): Why not?
"""


def unsure() -> Form:
    return read_form(parse(WRITTEN))


def test_lines_switch_it_on_and_come_back():
    form = unsure()
    assert [question.cant_tell for question in form.questions] == [True, True, True, False]
    assert form.questions[3].when[0].one_of == (CANT_TELL,)
    assert as_text(form).startswith("Form:")
    assert read_form(parse(as_text(form))) == form


def test_off_it_leaves_no_trace_in_a_definition():
    question = Question("aligned", "Does it match?", YES_NO)
    form = Form("f", "F", "", (question,))
    assert "cant_tell" not in json.dumps(form.definition())
    for paper in FORMS.values():
        assert "cant_tell" not in json.dumps(paper.definition()), paper.slug


@pytest.mark.parametrize("kind", ["text", "number", "several"])
def test_only_a_question_with_one_choice_offers_it(kind):
    choices = "\n- a\n- b" if kind == "several" else ""
    with pytest.raises(FormRefused, match="only a question with one choice"):
        read_form(parse(f"Title: A\nb ({kind}, can't tell): C{choices}"))


def test_it_does_not_stand_among_the_choices_as_well():
    with pytest.raises(FormRefused, match="twice"):
        read_form(parse("Title: A\nb (choice, can't tell): C\n- can't tell = Dunno\n- d"))


def test_it_is_an_answer_only_where_it_is_offered():
    facts = PromptFacts("a dog")
    form = unsure()
    asked = questions_about(form, facts)
    sent = {"aligned": CANT_TELL, "look": CANT_TELL, "atom": "1", "why": "too small"}
    assert validated(form, asked, sent) == {**sent, "atom": 1}
    paper = FORMS["geneval-audit"]
    with pytest.raises(LabelRefused, match="takes one of: Yes, No; nothing"):
        sent = {"aligned": CANT_TELL, "quality": "1"}
        validated(paper, questions_about(paper, facts), sent)


def test_its_key_is_one_that_no_choice_has():
    plain = Question("aligned", "?", YES_NO, cant_tell=True)
    assert [
        choice.key for choice in show_question(AskedQuestion("a", plain), None).choices
    ] == list("ync")
    own = (Choice("cat", "A cat", "c"), Choice("fox", "A fox", "x"))
    other = Question("animal", "?", own, cant_tell=True)
    assert [
        choice.key for choice in show_question(AskedQuestion("a", other), None).choices
    ] == list("cxt")
    chosen = show_question(AskedQuestion("a", plain), CANT_TELL).choices
    assert [choice.chosen for choice in chosen] == [False, False, True]


@pytest.fixture
def labelled(study, bob, charlie):
    """One image: ann and ben by hand; "aligned" is 1, 1, can't tell."""
    use_form(study=study, form=unsure())
    third = making.person(study, "dora")
    image = study.images.order_by("key").first()
    for person, aligned, look in ((bob, "1", "3"), (charlie, "1", CANT_TELL), (third, None, "1")):
        why = {"why": "it is too dark"} if aligned is None else {}
        making.give(image, person)
        record.record_label(
            image=image,
            annotator=person,
            form=study.form,
            answers={
                "aligned": aligned or CANT_TELL,
                "look": look,
                "atom.0": "1",
                "atom.1": CANT_TELL,
                **why,
            },
            submission=uuid.uuid4(),
        )
    return image


pytestmark = pytest.mark.django_db


def test_it_is_stored_as_a_word_and_never_as_a_number(labelled):
    rows = Answer.objects.filter(text=CANT_TELL)
    # aligned 1, look 1, the second atom 3
    assert rows.count() == 5
    assert not rows.filter(value__isnull=False).exists()


def test_a_whole_does_not_follow_from_a_part_that_nobody_can_tell(study, bob):
    form = read_form(
        parse("Title: Parts\natom (yes/no, per atom, can't tell): Is this part right?")
    )
    use_form(study=study, form=form)
    for second, follows in ((CANT_TELL, None), ("0", 0), ("1", 1)):
        image = assign.next_image(annotator=bob).image
        sent = {"atom.0": "1", "atom.1": second}
        made = record.record_label(
            image=image, annotator=bob, form=study.form, answers=sent, submission=uuid.uuid4()
        )
        given = dict(made.answers.values_list("question", "value"))
        assert given.get("aligned") == follows


def test_reports_take_it_for_no_answer_and_count_it(study, labelled):
    body, _ = compute(study, Options(question="aligned"))
    # Two said yes; the third one could not tell: the share is 2 of 2, not 2 of 3.
    assert body["people"]["annotations"] == 2
    assert body["people"]["raters"] == 2
    assert body["people"]["cannot_tell"] == {
        "aligned": {"n": 1, "of": 3},
        "atom": {"n": 3, "of": 6},
        "look": {"n": 1, "of": 3},
    }
    generator = next(row for row in body["generators"] if row["human_score"]["n"])
    assert generator["human_score"]["n"] == 1
    assert words.missing(body)[0] == (
        "1 of 3 answers to “aligned” are “can’t tell”: no statistic counts them."
    )


def test_means_leave_it_out(study, labelled):
    people = pair(study=study, question="look").people
    # 3 and 1; nobody's third value pulls the mean from 2.
    assert people.mean[people.has_labels].tolist() == [2]


def test_agreement_between_people_leaves_it_out(study, labelled):
    body = agreement.body_of(study)
    by_name = {row["question"]: row for row in body["questions"]}
    assert by_name["aligned"]["answers"] == 2
    assert by_name["aligned"]["percent"]["value"] == 1
    # 3 and 1 are numbers still: the word beside them did not make them names.
    assert by_name["look"]["alpha"]["interval"].get("undefined") != "the answers have no order"
    assert body["cannot_tell"]["atom"] == {"n": 3, "of": 6}


def test_a_question_that_nobody_could_answer_has_no_agreement(study, bob):
    use_form(study=study, form=read_form(parse("Title: A\naligned (yes/no, can't tell): B?")))
    image = assign.next_image(annotator=bob).image
    record.record_label(
        image=image,
        annotator=bob,
        form=study.form,
        answers={"aligned": CANT_TELL},
        submission=uuid.uuid4(),
    )
    body = agreement.body_of(study)
    assert body["questions"] == []
    assert body["cannot_tell"] == {"aligned": {"n": 1, "of": 1}}


def test_who_cannot_tell_misses_no_known_answer(study, labelled):
    study.images.filter(pk=labelled.pk).update(gold={"aligned": 1, "look": 3})
    shares = {row.member.name: (row.gold.right, row.gold.of) for row in people_rows(study)}
    assert shares == {"bob": (2, 2), "charlie": (1, 1), "dora": (0, 1)}


def test_it_can_be_what_the_owner_decides(study, labelled, alice):
    decision = decide(image=labelled, key="aligned", answer=CANT_TELL, note="", by=alice.user)
    assert (decision.value, decision.text) == (None, CANT_TELL)


def test_an_export_has_it_as_its_own_value_and_reads_it_back(study, labelled, tmp_path):
    file = tmp_path / "labels.csv"
    call_command("export_labels", study.slug, out=file, stderr=io.StringIO())
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [row["value"] for row in rows].count("can't tell") == 5
    copy = making.study("copy")
    use_form(study=copy, form=unsure())
    out = io.StringIO()
    call_command("import_labels", "copy", str(file), json=True, stdout=out)
    result = json.loads(out.getvalue())
    assert result["rejected"] == []
    assert result["answers"] == len(rows)
    assert cannot_tell(copy) == cannot_tell(study)
    again = tmp_path / "again.csv"
    call_command("export_labels", "copy", out=again, pseudonyms="nobody", stderr=io.StringIO())
    back = list(csv.DictReader(io.StringIO(again.read_text())))

    def plain(rows):
        return sorted((r["image_id"], r["question"], r["atom"], r["value"]) for r in rows)

    assert plain(back) == plain(rows)


@pytest.mark.parametrize("rule", RULES)
def test_what_nobody_could_tell_has_no_value_in_a_consensus_and_says_so(study, labelled, rule):
    rows = {(row["question"], row["atom"]): row for row in consensus_rows(study, rule=rule)}
    assert rows["atom", 1]["value"] == ""
    assert rows["atom", 1]["raters"] == 0
    assert rows["atom", 1]["undecided"] == "nobody could tell"
    assert rows["aligned", ""]["value"] == 1
