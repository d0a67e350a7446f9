"""golden/m3t2i_brute_force.json: an exhaustive search over the paper's text; no code exists."""

import json
import random
from pathlib import Path

import pytest

from jurybox_judging.methods.align_score import COLORS, Alignment, AlignScore, align, summarise
from jurybox_judging.protocols import ColorOf, Judgement, KnownAnswers, Objects, Subject, Unscored
from tests.judging.methods.run_case import Run
from tests.waiting import processor_seconds

# Cup and bowl are there, nobody is blue, 2 of 8 pixels beyond a tenth of both: 2 of 3, bias 0
RUNS = {
    "align-score": Run(
        (5 / 6, 2 / 3),
        {"position_threshold": 0.2},
        metadata={
            "categories": {
                "cup": [{"id": 1, "color": "red"}],
                "bowl": [{"id": 1, "color": "blue"}],
            },
            "relations": [["cup", 1, "left", "bowl", 1]],
        },
    )
}

GOLDEN = Path(__file__).parent / "golden"
METADATA = {
    "categories": {
        "cup": [{"id": 1, "color": "red"}],
        "bowl": [{"id": 1, "color": "white"}, {"id": 2, "color": "blue"}],
    },
    "relations": [["cup", 1, "left", "bowl", 2]],
}
OBJECTS = Objects(("cup", "bowl"))


def at(name, x, color=None, score=0.9, y=0):
    told = {"class": name, "score": score, "box": [x, y, x + 10, y + 10]}
    return told | ({"color": color} if color else {})


def subject(metadata=METADATA):
    return Subject("a prompt", metadata=metadata, size=(100, 100))


def seen(*detections, classes=()):
    told = KnownAnswers({OBJECTS: list(detections)})
    told.classes = classes
    return told


def test_every_exhaustive_search_is_reproduced():
    cases = json.loads((GOLDEN / "m3t2i_brute_force.json").read_text())["cases"]
    assert len(cases) == 125
    for case in cases:
        found = align(case["instances"], case["relations"], case["detections"])
        assert found.bias == case["bias"]
        assert found.accuracy == pytest.approx(case["acc"], rel=1e-6)
        assert found.score == pytest.approx(case["align"], rel=1e-6)


def test_the_score_worked_by_hand():
    # Wanted: a red cup left of a blue bowl, a white bowl. Found: a red cup right of two blue
    # bowls. Bias 0. Colors: red, one blue = 2 of 3; relation 0 of 1. Accuracy 2/4.
    # Score: (1/2 + 1/(1 + 0)) / 2 = 3/4
    found = align(
        [
            {"class": "cup", "color": "red"},
            {"class": "bowl", "color": "blue"},
            {"class": "bowl", "color": "white"},
        ],
        [(0, "left", 1)],
        [at("cup", 80, "red"), at("bowl", 0, "blue"), at("bowl", 40, "blue")],
    )
    assert (found.bias, found.hits, found.parts) == (0, 2, 4)
    assert found.score == pytest.approx(0.75)


def test_what_nobody_asked_for_is_no_bias():
    instances = [{"class": "cup", "color": "red"}]
    assert align(instances, [], [at("cup", 0, "red"), at("dog", 50, "red")]).score == 1


def test_the_mean_of_scores_and_the_score_of_means_differ():
    # Biases 0 and 1, accuracies 1 and 0: scores 1 and 1/4, their mean 5/8;
    # of the means (1/2 + 1/(1 + 1/2)) / 2 = 7/12
    both = [Alignment(0, 1.0, 1.0, 1, 1, (0,)), Alignment(1, 0.0, 0.25, 0, 1, (None,))]
    assert summarise(both).score == pytest.approx(5 / 8)
    assert summarise(both, "means").score == pytest.approx(7 / 12)
    with pytest.raises(ValueError, match="images or means"):
        summarise(both, "median")
    with pytest.raises(ValueError, match="no image"):
        summarise([])


