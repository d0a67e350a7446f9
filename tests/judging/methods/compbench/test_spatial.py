"""golden/compbench_position.json and compbench_2d_full.json: what T2I-CompBench's scripts gave."""

import json
from pathlib import Path

import numpy as np
import pytest

from jurybox_judging.methods.compbench import (
    Spatial2D,
    Spatial3D,
    position_2d,
    position_3d,
    spatial,
)
from jurybox_judging.methods.compbench.spatial_methods import frame
from jurybox_judging.protocols import DepthOf, Judgement, KnownAnswers, Objects, Subject, Unscored
from tests.judging.methods.run_case import BESIDE, Run

RUNS = {
    # (0.8 + 0.6)/4 + 1/2
    "compbench-2d": Run((0.85, 1.0), {"paper": True}, BESIDE),
    # The cup is nearer, IoU 54/91.8 > 1/2
    "compbench-3d": Run((0.85, 0.85), {"side_by_side": True}),
}

GOLDEN = Path(__file__).parent.parent / "golden"
LEFT, RIGHT = [0, 100, 100, 200], [200, 100, 300, 200]


def cases(name, key="cases"):
    return json.loads((GOLDEN / name).read_text())[key]


def box(name, box, score=0.9):
    return {"class": name, "score": score, "box": box}


def subject(prompt, size=(480, 480), **metadata):
    return Subject(prompt, metadata=metadata, size=size)


def seen(want, *detections, classes=()):
    told = KnownAnswers({want: list(detections)})
    told.classes = classes
    return told


# --- the plane ------------------------------------------------------------------------------


def test_every_official_position_is_reproduced():
    found = cases("compbench_position.json")
    assert len(found) == 212
    for case in found:
        assert position_2d(case["loc"], case["a"], case["b"]) == pytest.approx(
            case["score"], rel=1e-6
        )


def test_every_official_image_score_is_reproduced():
    found = cases("compbench_2d_full.json")
    assert len(found) == 75
    scores = [
        spatial(case["prompt"], case["noun1"], case["noun2"], case["detections"]) for case in found
    ]
    assert scores == pytest.approx([case["score"] for case in found], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("relation", "score"),
    [
        ("on the left of", 1.0),
        ("on the right of", 0.0),
        ("on the top of", 0.0),
        ("on top of", 0.0),
        # 200 pixels apart, but on the same line: near enough on one axis, as coded.
        ("next to", 1.0),
    ],
)
def test_positions_of_two_boxes_side_by_side(relation, score):
    assert position_2d(relation, LEFT, RIGHT) == score


def test_boxes_that_overlap_lose_points_softly_and_in_the_paper_all_of_them():
    # Overlap 50 x 100 of 15,000 in all: IoU 1/3; 0.1 / (1/3) = 0.3
    one, other = [0, 0, 100, 100], [50, 0, 150, 100]
    assert position_2d("on the left of", one, other) == pytest.approx(0.3)
    assert position_2d("on the left of", one, other, paper=True) == 0


def test_near_is_one_distance_in_the_paper():
    # Centers 200 and 160 apart: as coded 150/200; the paper's distance is 256.
    one, other = [0, 0, 10, 10], [200, 160, 210, 170]
    assert position_2d("near", one, other) == pytest.approx(0.75)
    assert position_2d("near", one, other, paper=True) == 0
    assert position_2d("near", one, [100, 0, 110, 10], paper=True) == 1


def test_on_top_of_has_no_rule_until_it_is_repaired():
    above, below = [0, 0, 50, 50], [0, 100, 50, 150]
    assert position_2d("on top of", above, below) == 0
    assert position_2d("on top of", above, below, on_top_of=True) == 1


def test_half_scores_are_zero_until_they_are_kept():
    # One of two things with confidence 0.8: 0.8 / 4 = 0.2
    found = [box("cat", LEFT, 0.8)]
    assert spatial("a cat near a dog", "cat", "dog", found) == 0
    assert spatial("a cat near a dog", "cat", "dog", found, keep_partial=True) == pytest.approx(0.2)


def test_the_paper_scores_the_position_alone():
    found = [box("cat", LEFT, 0.6), box("dog", RIGHT, 0.6)]
    # As coded 0.15 + 0.15 + 0.5
    assert spatial("a cat on the left of a dog", "cat", "dog", found) == pytest.approx(0.8)
    assert spatial("a cat on the left of a dog", "cat", "dog", found, paper=True) == 1


def test_a_label_with_several_names_is_met_by_the_repair_only():
    found = [box("mouse2, mouse", LEFT), box("couch", RIGHT)]
    prompt = "a mouse on the left of a sofa"
    assert spatial(prompt, "mouse", "sofa", found) == 0
    assert spatial(prompt, "mouse", "sofa", found, synonyms=True) == pytest.approx(0.95)


