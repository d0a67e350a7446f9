"""Expected values in golden/ are what the official evaluate_images.py and summary_scores.py gave."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.database.json_text import dumped, loaded
from jurybox_judging import stored_form
from jurybox_judging.masks import unpacked
from jurybox_judging.methods import geneval
from jurybox_judging.methods.geneval import COLORS, GenEval, decide, overlap, relations, summarise
from jurybox_judging.protocols import ColorOf, Judgement, Objects, Subject, Unscored
from tests.judging.asking import judged
from tests.vectors.rules import printed

RUNS = {"geneval": None}  # tests/test_workers.py

GOLDEN = Path(__file__).parent / "golden"
OPPOSITE = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def seen(name, score=0.95, box=(0, 0, 10, 10), color="red"):
    return {"class": name, "score": score, "box": list(box), "color": color}


def wants(*include, exclude=(), tag="two_object"):
    return {"tag": tag, "include": list(include), "exclude": list(exclude)}


def one(name, count=1, **more):
    return {"class": name, "count": count, **more}


# --- the official vectors


def test_every_official_decision_and_its_reason_is_reproduced():
    cases = golden("geneval_evaluate")["cases"]
    assert len(cases) == 205
    for case in cases:
        decision = decide(case["metadata"], case["detections"], **case.get("options", {}))
        assert (decision.correct, decision.reason) == (case["correct"], case["reason"]), case


def test_the_boxes_that_count_are_the_official_ones():
    cases = [case for case in golden("geneval_evaluate")["cases"] if "kept" in case]
    assert len(cases) == 20
    for case in cases:
        decision = decide(case["metadata"], case["detections"], **case.get("options", {}))
        kept = {name: [[*d["box"], d["score"]] for d in ds] for name, ds in decision.kept.items()}
        assert kept.keys() == case["kept"].keys()
        for name, boxes in case["kept"].items():
            assert kept[name] == [pytest.approx(box, rel=1e-6) for box in boxes]


def test_every_official_relation_is_reproduced():
    cases = golden("geneval_geometry")["cases"]
    assert len(cases) == 200
    for case in cases:
        assert sorted(relations(case["a"], case["b"], case["c"])) == case["rel"], case


def test_every_official_overlap_is_reproduced():
    cases = golden("geneval_geometry")["iou"]
    assert len(cases) == 75
    for case in cases:
        assert overlap(case["a"], case["b"]) == pytest.approx(case["iou"], rel=1e-6, abs=1e-9)


def test_every_official_summary_is_reproduced_to_the_last_digit():
    cases = golden("geneval_summary")["cases"]
    assert len(cases) == 8
    for case in cases:
        assert printed(summarise(case["rows"])) == case["stdout"]


# --- thresholds


def test_a_score_equal_to_the_threshold_does_not_pass():
    assert not decide(wants(one("dog")), [seen("dog", 0.3)]).correct
    assert decide(wants(one("dog")), [seen("dog", 0.300001)]).correct


def test_scores_are_compared_in_float32():
    # The double just above 0.3 is 0.3 in float32.
    assert not decide(wants(one("dog")), [seen("dog", 0.3 + 1e-12)]).correct


def test_counting_wants_more_confidence():
    detections = [seen("dog", 0.85), seen("dog", 0.95)]
    assert decide(wants(one("dog", 2)), detections).correct
    assert not decide(wants(one("dog", 2), tag="counting"), detections).correct
    assert decide(wants(one("dog", 2), tag="counting"), detections, counting_threshold=0.8).correct


def test_more_than_sixteen_of_a_class_are_not_counted():
    many = [seen("dog", 0.99)] * 20
    metadata = wants(one("dog", 2), exclude=[one("dog", 17)])
    assert decide(metadata, many).correct
    assert not decide(metadata, many, max_objects=20).correct


def test_of_equal_scores_the_last_one_counts_first():
    detections = [seen("dog", color="red"), seen("dog", color="blue")]
    assert decide(wants(one("dog", color="blue")), detections).correct
    assert not decide(wants(one("dog", color="red")), detections).correct


def test_an_unknown_option_is_refused():
    with pytest.raises(TypeError):
        decide(wants(one("dog")), [], treshold=0.5)


# --- clauses


def test_the_colors_found_are_all_listed_the_wanted_one_too():
    # Two red cups are wanted; one is red and one blue.
    clause = one("cup", 2, color="red")
    decision = decide(wants(clause), [seen("cup"), seen("cup", color="blue")])
    assert decision.reason == "expected red cup>=2, found 1 red; and 1 red, 1 blue"


def test_all_reasons_are_told_and_not_only_the_first():
    decision = decide(wants(one("dog"), one("cat", 2)), [seen("cat")])
    assert decision.reason == "expected dog>=1, found 0\nexpected cat>=2, found 1"
    assert [clause["met"] for clause in decision.clauses] == [False, False]
    assert [clause["found"] for clause in decision.clauses] == [0, 1]


def test_include_alone_means_at_least_and_exclude_makes_it_exact():
    two = [seen("dog"), seen("dog")]
    assert decide(wants(one("dog")), two).correct
    refused = decide(wants(one("dog"), exclude=[one("dog", 2)]), two)
    assert refused.reason == "expected dog<2, found 2"


def test_a_relation_without_its_target_is_not_met():
    metadata = wants(one("cat"), one("dog", position=["left of", 0]))
    decision = decide(metadata, [seen("dog")])
    assert decision.reason.splitlines()[1] == "no target for dog to be left of"


def test_every_object_has_to_stand_in_the_relation_to_every_target():
    metadata = wants(one("cat"), one("dog", 2, position=["left of", 0]))
    cat, near, far = (seen("cat", box=(80, 0, 90, 10)), (0, 0, 10, 10), (120, 0, 130, 10))
    assert decide(metadata, [cat, seen("dog", box=near), seen("dog", box=near)]).correct
    assert not decide(metadata, [cat, seen("dog", box=near), seen("dog", box=far)]).correct


def test_a_colour_nobody_named_is_an_error_and_not_a_wrong_colour():
    detection = seen("dog")
    del detection["color"]
    assert decide(wants(one("dog")), [detection]).correct
    with pytest.raises(geneval.ColorUnknown):
        decide(wants(one("dog", color="red")), [detection])


# --- relations


def test_a_relation_worked_by_hand():
    # Centres (5, 5) and (45, 15): offset (-40, -10); sizes add up to 20, a tenth of it is 2.
    # Shortened (-38, -8) over the length 41.23: (-0.92, -0.19): only the first is beyond 0.5.
    assert relations((0, 0, 10, 10), (40, 10, 50, 20)) == {"left of"}


def test_the_paper_names_each_axis_by_itself():
    # As above: the shortened offset is beyond zero on both axes.
    assert relations((0, 0, 10, 10), (40, 10, 50, 20), paper=True) == {"left of", "above"}


def test_in_the_paper_the_target_has_to_be_further_than_a_tenth_of_both_sizes():
    # Both 10 wide: the offset has to be more than 2.
    assert relations((0, 0, 10, 10), (2, 0, 12, 10), paper=True) == set()
    assert relations((0, 0, 10, 10), (3, 0, 13, 10), paper=True) == {"left of"}


def test_paper_mode_reaches_the_decision():
    metadata = wants(one("cat"), one("dog", position=["above", 0]))
    detections = [seen("dog", box=(0, 0, 10, 10)), seen("cat", box=(40, 10, 50, 20))]
    assert not decide(metadata, detections).correct
    assert decide(metadata, detections, paper=True).correct


corner = st.integers(0, 500)
size = st.integers(1, 200)
boxes = st.builds(lambda x, y, w, h: (x, y, x + w, y + h), corner, corner, size, size)


@given(boxes, boxes, st.booleans())
def test_seen_from_the_other_side_every_relation_is_its_opposite(a, b, paper):
    there = relations(a, b, paper=paper)
    assert relations(b, a, paper=paper) == {OPPOSITE[name] for name in there}


@given(boxes, st.booleans())
def test_nothing_lies_beside_itself(box, paper):
    assert relations(box, box, paper=paper) == set()


@given(boxes, boxes)
def test_what_the_code_names_the_paper_names_too(a, b):
    assert relations(a, b) <= relations(a, b, paper=True)


# --- summary


def test_the_overall_score_weighs_every_task_the_same():
    # colors 1 of 1, counting 1 of 3: (1 + 1/3) / 2 = 2/3, though 2 of 4 images are correct.
    rows = [("colors", "a", 1), ("counting", "b", 1), ("counting", "b", 0), ("counting", "c", 0)]
    summary = summarise(rows)
    assert summary.overall == pytest.approx(2 / 3)
    assert summary.correct_images == 0.5
    assert summary.correct_prompts == pytest.approx(2 / 3)
    assert list(summary.tasks) == ["colors", "counting"]


def test_no_images_have_no_summary():
    with pytest.raises(ValueError, match="no judged image"):
        summarise([])


# --- the judge


class Detector:
    """Finds the same in every picture; `names` colors, when it is asked for one."""

    def __init__(self, *detections, classes=(), names="red"):
        self.detections = list(detections)
        self.classes = classes
        self.names = names
        self.asked = []

    def detect(self, images, classes=()):
        self.asked += classes
        return [self.detections for _ in images]

    def colors(self, crops):
        self.asked += [want for _, _, want in crops]
        return [self.names for _ in crops]


def subject(metadata):
    return Subject("a photo of a dog", metadata=metadata)


def judge(detector, metadata, **options):
    return judged(GenEval(**options), subject(metadata), objects=detector, colors=detector)


def colorless(name, score=0.95, **more):
    detection = seen(name, score)
    del detection["color"]
    return {**detection, **more}


def test_the_judge_gives_its_verdict_with_reason_and_evidence():
    judgement = judge(Detector(seen("cat")), wants(one("dog")))
    assert judgement == Judgement(
        score=0.0,
        correct=False,
        reason="expected dog>=1, found 0",
        evidence={
            "detections": [seen("cat")],
            "clauses": [
                {
                    "kind": "include",
                    "class": "dog",
                    "count": 1,
                    "found": 0,
                    "met": False,
                    "reason": "expected dog>=1, found 0",
                }
            ],
        },
    )


def test_a_correct_image_scores_one():
    judgement = judge(Detector(seen("dog")), wants(one("dog")))
    assert (judgement.score, judgement.correct, judgement.reason) == (1.0, True, "")
    assert judgement.atoms == ()


def test_the_evidence_can_be_stored_as_json():
    mask = {"size": (2, 2), "counts": [1, 3]}
    judgement = judge(Detector(colorless("dog", mask=mask)), wants(one("dog", color="red")))
    assert json.loads(json.dumps(judgement.evidence)) == judgement.evidence


def test_all_classes_of_the_clauses_are_looked_for_once():
    detector = Detector(seen("dog"))
    judge(detector, wants(one("dog"), one("cat"), exclude=[one("dog", 2)]))
    assert detector.asked == [("dog", "cat")]


def test_colors_are_asked_of_the_surest_objects_only_and_where_there_are_enough():
    dogs = [colorless("dog", 0.5), colorless("dog", 0.9), colorless("dog", 0.7)]
    detector = Detector(*dogs, colorless("cat"))
    metadata = wants(one("dog", 2, color="red"), one("cat", 2, color="red"), one("dog"))
    judgement = judge(detector, metadata)
    asked = [want for want in detector.asked if isinstance(want, ColorOf)]
    # Two dogs are wanted, the second and the third are the surest; of two cats there is one.
    assert [(want.index, want.noun) for want in asked] == [(1, "dog"), (2, "dog")]
    assert judgement.reason == "expected cat>=2, found 1"
    colors = [found.get("color") for found in judgement.evidence["detections"]]
    assert colors == [None, "red", "red", None]


def test_the_colors_are_asked_with_the_official_words_on_gray_and_cropped():
    detector = Detector(colorless("dog"))
    judge(detector, wants(one("dog", color="red")))
    want = detector.asked[-1]
    assert want.colors == COLORS
    assert [template.format(color="red", noun="dog") for template in want.templates] == [
        "a photo of a red dog",
        "a photo of a red-colored dog",
        "a photo of a red object",
    ]
    assert (want.background, want.crop) == ("#999", True)


def test_background_crop_and_templates_are_options():
    detector = Detector(colorless("dog"))
    own = {"background": "original", "crop": False, "templates": ["{color} {noun}"]}
    judge(detector, wants(one("dog", color="red")), **own)
    want = detector.asked[-1]
    assert (want.background, want.crop, want.templates) == ("original", False, ("{color} {noun}",))


def test_a_wrong_color_is_told_as_the_official_script_tells_it():
    judgement = judge(Detector(colorless("dog"), names="blue"), wants(one("dog", color="red")))
    assert judgement.reason == "expected red dog>=1, found 0 red; and 1 blue"


def test_the_masks_of_what_counted_are_evidence_and_no_others():
    mask = {"size": (2, 2), "counts": [1, 3]}
    dogs = [colorless("dog", 0.9, mask=mask), colorless("dog", 0.2, mask=mask)]
    judgement = judge(Detector(*dogs, colorless("cat", mask=mask)), wants(one("dog")))
    assert ["mask" in found for found in judgement.evidence["detections"]] == [True, False, False]
    kept = judgement.evidence["detections"][0]["mask"]
    assert unpacked(kept) == mask


def test_a_stored_answer_and_a_fresh_one_give_the_same_evidence_digit_for_digit():
    mask = {"size": (2, 2), "counts": [1, 3]}
    fresh = [
        seen("dog", 0.9, box=[0.1, 1 / 3, 9.7, 1e-9]),
        colorless("dog", 0.7000000000000001, mask=mask),
        colorless("cat", 0.2, mask=mask),
        seen("dog", 0.01),
    ]
    text = dumped(stored_form.answer_as_json(Objects(), fresh))
    detector = Detector()
    detector.detections = stored_form.answer_from_json(Objects(), loaded(text))
    metadata = wants(one("dog", count=2, color="red"))
    of_stored = judge(detector, metadata)
    assert json.dumps(asdict(of_stored)) == json.dumps(asdict(judge(Detector(*fresh), metadata)))
    assert [found.get("color") for found in of_stored.evidence["detections"]] == [
        "red",
        "red",
        None,
    ]


def test_guesses_too_faint_to_be_any_are_no_evidence():
    judgement = judge(Detector(seen("dog"), seen("dog", 0.09)), wants(one("dog")))
    assert judgement.evidence["detections"] == [seen("dog")]


def test_options_belong_to_the_judge_and_are_told_completely():
    assert judge(Detector(seen("dog", 0.5)), wants(one("dog")), threshold=0.6).correct is False
    assert GenEval(threshold=0.6).options == {
        "threshold": 0.6,
        "counting_threshold": 0.9,
        "max_objects": 16,
        "max_overlap": 1.0,
        "position_threshold": 0.1,
        "paper": False,
        "background": "#999",
        "crop": True,
        "templates": geneval.TEMPLATES,
    }


@pytest.mark.parametrize("metadata", [{}, {"include": []}, {"exclude": [one("dog", 2)]}])
def test_a_prompt_without_include_clauses_stays_unscored(metadata):
    assert judge(Detector(), metadata) == Unscored(
        "This prompt has no include clause for GenEval to check."
    )


def test_a_class_the_detector_was_never_taught_is_not_a_missing_object():
    detector = Detector(classes=("cat",))
    assert judge(detector, wants(one("dog"))) == Unscored(
        "The detector does not know the class dog."
    )
    assert detector.asked == []
