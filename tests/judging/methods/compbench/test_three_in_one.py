"""golden/compbench_3in1.json: what T2I-CompBench's 3_in_1.py gave, ten images a prompt."""

import json
from pathlib import Path

import pytest

from jurybox_judging.methods.compbench import ThreeInOne, three_in_one
from jurybox_judging.protocols import (
    Answer,
    KnownAnswers,
    Objects,
    Question,
    Similarity,
    Subject,
    Unscored,
)
from tests.judging.methods.run_case import BESIDE, Run

# 1/4 for attributes, 0.85 for space, 1/4 for CLIP
RUNS = {
    "compbench-3-in-1": Run(
        (0.45, 0.45), {"paper": True}, BESIDE, metadata={"subset": "spatialaction"}
    )
}

GOLDEN = json.loads((Path(__file__).parent.parent / "golden/compbench_3in1.json").read_text())
KINDS = {"s": "spatial", "a": "action", "sa": "spatialaction"}
PROMPT = "a red car next to a dog"
WANTS = (
    Question("a red car?", ("yes", "no"), "share"),
    Question("a dog?", ("yes", "no"), "share"),
    Objects(("car", "dog")),
    Similarity(PROMPT),
)
BOX = [0, 0, 50, 50]
TOLD = (
    Answer(0.5),
    Answer(0.8),
    [{"class": name, "score": 0.6, "box": BOX} for name in ("car", "dog")],
    0.3,
)


def test_every_official_result_is_reproduced():
    assert len(GOLDEN["cases"]) == 3
    for case in GOLDEN["cases"]:
        for at, result in enumerate(case["result"]):
            kind = KINDS[case["category"][at // 10]]
            parts = {name: case[name][at] for name in ("attribute", "spatial", "clip")}
            assert three_in_one(kind, **parts) == pytest.approx(result, rel=1e-6)


def test_the_paper_takes_all_three_always():
    parts = {"attribute": 0.3, "spatial": 0.6, "clip": 0.0}
    assert three_in_one("spatial", **parts) == pytest.approx(0.45)
    assert three_in_one("spatial", **parts, paper=True) == pytest.approx(0.3)
    with pytest.raises(ValueError, match="spatial, action, spatialaction, not “both”"):
        three_in_one("both", **parts)


def subject(**metadata):
    return Subject(PROMPT, metadata=metadata, size=(480, 480))


@pytest.mark.parametrize(
    ("kind", "asked", "score"),
    [
        # Attributes 0.5 * 0.8 = 0.4; space 0.15 + 0.15 + 0.5 = 0.8; CLIP 0.3
        ("spatial", WANTS[:3], 0.6),
        ("action", (*WANTS[:2], WANTS[3]), 0.35),
        ("spatialaction", WANTS, 0.5),
    ],
)
def test_the_judge_looks_only_for_what_the_kind_needs(kind, asked, score):
    method = ThreeInOne()
    assert method.wants(subject(subset=kind), KnownAnswers()) == asked
    told = KnownAnswers(zip(WANTS, TOLD, strict=True))
    assert method.wants(subject(subset=kind), told) == ()
    judged = method.judge(subject(subset=kind), told)
    assert judged.score == pytest.approx(score)
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence
    assert judged.evidence["parts"]["attribute"] == {"score": 0.4, "reason": ""}
    assert judged.evidence["answers"][0]["question"] == "a red car?"
    assert ThreeInOne(kind=kind).judge(subject(), told).score == pytest.approx(score)


def test_the_paper_needs_no_kind():
    assert ThreeInOne(paper=True).wants(subject(), KnownAnswers()) == WANTS


def test_clip_may_read_the_prompt_without_its_adjectives():
    wants = ThreeInOne(kind="action", without_adjectives=True).wants(subject(), KnownAnswers())
    assert wants[-1] == Similarity("a car next to a dog")


def test_a_prompt_of_no_kind_stays_unscored():
    assert ThreeInOne().wants(subject(), KnownAnswers()) == ()
    judged = ThreeInOne().judge(subject(), KnownAnswers())
    assert isinstance(judged, Unscored)
    assert "spatial, action or spatialaction" in judged.reason


def test_a_part_without_a_score_leaves_the_whole_without_one():
    told = KnownAnswers(zip(WANTS, (Answer(None, reason="no"), *TOLD[1:]), strict=True))
    judged = ThreeInOne().judge(subject(subset="spatial"), told)
    assert isinstance(judged, Unscored)
    assert judged.reason.startswith("Not every part has a score: attribute: Not every question")
