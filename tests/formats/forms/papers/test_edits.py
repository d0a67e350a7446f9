"""What the papers make of one person's answers about an edit."""

from __future__ import annotations

import math

import pytest

from jurybox_formats.forms.papers import edits
from jurybox_formats.forms.papers.derived_answers import derived_answers


@pytest.mark.parametrize(
    ("form", "answers", "overall"),
    [
        # √(SC · PQ)
        (edits.IMAGENHUB, {"semantic_consistency": 0.5, "perceptual_quality": 1}, math.sqrt(0.5)),
        (edits.IMAGENHUB, {"semantic_consistency": 0, "perceptual_quality": 1}, 0),
        # The smaller of the first two is 4: √(4 · 9) = 6.
        (edits.GEDIT, {"success": 8, "no_over_editing": 4, "perceptual_quality": 9}, 6),
        # 5 and 4 count 2 at most beside an instruction of 2: (2 + 2 + 2) / 3.
        (edits.IMGEDIT, {"instruction": 2, "detail": 5, "realism": 4}, 2),
        # (5 + 3 + 4) / 3
        (edits.IMGEDIT, {"instruction": 5, "detail": 3, "realism": 4}, 4),
    ],
)
def test_the_overall_score_follows_from_the_answers(form, answers, overall):
    assert derived_answers(form, (), {}, answers) == {"overall": pytest.approx(overall)}


@pytest.mark.parametrize(
    "answers", [{}, {"success": 8, "no_over_editing": 4}, {"success": "8", "perceptual_quality": 9}]
)
def test_without_each_answer_there_is_no_overall_score(answers):
    assert derived_answers(edits.GEDIT, (), {}, answers) == {}


@pytest.mark.parametrize("form", [edits.FORM, edits.KRIS, edits.RISE], ids=lambda form: form.slug)
def test_a_form_whose_paper_has_no_overall_score_gets_none(form):
    answers = {question.name: 1 for question in form.questions if question.kind == "choice"}
    assert derived_answers(form, (), {}, answers) == {}
