"""Which of people's questions a judge was made for."""

import pytest

from judges.models import Judge
from judges.runs.form_question import form_question


@pytest.mark.parametrize(
    ("method", "options", "question"),
    [
        ("KeptRest", {}, "kept"),
        ("EditForm", {"form": "edit", "question": "did"}, "did"),
        ("EditForm", {"form": "gedit", "question": "overall"}, ""),
        ("EditForm", {"form": "gedit"}, ""),
        # Another judge's option of that name is no question of a form.
        ("VqaScore", {"question": "Does this show it?"}, ""),
    ],
)
def test_judges_of_one_question_of_a_form_name_it(method, options, question):
    assert form_question(Judge(method=method, options=options)) == question
