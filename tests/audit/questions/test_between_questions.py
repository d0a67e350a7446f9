"""Correlation between two questions: against the plain statistic, and where there is no number."""

import numpy as np
import pytest

from annotations.errors import Refused
from annotations.stored_answers.question import NONE
from audit.questions.between_questions.exhibits import EXHIBITS
from audit.questions.between_questions.question import between_questions
from jurybox_stats import ranking
from tests import making

pytestmark = pytest.mark.django_db


def answered_study(prompts: int):
    study = making.study(prompts=prompts, files=False)
    rng = np.random.default_rng(1)
    keys = [f"early-{number}" for number in range(prompts)]
    first = {key: {r: int(rng.integers(1, 6)) for r in "ab"} for key in keys}
    second = {
        key: {"a": min(5, max(1, first[key]["a"] + int(rng.integers(-1, 2))))} for key in keys[1:]
    }
    making.labels(study, first, question="fit")
    making.labels(study, second, question="beauty")
    return study, first, second


def test_means_of_two_questions_are_correlated_on_the_images_that_have_both():
    study, first, second = answered_study(40)
    body = between_questions(study, NONE)
    (pair,) = body["pairs"]
    assert pair["questions"] == ["beauty", "fit"]
    one = [given["a"] for given in second.values()]
    other = [np.mean(list(first[key].values())) for key in second]
    for name in ("spearman", "pearson", "kendall_tau_b"):
        found = pair[name]
        assert found["n"] == 39
        assert found["value"] == pytest.approx(getattr(ranking, name)(one, other).value)
        assert found["low"] < found["value"] < found["high"]
    (line,) = EXHIBITS.sentences(body)
    assert line.startswith("“beauty” and “fit”: Spearman’s ρ 0.")
    (table,) = EXHIBITS.tables(body)
    assert [row.label for row in table.rows] == ["beauty · fit"]


def test_few_images_with_both_answers_have_no_number():
    study, _, _ = answered_study(12)
    body = between_questions(study, NONE)
    assert "11" in body["pairs"][0]["spearman"]["undefined"]
    assert "no correlation" in EXHIBITS.sentences(body)[0]


def test_one_question_has_nothing_to_go_with():
    study = making.study(files=False)
    making.labels(study, {"early-0": {"a": 1}})
    with pytest.raises(Refused, match="fewer than two questions"):
        between_questions(study, NONE)
