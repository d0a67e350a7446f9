"""New study from a template: its questions and settings, or the questions that the files answer."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotations.models import PairPlan, Study
from judges.intake.templates import TEMPLATES
from jurybox_formats.forms.papers import FORMS
from jurybox_judging.catalogue import JUDGES
from tests import making

pytestmark = pytest.mark.django_db
ANSWERS = b"path,caption,model,rating\n1.png,a red cup,SDXL,4\n2.png,two dogs,FLUX,2\n"
NO_ANSWERS = b"path,caption,model\n1.png,a red cup,SDXL\n2.png,two dogs,FLUX\n"


def make(client, do="empty", **sent):
    client.post(reverse("study-new"), {"do": do, "name": "March", **sent})
    return Study.objects.filter(slug="march").first()


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_names_a_form_and_judges_that_there_are(name):
    assert TEMPLATES[name].form in FORMS
    assert set(TEMPLATES[name].judges) <= set(JUDGES)


@pytest.mark.parametrize(
    ("name", "form", "gold", "pairs"),
    [
        ("geneval", "geneval-audit", 5, False),
        ("soft-tifa", "geneval2-atoms", 5, False),
        ("vqa-score", "genai-likert", 0, False),
        ("pairs", "geneval-audit", 0, True),
        ("edits", "edit", 5, False),
    ],
)
def test_an_empty_study_has_the_templates_questions_and_settings(as_alice, name, form, gold, pairs):
    study = make(as_alice, template=name)
    assert (study.form.slug, study.overlap, study.gold_share) == (form, 3, gold)
    assert PairPlan.objects.filter(study=study).exists() == pairs


@pytest.mark.parametrize("name", ["", "no-such-template"])
def test_without_a_template_all_is_as_it_was(as_alice, name):
    study = make(as_alice, template=name)
    assert (study.form.slug, study.gold_share) == ("geneval-audit", 0)
    assert not study.events.filter(did="template").exists()


@pytest.mark.parametrize(("columns", "form"), [(ANSWERS, "march-labels"), (NO_ANSWERS, "edit")])
def test_files_with_answers_keep_their_questions_and_others_take_the_templates(
    as_alice, columns, form
):
    pictures = [SimpleUploadedFile(f"{n}.png", making.png((n, 2, 3)), "image/png") for n in (1, 2)]
    files = [SimpleUploadedFile("images.csv", columns, "text/csv"), *pictures]
    make(as_alice, "look", file=files, template="edits")
    assert make(as_alice, "make", template="edits").form.slug == form