def test_a_prompt_without_a_relation_is_refused():
    with pytest.raises(ValueError, match="none of the relations on side of"):
        spatial("a cat and a dog", "cat", "dog", [])


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((512, 512), (479, 479)),
        ((1024, 768), (480, 360)),
        ((768, 1024), (360, 480)),
        ((100, 100), (479, 479)),
    ],
)
def test_the_official_frame(size, expected):
    # Short side to 479; where the long one then passes 480, that to 480: 480 * 479 / 638 = 360
    assert frame(size) == expected


WANT = Objects(("cat", "dog"))


def test_the_judge_measures_in_the_official_frame():
    # 1920 x 1920 is brought to 479: centers 720 and 640 pixels apart become 180 and 160.
    prompt = subject("a cat near a dog", size=(1920, 1920))
    method = Spatial2D()
    assert method.wants(prompt, KnownAnswers()) == (WANT,)
    told = seen(WANT, box("dog", [720, 640, 760, 680], 1.0), box("cat", [0, 0, 40, 40], 1.0))
    assert method.wants(prompt, told) == ()
    judged = method.judge(prompt, told)
    # 1/4 + 1/4 + 1/2 * 150 / (720 * 479 / 1920)
    assert judged.score == pytest.approx(0.5 + 75 / 179.625)
    assert judged.reason == "cat near dog: 0.84 of 1"
    assert judged.evidence["nouns"] == ["cat", "dog"]
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


def test_the_most_confident_of_each_thing_counts():
    prompt = subject("a cat on the left of a dog")
    told = seen(
        WANT, box("cat", RIGHT, 0.6), box("cat", LEFT, 0.9), box("dog", [140, 100, 180, 200])
    )
    assert Spatial2D().judge(prompt, told).score > 0.9


def test_people_are_one_class():
    assert Spatial2D().wants(subject("a girl near a man"), KnownAnswers()) == (
        Objects(("person",)),
    )


def test_a_study_may_bring_its_own_nouns():
    prompt = subject("the one near the other", nouns=["cat", "dog"])
    assert Spatial2D().wants(prompt, KnownAnswers()) == (WANT,)
    bad = Spatial2D().judge(subject("a cat near a dog", nouns=["cat"]), KnownAnswers())
    assert bad == Unscored("The prompt's own “nouns” must be two: the first and the second thing.")


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("a cat and a dog", "This prompt has none of the relations"),
        ("near", "This prompt does not name two things."),
    ],
)
def test_a_prompt_that_asks_for_no_relation_stays_unscored(prompt, words):
    assert Spatial2D().wants(subject(prompt), KnownAnswers()) == ()
    judged = Spatial2D().judge(subject(prompt), KnownAnswers())
    assert isinstance(judged, Unscored)
    assert words in judged.reason


def test_a_class_that_cannot_be_found_scores_zero_by_name_or_stays_unscored():
    prompt = subject("a cat near a wallet")
    told = seen(Objects(("cat", "wallet")), box("cat", LEFT), classes=("cat", "handbag"))
    judged = Spatial2D().judge(prompt, told)
    assert judged.score == 0
    assert judged.reason == "found no wallet. The detector does not know the class wallet."
    judged = Spatial2D(unknown="unscored").judge(prompt, told)
    assert judged == Unscored("The detector does not know the class wallet.")
    assert isinstance(Spatial2D(unknown="unscored", synonyms=True).judge(prompt, told), Judgement)


def test_near_cannot_be_said_of_a_picture_of_unknown_size():
    told = seen(WANT, box("cat", LEFT), box("dog", RIGHT))
    judged = Spatial2D().judge(subject("a cat near a dog", size=(0, 0)), told)
    assert judged == Unscored("The size of the picture is not known, and “near” needs it.")
    judged = Spatial2D().judge(subject("a cat on the left of a dog", size=(0, 0)), told)
    assert judged.score == pytest.approx(0.95)


def test_a_complex_prompt_is_judged_by_the_things_around_its_preposition():
    prompt = subject("The fluffy cat is on the left of the soft pillow by the red door.")
    method = Spatial2D(complex=True)
    assert method.wants(prompt, KnownAnswers()) == (Objects(("cat", "pillow")),)
    # What the official script cannot find it calls 0.
    assert method.judge(subject("The cat sleeps."), KnownAnswers()).score == 0


# --- depth ----------------------------------------------------------------------------------


