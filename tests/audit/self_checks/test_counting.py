"""What counts as a contradiction, worked by hand; a sound judge has none, a broken one is named."""

import numpy as np
import pytest
from django.utils import timezone

from audit.self_checks.counting import count_contradictions, violations
from judges.models import SelfCheck
from judges.self_checks import jobs
from jurybox_judging.engines import builtin
from jurybox_stats.resampling.small_samples import share_limits
from tests.judges.self_checks.bench import bench

JUDGE = "soft-tifa-gm-builtin"


def pair(check, before, after, image="i", prompt="p"):
    return {"check": check, "image": image, "prompt": prompt, "before": before, "after": after}


def wrong(*pairs):
    return {
        (name, image): is_wrong
        for name, images in violations(pairs).items()
        for image, (_, is_wrong) in images.items()
    }


def test_a_score_may_move_by_its_share_of_the_range_that_the_judge_used():
    # The range goes from 20 to 40: 0.1 % of it is 0.02, a tenth is 2.
    found = wrong(
        pair("again", 20, 20.01, "a"),
        pair("again", 40, 40.03, "b"),
        pair("mirror", 20, 21.9, "a"),
        pair("mirror", 40, 37.9, "b"),
        pair("recompress", 20, 22.1, "a"),
        pair("resize", 40, 39, "b"),
    )
    assert found == {
        ("again", "a"): False,
        ("again", "b"): True,
        ("mirror", "a"): False,
        ("mirror", "b"): True,
        ("recompress", "a"): True,
        ("resize", "b"): False,
    }


def test_a_score_that_must_fall_contradicts_where_it_stays():
    found = wrong(
        pair("colors", 1, 0, "a"), pair("colors", 1, 1, "b"), pair("sides", 0.2, 0.8, "c")
    )
    assert found == {("colors", "a"): False, ("colors", "b"): True, ("sides", "c"): True}


def test_drawings_of_our_own_do_not_widen_the_range():
    found = wrong(
        pair("again", 0, 0, "a"),
        pair("again", 1, 1, "b"),
        pair("mirror", 0, 0.2, "a"),
        pair("sides", 900, -900, "c"),
    )
    assert found[("mirror", "a")]


def rows(of, wrong_on=(), prompts=None):
    return [
        pair("colors", 1, int(n in wrong_on), f"i{n}", f"p{n % (prompts or of)}") for n in range(of)
    ]


def body(pairs, **left_out):
    check = SelfCheck(
        judge="j", count=60, seed=0, pairs=pairs, left_out=left_out, created_at=timezone.now()
    )
    return count_contradictions(check)["checks"]


def test_the_share_has_an_interval_by_prompts():
    told = body(rows(60, wrong_on=range(6)))["colors"]
    assert (told["made"], told["prompts"], told["violations"]) == (60, 60, 6)
    assert told["rate"]["value"] == pytest.approx(0.1)
    low, high = share_limits(np.array([1.0] * 6 + [0.0] * 54), np.ones(60))
    assert (told["rate"]["low"], told["rate"]["high"]) == (low, high)
    # The same six contradictions, all of one prompt of ten: only ten prompts could tell.
    few = body(rows(60, wrong_on=range(0, 60, 10), prompts=10))["colors"]["rate"]
    assert few["value"] == pytest.approx(0.1)
    assert few["high"] - few["low"] > 2 * (told["rate"]["high"] - told["rate"]["low"])


def test_below_thirty_images_there_are_counts_but_no_share():
    told = body(rows(29, wrong_on=[1]))["colors"]
    assert (told["made"], told["violations"]) == (29, 1)
    assert told["rate"] == {"undefined": "too few to judge: 29 images, at least 30 needed", "n": 29}


def test_a_check_that_no_image_could_be_used_for_says_so():
    told = body([], colors={"its prompt does not name two things with a color each": 8})["colors"]
    assert told["rate"] == {"undefined": "no image could be used for it", "n": 0}
    assert told["left_out"] == {"its prompt does not name two things with a color each": 8}


def checked(study, judge=JUDGE, count=40):
    return jobs.check_here(study=study, name=judge, options={}, count=count, seed=0)


def contradictions(check):
    return {
        name: row["violations"]
        for name, row in count_contradictions(check)["checks"].items()
        if row["made"]
    }


@pytest.mark.django_db
def test_on_the_builtin_engine_the_relations_hold():
    assert contradictions(checked(bench(40), "geneval-builtin")) == {
        "again": 0,
        "mirror": 0,
        "recompress": 0,
        "resize": 0,
        "colors": 0,
        "sides": 0,
    }


@pytest.mark.nightly("the other engines are named by the same count")
@pytest.mark.django_db
def test_an_engine_that_takes_left_for_right_is_named_by_the_drawings(monkeypatch):
    right = builtin._stands
    opposite = {"left of": "right of", "right of": "left of"}
    monkeypatch.setattr(
        builtin, "_stands", lambda a, b, words: right(a, b, opposite.get(words, words))
    )
    found = contradictions(checked(bench(40)))
    assert found["sides"] == 30
    # A mirror cannot show it: the engine is as wrong about the mirror image.
    assert found["mirror"] == 0


@pytest.mark.nightly("the other engines are named by the same count")
@pytest.mark.django_db
def test_an_engine_that_hears_every_side_as_left_is_named_by_the_mirror(monkeypatch):
    right = builtin._stands
    monkeypatch.setattr(
        builtin, "_stands", lambda a, b, words: right(a, b, words.replace("right", "left"))
    )
    found = contradictions(checked(bench(40)))
    assert found["mirror"] >= 3
    assert found["sides"] >= 10
    assert (found["again"], found["colors"]) == (0, 0)


@pytest.mark.django_db
def test_an_engine_that_does_not_look_at_colors_is_named_by_the_swap(monkeypatch):
    likelihood = builtin._likelihood
    monkeypatch.setattr(
        builtin,
        "_likelihood",
        lambda things, question, expected: (
            1.0 if question.kind == "attribute" else likelihood(things, question, expected)
        ),
    )
    check = checked(bench(40))
    row = count_contradictions(check)["checks"]["colors"]
    assert row["violations"] == row["made"] > 0


@pytest.mark.nightly("the other engines are named by the same count")
@pytest.mark.django_db
def test_an_engine_that_rolls_dice_is_named_by_asking_twice(monkeypatch):
    likelihood, rolled = builtin._likelihood, iter(range(10**6))
    monkeypatch.setattr(
        builtin,
        "_likelihood",
        lambda *asked: likelihood(*asked) * (0.9 + 0.1 * (next(rolled) % 7) / 7),
    )
    assert contradictions(checked(bench(40)))["again"] >= 10
