"""The rule of 30: generators with fewer images neither raise an alarm nor hide one."""

from datetime import date

import numpy as np
import pytest

from annotations.scales import Scale
from audit.reports.drift import drift
from audit.reports.make import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Reference, series_of
from audit.reports.slices import by_generator, statistics
from audit.reports.states import settle
from audit.words import drift_state
from tests.audit.stats import worlds

OPTIONS = Options(resamples=200)


def study_of(sizes, right, scores, *, verdicts=False, stopped="") -> dict:
    """The drift of one judge: for each generator its images, the share that people call right, and the
    judge's score of every image, or the share to which it says yes."""
    generators = np.repeat(np.arange(len(sizes)), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])

    def share_of(shares) -> np.ndarray:
        return (place < np.rint(np.repeat(shares, sizes) * np.repeat(sizes, sizes))).astype(float)

    given = share_of(scores) if verdicts else np.repeat(scores, sizes)
    return told(sizes, generators, place, share_of(right), given, stopped)


def told(sizes, generators, prompts, yes, scores, stopped="", released=date(2021, 6, 1)) -> dict:
    n = generators.size
    people = People(
        study="shapes",
        question="aligned",
        scale=Scale("yes/no", 0, 1),
        images=np.array([f"i{number:04}" for number in range(n)], dtype=object),
        prompts=prompts,
        generators=generators,
        variants=np.full(n, "original", dtype=object),
        tags=((),) * n,
        atomicity=np.full(n, np.nan),
        generator_names=tuple("ABCDEFGH"[: len(sizes)]),
        release_dates=tuple(date(2021 + k, 1, 1) for k in range(len(sizes))),
        ratings=yes[None, :],
        raters=("ann",),
        forms=frozenset(),
        annotations=n,
        simulated=False,
    )
    nothing = np.array([], dtype=float)
    judge = JudgeScores(
        name="some-judge",
        fingerprint="1",
        facts={},
        release_date=released,
        scores=scores,
        verdicts=np.full(n, np.nan),
        failed=np.zeros(n, bool),
        atom_kinds=np.array([], dtype=object),
        atom_scores=nothing,
        atom_labels=nothing,
        atom_prompts=np.array([], dtype=np.int64),
        stopped=stopped,
    )
    series = series_of(people, judge, Reference.of(people, OPTIONS), np.full(n, np.nan))
    each = {name: statistics(series.at(where), OPTIONS) for name, where in by_generator(people)}
    body = {"drift": drift(people, judge, series, each, OPTIONS), "by_generator": each}
    settle({"some-judge": body})
    return body["drift"]


def test_four_images_all_right_and_a_judge_at_eight_tenths_are_no_drift():
    found = study_of([40, 40, 4], [0.8, 0.8, 1.0], [0.8, 0.8, 0.8])
    assert not found["alarm"]
    assert "since" not in found
    # The slope is that of the two generators with enough images.
    assert found["slope_points_per_year"]["n"] == 80
    assert found["slope_points_per_year"]["undefined"].startswith("no prompt differs")
    assert found["since_own_release"]["auroc"]["n"] > 0


def test_two_small_generators_are_told_as_too_few_to_judge():
    found = study_of([40, 4], [0.8, 1.0], [0.8, 0.8])
    assert not found["alarm"]
    assert found["reason"] == (
        "Drift needs two generators with enough images; B: too few to judge: 4 images, at least "
        "30 needed."
    )


def test_a_small_newest_generator_does_not_hide_what_the_others_show():
    found = study_of([60, 60, 60, 4], [0.4, 0.7, 0.8, 0.5], [0.4, 0.4, 0.4, 0.5], verdicts=True)
    assert found["state"] == "drifts"
    assert found["alarm"]
    assert found["by"] == "net_deviation"
    assert found["since"] == "2022-01-01"
    # 18 of 60 and 24 of 60 images that people call right and the judge wrong.
    assert found["net_deviation_since"]["n"] == 120
    assert found["net_deviation_since"]["value"] == pytest.approx(35)
    assert found["claims"]["net_deviation"]["generators"] == ["B", "C"]
    assert found["by_generator"]["C"]["net_deviation"]["value"] == pytest.approx(40)


def test_a_judge_that_was_always_off_has_not_drifted():
    found = study_of([200] * 4, [0.6] * 4, [0.4] * 4, verdicts=True)
    assert found["state"] == "holds"
    assert drift_state.sentence("Some judge", {"drift": found}) == (
        "Some judge is off on A, B, C, D, but shows no drift."
    )