def test_every_official_position_in_depth_is_reproduced():
    found = cases("compbench_position.json", "cases_3d")
    assert len(found) == 30
    rows, columns = np.mgrid[0:480, 0:480]
    for case in found:
        depth = (case["g"] * rows + case["k"] * columns) / 1000
        score = position_3d(case["loc"], case["a"], case["b"], depth)
        assert score == pytest.approx(case["score"], rel=1e-6)


def test_depth_knows_its_own_relations_only():
    with pytest.raises(ValueError, match="none of the relations in front of, behind, hidden"):
        position_3d("near", LEFT, RIGHT, np.zeros((9, 9)))
    assert Spatial3D().wants(subject("a cat near a dog"), KnownAnswers()) == ()
    judged = Spatial3D().judge(subject("a cat near a dog"), KnownAnswers())
    assert judged == Unscored("This prompt has none of the relations in front of, behind, hidden.")


def test_the_map_is_read_with_x_and_y_exchanged_until_it_is_repaired():
    depth = np.zeros((100, 100))
    depth[60:90, 10:40] = 1.0  # what is at x 10-40, y 60-90 is near
    near, far = [10, 60, 40, 90], [12, 30, 42, 70]
    # IoU: 28 x 10 = 280 of 900 + 1200 - 280 = 1820; / 0.5
    exact = position_3d("in front of", near, far, depth, transposed=False)
    assert exact == pytest.approx(280 / 1820 / 0.5)
    assert position_3d("in front of", near, far, depth) == 0
    assert position_3d("behind", near, far, depth, transposed=False) == 0


def test_boxes_side_by_side_never_score_until_they_are_let():
    depth = np.tile(np.linspace(1, 0, 300), (300, 1))
    given = ("in front of", LEFT, RIGHT, depth)
    assert position_3d(*given, transposed=False) == 0
    assert position_3d(*given, transposed=False, side_by_side=True) == 1


def test_the_judge_in_depth_asks_for_the_objects_and_then_for_their_depths():
    method = Spatial3D()
    prompt = subject("a cat in front of a dog", size=(960, 960))
    assert method.wants(prompt, KnownAnswers()) == (WANT,)
    told = seen(WANT, box("cat", [0, 0, 100, 100], 0.8), box("dog", [10, 0, 110, 100], 0.6))
    wants = method.wants(prompt, told)
    half = 479 / 960
    assert [want.frame for want in wants] == [(479, 479)] * 2
    assert wants[0].box == pytest.approx((0, 0, 100 * half, 100 * half))
    assert all(want.transposed for want in wants)
    told.update(zip(wants, (0.9, 0.2), strict=True))
    assert method.wants(prompt, told) == ()
    # IoU 90/110 > 0.5 and the cat is nearer: (0.8 + 0.6)/4 + 1/2
    judged = method.judge(prompt, told)
    assert judged.score == pytest.approx(0.85)
    assert judged.evidence["depths"] == [0.9, 0.2]
    behind = subject("a cat behind a dog", size=(960, 960))
    assert method.judge(behind, told).score == pytest.approx(0.35)


def test_one_thing_alone_keeps_its_quarter_in_depth():
    told = seen(WANT, box("cat", LEFT, 0.8))
    assert Spatial3D().wants(subject("a cat behind a dog"), told) == ()
    judged = Spatial3D().judge(subject("a cat behind a dog"), told)
    assert (judged.score, judged.reason) == (pytest.approx(0.2), "found no dog")


def test_a_noun_is_found_inside_other_words_until_it_is_repaired():
    want = Objects(("car", "dog"))
    prompt = subject("a car behind a dog")
    told = seen(want, box("carpet", LEFT, 0.9), box("dog", LEFT, 0.8))
    assert len(Spatial3D().wants(prompt, told)) == 2
    assert Spatial3D(whole_words=True).wants(prompt, told) == ()


def test_as_coded_a_later_match_takes_the_place_of_a_better_one():
    told = seen(WANT, box("cat", LEFT, 0.9), box("cat", RIGHT, 0.8), box("dog", LEFT, 0.7))
    prompt = subject("a cat behind a dog", size=(0, 0))
    first, _ = Spatial3D().wants(prompt, told)
    assert first.box == tuple(RIGHT)
    first, _ = Spatial3D(whole_words=True).wants(prompt, told)
    assert first.box == tuple(LEFT)


def test_a_box_without_a_pixel_of_depth_is_unknown_not_behind():
    told = seen(WANT, box("cat", LEFT), box("dog", LEFT))
    prompt = subject("a cat behind a dog", size=(0, 0))
    for transposed, expected in ((True, Judgement), (False, Unscored)):
        told[DepthOf(tuple(map(float, LEFT)), transposed)] = None
        judged = Spatial3D(transposed=transposed).judge(prompt, told)
        assert isinstance(judged, expected)
