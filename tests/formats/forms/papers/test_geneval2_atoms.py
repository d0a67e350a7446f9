import pytest

from jurybox_formats.forms.papers.geneval2_atoms import prompt_is_correct


@pytest.mark.parametrize(
    ("answers", "correct"),
    [
        ({0: 1, 1: 1, 2: 1}, True),
        ({0: 1, 1: 0, 2: 1}, False),
        ({0: 0}, False),
        ({0: 1, 1: 1}, None),
        ({}, None),
    ],
)
def test_a_prompt_is_correct_if_and_only_if_all_its_atoms_are(answers, correct):
    assert prompt_is_correct(answers, atoms=range(3)) is correct


def test_a_prompt_without_atoms_is_neither():
    assert prompt_is_correct({}, atoms=()) is None
