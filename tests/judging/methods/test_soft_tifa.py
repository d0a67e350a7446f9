"""golden/geneval2_aggregate.json: what GenEval 2's own code made of lists of atom scores."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox_judging.methods.soft_tifa import (
    SoftTifa,
    arithmetic,
    by_atomicity,
    geometric,
    overall,
)
from jurybox_judging.protocols import Answer, Atom, AtomJudgement, KnownAnswers, Subject, Unscored
from tests import needs
from tests.judging.asking import judged

RUNS = {"soft-tifa": None}  # tests/test_workers.py

GOLDEN = Path(__file__).parent / "golden"
ATOMS = (
    Atom(0, "object", "cats", "Are there any cats in the image?", "Yes"),
    Atom(1, "count", "two cats", "How many cats are in the image?", "two", parents=(0,)),
)


def test_an_answer_that_was_not_listed_counts_0_and_the_score_says_what_it_lies_between():
    # .8 and, not listed, 0 to .05: the mean lies between .4 and .425, the geometric between 0 and
    # sqrt(.8 x .05) = .2.
    unlisted = Answer(0.0, "No", reason="Not among the 20 likeliest tokens.", between=(0.0, 0.05))
    subject = Subject("two cats", ATOMS)
    for mean, score, bounds in (("arithmetic", 0.4, [0.4, 0.425]), ("geometric", 0, [0, 0.2])):
        method = SoftTifa(mean=mean)
        asked = method.wants(subject, KnownAnswers())
        found = method.judge(
            subject, KnownAnswers(zip(asked, (Answer(0.8), unlisted), strict=True))
        )
        assert (found.score, found.assumed) == (pytest.approx(score), 1)
        assert found.evidence["between"] == pytest.approx(bounds)
        assert found.evidence["answers"][1]["between"] == [0.0, 0.05]
        assert "between" not in found.evidence["answers"][0]


WORDINGS = [f"{atom.question} Answer in one word." for atom in ATOMS]


class Answerer:
    """Answers from a list of probabilities, or of reasons why there is none."""

    def __init__(self, *answers):
        self.answers = answers
        self.asked = []

    def answer(self, asked):
        return [[self._answer(question) for question in each] for _, each in asked]

    def _answer(self, question):
        self.asked.append(question)
        told = self.answers[WORDINGS.index(question.text)]
        return Answer(None, reason=told) if isinstance(told, str) else Answer(told)


def subject(atoms=ATOMS):
    return Subject("two cats", atoms=atoms)


def judge(*answers, atoms=ATOMS, **options):
    return judged(SoftTifa(**options), subject(atoms), answers=Answerer(*answers))


def test_every_official_mean_is_reproduced():
    cases = json.loads((GOLDEN / "geneval2_aggregate.json").read_text())["cases"]
    assert len(cases) == 31
    for case in cases:
        assert [arithmetic(s) for s in case["scores"]] == pytest.approx(case["am"], rel=1e-6)
        assert [geometric(s) for s in case["scores"]] == pytest.approx(case["gm"], rel=1e-6)


def test_the_means_worked_by_hand():
    # (0.25 + 1) / 2 = 0.625; sqrt(0.25 * 1) = 0.5
    assert arithmetic([0.25, 1.0]) == pytest.approx(0.625)
    assert geometric([0.25, 1.0]) == pytest.approx(0.5)


def test_one_impossible_atom_takes_the_whole_geometric_mean():
    assert geometric([0.0, 1.0, 1.0]) == 0.0


@pytest.mark.parametrize("mean", [arithmetic, geometric])
@pytest.mark.parametrize("values", [[], [math.nan], [0.5, -0.1], [[0.5, 0.5]]])
def test_what_is_no_list_of_probabilities_has_no_mean(mean, values):
    with pytest.raises(ValueError, match=r"\.$"):
        mean(values)


probabilities = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(probabilities)
def test_the_geometric_mean_lies_between_the_least_and_the_arithmetic_mean(values):
    assert min(values) * (1 - 1e-9) <= geometric(values) <= arithmetic(values) * (1 + 1e-9)


@given(probabilities, st.randoms())
def test_the_order_of_the_atoms_does_not_matter(values, random):
    shuffled = random.sample(values, len(values))
    assert arithmetic(shuffled) == pytest.approx(arithmetic(values))
    assert geometric(shuffled) == pytest.approx(geometric(values))


def test_the_judge_asks_all_questions_at_once_and_keeps_every_answer():
    asked = SoftTifa().wants(subject(), KnownAnswers())
    assert [question.text for question in asked] == WORDINGS
    assert [question.answers for question in asked] == [
        ("Yes", "yes", " yes", " Yes"),
        ("two", "Two", " two", " Two", "2", " 2"),
    ]
    assert {question.rule for question in asked} == {"first_tokens"}
    judgement = judge(0.9, 0.4)
    assert judgement.score == pytest.approx(math.sqrt(0.9 * 0.4))
    assert judgement.correct is None
    assert judgement.atoms == (AtomJudgement(0, 0.9), AtomJudgement(1, 0.4))
    assert json.loads(json.dumps(judgement.evidence)) == judgement.evidence


def test_the_sums_of_tokens_can_be_repaired_by_name():
    asked = SoftTifa(tokens="distinct_tokens").wants(subject(), KnownAnswers())
    assert {question.rule for question in asked} == {"distinct_tokens"}
    with pytest.raises(ValueError, match="“tokens” must be one of first_tokens, distinct_tokens"):
        SoftTifa(tokens="all")


def test_a_question_that_two_atoms_share_is_asked_once():
    twice = (ATOMS[0], Atom(1, "object", "cats", ATOMS[0].question, "Yes"))
    assert len(SoftTifa().wants(subject(twice), KnownAnswers())) == 1
    assert [atom.score for atom in judge(0.9, atoms=twice).atoms] == [0.9, 0.9]


def test_the_mean_is_a_named_choice():
    assert judge(0.9, 0.4, mean="arithmetic").score == pytest.approx(0.65)
    assert SoftTifa().options == {"mean": "geometric", "tokens": "first_tokens"}
    with pytest.raises(ValueError, match="arithmetic, geometric, not 'harmonic'"):
        SoftTifa(mean="harmonic")


def test_a_prompt_without_atoms_stays_unscored():
    assert judge(atoms=()) == Unscored("This prompt has no atoms to ask about.")


def test_a_refused_question_leaves_the_image_unscored_and_is_named():
    judged = judge(0.9, "I cannot count.")
    assert isinstance(judged, Unscored)
    assert judged.reason == (
        "Not every question was answered: atom 1 (How many cats are in the image?): I cannot count."
    )
    assert [answer["score"] for answer in judged.evidence["answers"]] == [0.9, None]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -0.5])
def test_an_answer_that_is_no_probability_leaves_the_image_unscored(value):
    judged = judge(0.9, value)
    assert isinstance(judged, Unscored)
    assert judged.evidence["answers"][1]["score"] is None
    assert "How many cats" in judged.reason


ANSWERS = [[1.0, 0.25], [0.5, 0.5, 0.0]]


def test_prompts_are_averaged_by_atomicity():
    # sqrt(1 * 0.25) = 0.5; a 0 takes the whole prompt: (0.5 + 0) / 2
    assert by_atomicity(ANSWERS, [3, 3]) == pytest.approx({3: 0.25})
    assert by_atomicity(ANSWERS, [4, 3]) == pytest.approx({3: 0.0, 4: 0.5})


def test_nothing_judged_has_no_mean():
    with pytest.raises(ValueError, match="no judged image"):
        overall([])


def test_a_perfect_generator_is_perfect_at_every_atomicity_of_the_benchmark():
    lines = needs.shared("geneval2/geneval2_data.jsonl").read_text().splitlines()
    prompts = [json.loads(line) for line in lines]
    answers = [[1.0] * len(prompt["vqa_list"]) for prompt in prompts]
    levels = by_atomicity(answers, [prompt["atom_count"] for prompt in prompts])
    assert levels == pytest.approx(dict.fromkeys(range(3, 11), 1.0))
