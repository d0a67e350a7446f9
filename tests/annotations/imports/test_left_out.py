"""What an import says of answers that no statistic uses, and of forms that are not known here."""

import pytest

from annotations.exports import labels as label_files
from annotations.forms.versions import form_of, in_words
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Annotation, FormVersion
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.sources.records import LabelRecord
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return making.study(files=False)


def bring(study, *records):
    outcome = Outcome()
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []
    return outcome.warnings


def test_answers_that_no_statistic_uses_are_counted_question_by_question(study):
    said = bring(
        study,
        LabelRecord("early-0", "ann", "mood", 4),
        LabelRecord("early-1", "ann", "mood", "gloomy"),
        LabelRecord("early-2", "ann", "mood", "bright"),
        LabelRecord("early-0", "ben", "mood", CANT_TELL),
        LabelRecord("early-0", "ann", "aligned", 1),
    )
    left_out = [line for line in said if "no statistic of numbers" in line]
    assert left_out == [
        "Question “mood”: 2 in words and 1 “can't tell”. Such answers are kept and counted, and no "
        "statistic of numbers uses them."
    ]


def test_answers_that_were_there_already_are_not_counted_again(study):
    row = LabelRecord("early-0", "ann", "aligned", CANT_TELL)
    assert any("1 “can't tell”" in line for line in bring(study, row))
    assert bring(study, row) == []


def test_a_question_of_text_alone_is_named_once(study):
    (line,) = bring(study, LabelRecord("early-0", "ann", "remark", "two moons"))
    assert line.endswith("inferred as text, which no statistic uses.")


@pytest.mark.parametrize("name", ["crowd-form v3", "The crowd’s form, 2024"])
def test_labels_name_the_form_that_they_were_given_with(study, name):
    said = bring(study, LabelRecord("early-0", "ann", "aligned", 1, form=name))
    assert said == [
        f"Form “{name}” is not known here: its labels keep its name, and are read by the study's own "
        "questions."
    ]
    form = Annotation.objects.get().form
    assert str(form) == name
    assert form.pk != study.form_id
    assert [row["form"] for row in label_files.label_rows(study)] == [name]
    # Brought again, it is the same form, and an answer is shown as its number.
    bring(study, LabelRecord("early-1", "ann", "aligned", 0, form=name))
    assert FormVersion.objects.count() == 2
    assert form_of(form).questions == ()
    assert in_words(form, "aligned", 1.0, "") == "1"


def test_labels_of_a_form_that_is_known_here_name_that_version(study):
    assert bring(study, LabelRecord("early-0", "ann", "aligned", 1, form=str(study.form))) == []
    assert Annotation.objects.get().form_id == study.form_id


def test_a_column_of_a_thousand_names_of_forms_makes_no_thousand_forms(study):
    rows = [
        LabelRecord(f"early-{number % 4}", f"r{number}", "aligned", 1, form=f"row {number}")
        for number in range(300)
    ]
    said = bring(study, *rows)
    assert FormVersion.objects.count() == 101
    assert said[-1].startswith("More than 100 forms are not known here")
    assert Annotation.objects.filter(form=study.form_id).count() == 200
