"""golden/geneval2_aggregate.json: what GenEval 2's own code made of lists of atom scores."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from judges.methods.soft_tifa import SoftTifa, arithmetic, geometric
from judges.protocols import Atom, AtomJudgement, Subject, Unscored

GOLDEN = Path(__file__).parent / "golden"
ATOMS = (
    Atom(0, "object", "cats", "Are there any cats in the image?", "Yes"),
    Atom(1, "count", "two cats", "How many cats are in the image?", "two", parents=(0,)),
)


class Answerer:
    """Answers from a list; a question whose answer is an exception is refused."""

    version = "fake-1"

    def __init__(self, **answers):
        self.answers = {int(key[1:]): value for key, value in answers.items()}
        self.calls = []

    def probabilities(self, image, questions):
        self.calls.append(list(questions))
        asked = [(atom.question, atom.expected) for atom in ATOMS]
        answers = [self.answers[asked.index(question)] for question in questions]
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers


def subject(atoms=ATOMS):
    return Subject(Image.new("RGB", (8, 8)), "two cats", atoms=atoms)


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


def test_the_judge_asks_all_questions_in_one_call_and_keeps_every_answer():
    answerer = Answerer(_0=0.9, _1=0.4)
    judgement = SoftTifa(answerer).judge(subject())
    assert judgement.score == pytest.approx(math.sqrt(0.9 * 0.4))
    assert judgement.correct is None
    assert judgement.atoms == (AtomJudgement(0, 0.9), AtomJudgement(1, 0.4))
    assert answerer.calls == [[(atom.question, atom.expected) for atom in ATOMS]]
    assert json.loads(json.dumps(judgement.evidence)) == judgement.evidence


def test_the_mean_is_a_named_choice():
    assert SoftTifa(Answerer(_0=0.9, _1=0.4), mean="arithmetic").judge(
        subject()
    ).score == pytest.approx(0.65)
    assert SoftTifa(Answerer()).options == {"mean": "geometric"}
    with pytest.raises(ValueError, match="arithmetic, geometric, not 'harmonic'"):
        SoftTifa(Answerer(), mean="harmonic")


def test_a_prompt_without_atoms_stays_unscored():
    judged = SoftTifa(Answerer()).judge(subject(atoms=()))
    assert judged == Unscored("This prompt has no atoms to ask about.")


def test_a_refused_question_leaves_the_image_unscored_and_is_named():
    judged = SoftTifa(Answerer(_0=0.9, _1=ValueError("I cannot count."))).judge(subject())
    assert isinstance(judged, Unscored)
    assert judged.reason == (
        "Not every question was answered: atom 1 (How many cats are in the image?): I cannot count."
    )
    assert [answer["score"] for answer in judged.evidence["answers"]] == [0.9, None]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -0.5])
def test_an_answer_that_is_no_probability_leaves_the_image_unscored(value):
    judged = SoftTifa(Answerer(_0=0.9, _1=value)).judge(subject())
    assert isinstance(judged, Unscored)
    assert f"the answer {value} is not a probability" in judged.reason


def test_a_broken_engine_is_not_a_refused_question():
    with pytest.raises(RuntimeError, match="out of memory"):
        SoftTifa(Answerer(_0=0.9, _1=RuntimeError("out of memory"))).judge(subject())


def test_a_missing_answer_is_not_filled_in():
    class Forgetful:
        version = "fake-1"

        def probabilities(self, image, questions):
            return [0.5]

    with pytest.raises(RuntimeError, match="2 questions were asked, 1 answered"):
        SoftTifa(Forgetful()).judge(subject())
