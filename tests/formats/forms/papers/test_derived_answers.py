"""What nobody was asked, and yet is known: whether the image is right."""

import pytest

from jurybox_formats.forms.papers import genai_likert, geneval2_atoms, geneval_audit, geneval_crowd
from jurybox_formats.forms.papers.derived_answers import derived_answers
from jurybox_formats.forms.per_image import PromptFacts, questions_about
from jurybox_formats.sources.records import AtomRecord

CIRCLE = {"include": [{"class": "circle", "count": 1, "color": "red"}]}
SEEN = {"objects": "circle", "count-0": 1.0, "color-0": "red", "realism-0": 3.0, "fit": 4.0}
ATOMS = tuple(AtomRecord(n, "object", f"thing {n}", "Is it there?", "Yes") for n in range(3))


def follows(form, answers, *, metadata=None, atoms=()):
    questions = questions_about(form, PromptFacts("a red circle", atoms=atoms))
    return derived_answers(form, questions, metadata or {}, answers)


@pytest.mark.parametrize(
    ("changes", "aligned"), [({}, 1.0), ({"color-0": "blue"}, 0.0), ({"count-0": 0.0}, 0.0)]
)
def test_the_crowd_s_answers_say_whether_the_prompt_s_clauses_hold(changes, aligned):
    found = follows(geneval_crowd.FORM, SEEN | changes, metadata=CIRCLE)
    assert found == {"aligned": aligned}


@pytest.mark.parametrize(
    "metadata",
    [{}, {"include": []}, {"include": "circle"}, {"include": [{"class": "circle"}]}],
)
def test_a_prompt_without_clauses_that_can_be_read_leaves_it_open(metadata):
    assert follows(geneval_crowd.FORM, SEEN, metadata=metadata) == {}


@pytest.mark.parametrize(("values", "aligned"), [((1, 1, 1), 1.0), ((1, 0, 1), 0.0)])
def test_a_prompt_is_right_when_all_its_atoms_are(values, aligned):
    answers = {f"atom.{n}": value for n, value in enumerate(values)} | {"quality": 1}
    assert follows(geneval2_atoms.FORM, answers, atoms=ATOMS) == {"aligned": aligned}


def test_without_atoms_nothing_follows():
    assert follows(geneval2_atoms.FORM, {"atom": 1, "quality": 1}) == {}


def test_a_form_that_asks_it_or_something_else_is_left_as_it_is():
    assert follows(geneval_audit.FORM, {"aligned": 0, "quality": 1}) == {}
    assert follows(genai_likert.FORM, {"likert": 5}, atoms=ATOMS) == {}