def test_with_few_images_it_is_said_how_many_more_would_tell():
    rng = np.random.default_rng(3)
    generators, prompts = np.repeat(np.arange(3), 40), np.tile(np.arange(40), 3)
    yes = (rng.random(120) < 0.5) * 1.0
    judge = np.where(rng.random(120) < 0.8, yes, 1 - yes)
    found = told([40] * 3, generators, prompts, yes, judge)
    assert found["state"] == "cannot be told"
    # About nine in ten of four times as many: the error must fall from some 7 points to 2.4.
    assert 500 < found["needs"]["images"] < 1500
    assert "more labelled images would tell" in drift_state.sentence("X", {"drift": found})


def falling(loses: float, rising: tuple[float, float] = (0.5, 0.5)) -> dict:
    """Eight generators with 200 images; from the fifth on the score parts right and wrong less."""
    rng = np.random.default_rng(7)
    made = worlds.scores(rng, rising=rising, loses=loses)
    return told(
        [200] * 8, made.generators, made.prompts, made.people, made.judge, released=date(2023, 6, 1)
    )


def test_a_score_whose_order_gets_worse_drifts_by_agreement():
    found = falling(loses=0.15)
    assert (found["state"], found["by"], found["since"]) == ("drifts", "agreement", "2025-01-01")
    claim = found["claims"]["agreement"]
    assert claim["before"] - claim["after"] == pytest.approx(-claim["size"]["value"])
    assert 0.1 < claim["before"] - claim["after"] < 0.2
    line = drift_state.sentence("Some judge", {"drift": found})
    assert f"its AUROC fell by {-claim['size']['value']:.3f} (" in line
    assert (
        f", from {claim['before']:.3f} to {claim['after']:.3f}, on generators since 2025-01" in line
    )
    assert "net_deviation_since" not in found


def test_a_score_that_parts_right_and_wrong_as_before_holds_while_people_say_yes_more_often():
    found = falling(loses=0.0, rising=(0.34, 0.72))
    assert found["state"] == "holds"
    # The raw difference of means does move; that is said, and not called drift.
    assert found["prevalence"]["to"] - found["prevalence"]["from"] > 30
    assert "People’s own score went from" in drift_state.prevalence({"X": {"drift": found}})


def test_a_stopped_run_has_no_verdict():
    found = study_of(
        [60] * 3, [0.4, 0.7, 0.8], [0.4] * 3, verdicts=True, stopped="The key was refused."
    )
    assert found["state"] == "cannot be told"
    assert not found["alarm"]
    assert found["reason"] == "Its run was stopped by a failure: The key was refused."


def test_a_score_that_cannot_be_calibrated_has_a_reason_and_no_number():
    # All images of one prompt: no fold is left to calibrate on.
    generators = np.repeat(np.arange(3), 40)
    yes, score = np.tile([0.0, 1.0], 60), np.tile([0.2, 0.3, 0.6, 0.8], 30)
    found = told([40] * 3, generators, np.zeros(120, dtype=np.int64), yes, score)
    assert found["state"] == "cannot be told"
    for name in "ABC":
        assert found["by_generator"][name]["net_deviation"] == {
            "undefined": "the reference generators have too few prompts to calibrate the score on",
            "n": 0,
        }


def test_a_judge_that_comes_nearer_to_people_has_not_drifted():
    # 30 points too lenient on the oldest, 10 on the others: it moved by +20 and is still off by −10.
    found = study_of([200] * 4, [0.4] * 4, [0.7, 0.5, 0.5, 0.5], verdicts=True)
    assert found["claims"]["net_deviation"]["evidence"] > 20
    assert found["claims"]["net_deviation"]["size"]["value"] == pytest.approx(-10)
    assert found["state"] != "drifts"


def test_a_generator_of_the_judges_own_day_is_not_older_than_the_judge():
    sizes, generators = [40] * 3, np.repeat(np.arange(3), 40)
    prompts, yes = np.tile(np.arange(40), 3), np.tile([0.0, 1.0], 60)
    # A is of 2021, B of the same day as the judge, C of a year later.
    found = told(sizes, generators, prompts, yes, yes, released=date(2022, 1, 1))
    assert found["reference"]["rule"] == "generators released before the judge"
    assert found["reference"]["generators"] == ["A"]


@pytest.mark.parametrize(("verdicts", "shows"), [(True, 1.64553), (False, 1.71700)])
def test_two_claims_of_a_judge_of_scores_share_the_level(verdicts, shows):
    found = study_of([200] * 4, [0.6] * 4, [0.4] * 4, verdicts=verdicts)
    # All prompts alike: the error is 100 · 0.75/200 = 0.375, so r = (10/0.375)² = 711.1. The change shows
    # at √(2 (1 + r)/r (ln(1 + r)/2 − ln level)) + 0.8416 errors:
    # level 0.05: √(2.0028 (3.2841 + 2.9957)) + 0.8416 = 4.388;  level 0.025: √(2.0028 (3.2841 + 3.6889)) +
    # 0.8416 = 4.579.
    claim = found["claims"]["net_deviation"]
    assert claim["would_show"] == pytest.approx(shows, abs=1e-5)
