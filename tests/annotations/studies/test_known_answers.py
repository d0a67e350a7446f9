"""Known answers: set from any image, by a table, by a command; partial, checked, and taken away."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import StudyRefused
from annotations.forms.versions import use_form
from annotations.models import Event, Image, KnownAnswer
from annotations.studies import known_answers
from jurybox_formats.forms.papers import geneval2_atoms
from tests import making

pytestmark = pytest.mark.django_db


def image(study, key="early-0") -> Image:
    return Image.objects.select_related("prompt", "study__form").get(study=study, key=key)


def gold(study, key="early-0"):
    return Image.objects.get(study=study, key=key).gold


def write(tmp_path, text):
    path = tmp_path / "known.csv"
    path.write_text(text)
    return path


def test_an_image_gets_its_answers_and_whose_they_are(study, alice):
    known_answers.make(
        image=image(study),
        answers={"aligned": "1", "quality": "0"},
        explanation=" One red circle. ",
        by=alice.user,
    )
    assert gold(study) == {"aligned": 1, "quality": 0}
    known = KnownAnswer.objects.get()
    assert (known.set_by, known.explanation) == (alice.user, "One red circle.")


def test_a_part_of_the_questions_is_enough_but_none_is_not(study):
    known_answers.make(image=image(study), answers={"aligned": "1", "quality": ""})
    assert gold(study) == {"aligned": 1}
    with pytest.raises(StudyRefused, match="at least one question"):
        known_answers.make(image=image(study), answers={"aligned": ""})
    assert gold(study) == {"aligned": 1}


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"aligned": "7"}, "takes one of: Yes, No"),
        ({"beauty": "1"}, "no question “beauty”"),
        ({"atom.0": "1"}, "no question “atom.0”"),
    ],
)
def test_what_the_form_does_not_ask_or_take_is_refused(study, answers, words):
    with pytest.raises(StudyRefused, match=words):
        known_answers.make(image=image(study), answers=answers)
    assert gold(study) is None


def test_single_atoms_may_be_known(study):
    use_form(study=study, form=geneval2_atoms.FORM)
    known_answers.make(image=image(study), answers={"atom.1": "0"})
    assert gold(study) == {"atom.1": 0}


def test_taken_away_it_is_an_ordinary_image(study):
    known_answers.make(image=image(study), answers={"aligned": "1"})
    known_answers.remove(image=image(study))
    assert gold(study) is None
    assert not KnownAnswer.objects.exists()


def test_the_list_says_how_people_did(study, bob, charlie):
    picture = image(study)
    making.labels(study, {"early-0": {"ann": 1, "ben": 0, "cora": 1}})
    known_answers.make(image=picture, answers={"aligned": "1"})
    [row] = known_answers.as_shown(study, known_answers.list_known(study))
    # Ann and Cora said yes, Ben no.
    assert (row.share.right, row.share.of) == (2, 3)
    assert row.answers[0].answer == "Yes"


def test_an_answer_to_a_question_that_is_no_longer_asked_is_named(study):
    known_answers.make(image=image(study), answers={"aligned": "1", "quality": "1"})
    use_form(study=study, form=geneval2_atoms.FORM)
    [row] = known_answers.as_shown(study, known_answers.list_known(study))
    assert row.unfit == ("aligned",)  # the new form asks for quality, too


def test_a_table_sets_many_and_comes_out_as_it_went_in(study, tmp_path):
    text = (
        "image_id,question,value,atom,explanation\n"
        "early-0,aligned,1,,It is red.\n"
        "early-0,quality,0,,It is red.\n"
        "late-1,aligned,0,,\n"
    )
    assert known_answers.import_table(study=study, path=write(tmp_path, text)) == 2
    assert gold(study) == {"aligned": 1, "quality": 0}
    assert gold(study, "late-1") == {"aligned": 0}
    assert known_answers.as_table(study) == text
    assert Event.objects.filter(study=study, did="gold").count() == 1


def test_a_table_with_mistakes_sets_nothing_and_names_each_with_its_line(study, tmp_path):
    path = write(
        tmp_path,
        "image_id,question,value\nearly-0,aligned,1\nnowhere,aligned,1\nlate-0,aligned,9\n"
        "late-1,aligned,1\nlate-1,aligned,0\n",
    )
    with pytest.raises(known_answers.TableRefused) as refused:
        known_answers.import_table(study=study, path=path)
    words = " ".join(refused.value.wrong)
    assert "Line 3, image_id: the study has no image “nowhere”" in words
    assert "Line 4, image “late-0”" in words
    assert "takes one of: Yes, No" in words
    assert "Line 6, question: “aligned” stands twice" in words
    assert not Image.objects.filter(gold__isnull=False).exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("image_id,answer\nearly-0,1\n", "question"),
        ("image_id,question,value\n", "no rows"),
    ],
)
def test_what_is_no_such_table_is_refused_in_words(study, tmp_path, text, words):
    with pytest.raises(known_answers.TableRefused, match=words):
        known_answers.import_table(study=study, path=write(tmp_path, text))


def test_the_command_does_what_the_pages_do(study, tmp_path):
    out = io.StringIO()
    call_command(
        *("known_answers", "shapes", "add", "early-0", "aligned=1", "--explanation", "Red."),
        stdout=out,
    )
    call_command("known_answers", "shapes", "list", stdout=out)
    assert "early-0,aligned,1,,Red." in out.getvalue()
    path = write(tmp_path, "image_id,question,value\nlate-0,aligned,0\n")
    call_command("known_answers", "shapes", "import", str(path), stdout=out)
    assert gold(study, "late-0") == {"aligned": 0}
    call_command("known_answers", "shapes", "remove", "late-0", stdout=out)
    assert gold(study, "late-0") is None
    for arguments in (["add", "early-0", "aligned=9"], ["remove", "nowhere"]):
        with pytest.raises(CommandError):
            call_command("known_answers", "shapes", *arguments)
