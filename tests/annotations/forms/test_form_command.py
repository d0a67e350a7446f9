"""`manage.py form`: the page's rules, without the page."""

import io

import pytest
from django.core.management import CommandError, call_command

from annotations.forms.versions import use_form
from annotations.models import FormVersion
from jurybox_formats.forms.papers import EARLIER, FORMS

pytestmark = pytest.mark.django_db


def form(*words) -> str:
    out = io.StringIO()
    call_command("form", "shapes", *words, stdout=out)
    return out.getvalue()


def test_what_is_shown_can_be_set_again(study, tmp_path):
    file = tmp_path / "form.txt"
    file.write_text(form("show"))
    assert "geneval-audit v1" in form("set", str(file))
    assert FormVersion.objects.count() == 1


def test_a_papers_form_by_its_name(study):
    form("set", "--paper=geneval2-atoms")
    study.refresh_from_db()
    assert study.form.slug == "geneval2-atoms"


def test_a_study_keeps_an_earlier_version_of_a_papers_form(study, tmp_path):
    [first] = [form for form in EARLIER.values() if form.slug == "geneval-crowd"]
    use_form(study=study, form=first)
    file = tmp_path / "form.txt"
    file.write_text(form("show"))
    form("set", str(file))
    study.refresh_from_db()
    assert (study.form.slug, study.form.digest) == ("geneval-crowd", first.digest)
    form("set", "--paper=geneval-crowd")
    study.refresh_from_db()
    assert str(study.form) == "geneval-crowd v2"
    assert study.form.digest == FORMS["geneval-crowd"].digest


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["set"], "a file or --paper"),
        (["set", "nowhere.txt"], "cannot be read"),
    ],
)
def test_what_cannot_be_set_is_said(study, words, sentence):
    with pytest.raises(CommandError, match=sentence):
        form(*words)


def test_a_mistake_is_said_with_its_line(study, tmp_path):
    file = tmp_path / "form.txt"
    file.write_text("Title: A\nb (dance): C")
    with pytest.raises(CommandError, match="Line 2: “dance” is not a kind"):
        form("set", str(file))
    study.refresh_from_db()
    assert study.form.slug == "geneval-audit"