@pytest.mark.parametrize(
    ("instances", "relations", "words"),
    [
        ([], [], "no instance"),
        ([{"class": "cup", "color": "red"}], [(0, "left", 1)], "no relation of two"),
        ([{"class": "cup", "color": "red"}], [(0, "near", 0)], "no relation of two"),
        ([{"class": "cup", "color": "red"}], [(0, "left", 0)], "relation to itself"),
    ],
)
def test_what_cannot_be_aligned_is_refused_in_words(instances, relations, words):
    with pytest.raises(ValueError, match=words):
        align(instances, relations, [])


@pytest.mark.parametrize(("kinds", "found"), [(3, 12), (1, 12), (1, 9)])
def test_twelve_instances_with_eight_relations_do_not_explode(kinds, found):
    # 12! maps; alone on a core the slowest of hundreds takes 25 ms.
    for seed in range(15):
        chance = random.Random(seed)
        names = [f"kind {i % kinds}" for i in range(12)]
        instances = [{"class": name, "color": chance.choice(COLORS)} for name in names]
        pairs = chance.sample([(i, j) for i in range(12) for j in range(i)], 8)
        words = [chance.choice(("left", "right", "above", "below")) for _ in pairs]
        detections = [
            at(name, chance.uniform(0, 500), chance.choice(COLORS), y=chance.uniform(0, 500))
            for name in names[:found]
        ]
        with processor_seconds(10):
            relations = [(i, w, j) for (i, j), w in zip(pairs, words, strict=True)]
            align(instances, relations, detections)


def test_the_objects_are_asked_for_and_then_the_colors_of_those_that_count():
    method = AlignScore()
    assert method.wants(subject(), KnownAnswers()) == (OBJECTS,)
    told = seen(at("bowl", 0, "blue"), at("cup", 9, score=0.3), at("dog", 5), at("cup", 40))
    (want,) = method.wants(subject(), told)
    assert isinstance(want, ColorOf)
    assert (want.index, want.noun, want.colors) == (3, "cup", COLORS)
    assert want.templates[0] == "The color of {noun} in this photo is {color}."
    told[want] = "red"
    assert method.wants(subject(), told) == ()


def test_the_judgement_tells_its_parts_and_that_the_formula_is_inferred():
    told = seen(at("cup", 0, "red"), at("bowl", 40, "white"), at("bowl", 80, "blue"))
    judged = AlignScore().judge(subject(), told)
    assert isinstance(judged, Judgement)
    assert judged.score == 1
    assert judged.reason == "4 of 4 colors and relations, bias 0"
    assert judged.evidence["pairs"] == [0, 1, 2]
    assert "inferred" in judged.evidence["combination"]
    assert json.loads(json.dumps(judged.evidence)) == judged.evidence


def test_thinning_and_small_boxes_are_options():
    told = seen(at("bowl", 0, "blue"), at("bowl", 1, "blue", score=0.8), at("cup", 50, "red"))
    assert AlignScore().judge(subject(), told).evidence["bias"] == 0
    assert AlignScore(max_overlap=0.5).judge(subject(), told).evidence["bias"] == 1
    assert AlignScore(min_side=11.0).judge(subject(), told).evidence["bias"] == 3


def test_a_prompt_without_a_record_and_an_unknown_class_stay_unscored():
    assert AlignScore().wants(subject({}), KnownAnswers()) == ()
    judged = AlignScore().judge(subject({}), KnownAnswers())
    assert judged == Unscored("This prompt has no instances and relations of M3T2IBench.")
    broken = METADATA | {"relations": [["cup", 7, "left", "bowl", 1]]}
    assert "do not fit" in AlignScore().judge(subject(broken), KnownAnswers()).reason
    untaught = seen(classes=("cup",))
    assert AlignScore().wants(subject(), untaught) == ()
    judged = AlignScore().judge(subject(), untaught)
    assert judged == Unscored("The detector does not know the class bowl.")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"threshhold": 0.3}, "AlignScore has no option “threshhold”; it has threshold"),
        ({"threshold": "high"}, "“threshold” must be a number from 0 to 1, not 'high'"),
    ],
)
def test_an_option_that_does_not_exist_is_refused_in_words(given, words):
    with pytest.raises((TypeError, ValueError), match=words):
        AlignScore(**given)
