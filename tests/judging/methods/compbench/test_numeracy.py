"""golden/compbench_numeracy.json: what T2I-CompBench's numeracy script gave, and its nouns."""

import json
from pathlib import Path

import pytest

from jurybox_judging.methods.compbench import Numeracy, numeracy
from jurybox_judging.methods.compbench.numeracy_method import PLURALS, wanted_counts
from jurybox_judging.protocols import KnownAnswers, Objects, Subject, Unscored
from tests.judging.methods.run_case import Run

RUNS = {"compbench-numeracy": Run((0.75, 0.5), {"threshold": 0.7}, "one cup and two bowls")}

GOLDEN = json.loads((Path(__file__).parent.parent / "golden/compbench_numeracy.json").read_text())


def found(*names, score=0.9):
    """Boxes that do not touch."""
    return [
        {"class": name, "score": score, "box": [100 * at, 0, 100 * at + 50, 50]}
        for at, name in enumerate(names)
    ]


def test_every_official_score_is_reproduced():
    assert len(GOLDEN["cases"]) == 55
    for case in GOLDEN["cases"]:
        assert numeracy(case["prompt"], case["detections"]) == pytest.approx(
            case["score"], rel=1e-6
        )


def test_the_table_of_nouns_is_the_official_one():
    assert dict(map(tuple, GOLDEN["singular_plural"])) == PLURALS


def test_half_for_being_there_and_half_for_the_right_number():
    # Cats: there and two, 1/2 + 1/2; dogs: there, but not three, 1/2. (1 + 1/2) / 2
    assert numeracy("two cats and three dogs", found("cat", "cat", "dog")) == pytest.approx(0.75)


def test_one_object_found_twice_is_one():
    twice = found("cat") + found("cat", score=0.8)
    assert numeracy("one cat", twice) == 1
    # A box inside another is the same object, however small.
    inside = {"class": "cat", "score": 0.8, "box": [10, 10, 20, 20]}
    assert numeracy("one cat", [*found("cat"), inside]) == 1
    assert numeracy("one cat", [*found("cat"), {**inside, "class": "dog"}]) == 1


def test_a_pencil_case_is_a_pen_until_it_is_repaired():
    assert numeracy("two pens", found("pencil case", "pen, pen/pencil")) == 1
    assert numeracy("two pens", found("pencil case", "pen, pen/pencil"), whole_words=True) == 0.5
    assert numeracy("a mouse", found("mouse2, mouse"), whole_words=True) == 1


def test_only_a_number_right_before_a_known_noun_counts():
    assert wanted_counts("A cat, two big dogs and nine fish") == [("cat", 1)]
    with pytest.raises(ValueError, match="counts nothing"):
        numeracy("cats and dogs", [])


def subject(prompt, **metadata):
    return Subject(prompt, metadata=metadata)


def test_the_judge_says_what_is_wrong():
    want = Objects(("person", "dog"))
    prompt = subject("two girls and one dog")
    assert Numeracy().wants(prompt, KnownAnswers()) == (want,)
    judged = Numeracy().judge(prompt, KnownAnswers({want: found("person", "dog", "dog")}))
    assert judged.score == pytest.approx(0.5)
    assert judged.reason == "expected 2 girl, found 1; expected 1 dog, found 2"
    assert judged.evidence["counted"][0] == {"noun": "girl", "wanted": 2, "found": 1}
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


def test_a_study_may_bring_its_own_counts():
    prompt = subject("a dozen axolotls", counts={"axolotl": 12})
    want = Objects(("axolotl",))
    assert Numeracy().wants(prompt, KnownAnswers()) == (want,)
    assert Numeracy().judge(prompt, KnownAnswers({want: found(*["axolotl"] * 12)})).score == 1
    bad = Numeracy().judge(subject("a dozen", counts={"axolotl": "12"}), KnownAnswers())
    assert bad.reason.startswith("The prompt's own “counts” must be an object")


def test_a_prompt_that_counts_nothing_is_not_divided_by_zero():
    assert Numeracy().wants(subject("a quiet lake"), KnownAnswers()) == ()
    judged = Numeracy().judge(subject("a quiet lake"), KnownAnswers())
    assert judged == Unscored("This prompt counts nothing that the table of nouns has.")


def test_a_class_that_the_detector_was_never_taught_is_named():
    told = KnownAnswers({Objects(("bee",)): found("bird")})
    told.classes = ("bird",)
    judged = Numeracy().judge(subject("a bee"), told)
    assert (judged.score, judged.reason) == (
        0,
        "expected 1 bee, found 0. The detector does not know the class bee.",
    )
    judged = Numeracy(unknown="unscored").judge(subject("a bee"), told)
    assert judged == Unscored("The detector does not know the class bee.")
