"""Names that look alike: one spelling each, wherever they come from."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models.people import free_name
from annotations.names import LOOKS, clean_name, name_like
from annotations.pairs import files
from annotations.studies import invitations
from audit.accounts import single_sign_on
from jurybox_formats.sources.records import LabelRecord
from tests import making

SAME = ["name ", " name", "na\u200bme", "na\u00adme", "\ufeffname", "ｎａｍｅ", "na\u2060me\u202e"]
CYRILLIC = "n\u0430me"


@pytest.mark.parametrize("written", SAME)
def test_what_nobody_sees_makes_no_other_name(written):
    assert clean_name(written) == "name"


def test_normal_forms_become_one_and_letters_stay():
    assert clean_name("Zoe\u0308  Müller") == clean_name("Zoë Mu\u0308ller") == "Zoë Müller"
    assert clean_name("Анна") == "Анна"


@pytest.mark.parametrize("letter", [chr(code) for code in LOOKS])
def test_a_letter_that_is_drawn_like_a_latin_one_is_taken_for_it(letter):
    assert name_like(f"x{letter}", ["y", f"x{chr(LOOKS[ord(letter)])}"]) is not None


@pytest.mark.parametrize("written", ["na\ufe0fme", "name\U000e0100", "na\u180bme", "na\u180fme"])
def test_marks_that_choose_a_form_make_no_other_name(written):
    assert clean_name(written) == "name"


@pytest.mark.parametrize("written", ["ɴᴀᴍᴇ", "ꓠꓮꓟꓰ", "NᎪᎷᎬ"])
def test_whole_names_in_other_letters_are_taken_for_what_they_look_like(written):
    assert name_like(written, ["name"]) == "name"


def test_different_names_are_not_alike():
    assert name_like("anna", ["ann", "änna", "anna2"]) is None


def labels(study, *raters):
    outcome = Outcome()
    images = ("early-0", "late-0", "early-1", "late-1")
    records = [
        LabelRecord(images[number], rater, "aligned", 1.0, line=number + 2, source="labels.csv")
        for number, rater in enumerate(raters)
    ]
    write_study.import_records(study=study, records=records, outcome=outcome)
    return outcome


@pytest.mark.django_db
def test_a_rater_written_with_invisible_letters_is_the_same_person_and_it_is_told(study):
    outcome = labels(study, "name", "name ", "na\u200bme")
    assert list(study.memberships.values_list("name", flat=True)) == ["name"]
    told = [words for words in outcome.warnings if "was read as" in words]
    assert told == [
        "Line 3: the name 'name ' was read as “name”.",
        "Line 4: the name 'na\\u200bme' was read as “name”.",
    ]


@pytest.mark.django_db
def test_a_rater_that_looks_like_another_is_refused_with_its_line(study):
    outcome = labels(study, "name", CYRILLIC)
    (refused,) = outcome.rejected
    assert (refused["field"], refused["line"]) == ("rater", 3)
    assert "looks like “name”" in refused["reason"]
    assert study.memberships.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("written", ["BOB", "bob\u200b", "b\u043eb"])
def test_nobody_but_the_owner_imports_under_a_name_that_looks_like_an_annotators(
    study, bob, written
):
    outcome = Outcome()
    record = LabelRecord("early-0", written, "aligned", 1.0, line=2, source="labels.csv")
    write_study.import_records(study=study, records=[record], outcome=outcome, for_anybody=False)
    assert [one["field"] for one in outcome.rejected] == ["rater"]


@pytest.mark.django_db
def test_a_vote_of_a_name_that_looks_like_another_is_refused_with_its_line(study):
    row = {
        "pair_id": "p",
        "prompt_id": "p0",
        "first": "early-0",
        "second": "late-0",
        "question": "match",
    }
    rows = [row | {"rater": "name", "value": "first"}]
    rows.append(row | {"rater": CYRILLIC, "value": "first", "question": "quality"})
    with pytest.raises(files.VotesRefused, match="Line 3.*looks like “name”"):
        files.take(study, rows)
    taken = files.take(study, [rows[0], rows[0] | {"rater": "na\u200bme", "question": "quality"}])
    assert "Line 3: the name 'na\\u200bme' was read as “name”." in taken.sentence()
    assert study.memberships.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("written", [*SAME, CYRILLIC, "NAME"])
def test_no_new_account_looks_like_another(written):
    get_user_model().objects.create_user("name")
    made = invitations._new_account(clean_name(written), "!")
    assert made.username.endswith("-2")
    assert single_sign_on._free_name({"preferred_username": written}).endswith("-3")


@pytest.mark.django_db
def test_a_member_whose_name_looks_like_anothers_gets_a_number(study):
    making.person(study, "name")
    assert free_name(study, CYRILLIC) == f"{CYRILLIC} (2)"
    assert free_name(study, "other\u200b") == "other"
