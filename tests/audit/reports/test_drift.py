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

OPTIONS = Options(resamples=200)


def study_of(sizes: list[int], right: list[float], scores: list[float]) -> dict:
    """The drift of one judge: for each generator its images, the share that people call right and
    the judge's score of every image."""
    generators = np.repeat(np.arange(len(sizes)), sizes)
    place = np.concatenate([np.arange(size) for size in sizes])
    share = np.repeat(right, sizes)
    yes = (place < np.rint(share * np.repeat(sizes, sizes))).astype(float)
    n = generators.size
    people = People(
        study="shapes",
        question="aligned",
        scale=Scale("yes/no", 0, 1),
        images=np.array([f"i{number:03}" for number in range(n)], dtype=object),
        prompts=place,
        generators=generators,
        variants=np.full(n, "original", dtype=object),
        tags=((),) * n,
        atomicity=np.full(n, np.nan),
        generator_names=tuple("ABCD"[: len(sizes)]),
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
        release_date=date(2021, 6, 1),
        scores=np.repeat(scores, sizes),
        verdicts=np.full(n, np.nan),
        failed=np.zeros(n, bool),
        atom_kinds=np.array([], dtype=object),
        atom_scores=nothing,
        atom_labels=nothing,
        atom_prompts=np.array([], dtype=np.int64),
    )
    series = series_of(people, judge, Reference.of(people, OPTIONS), np.full(n, np.nan))
    each = {name: statistics(series.at(where), OPTIONS) for name, where in by_generator(people)}
    return drift(people, judge, series, each, OPTIONS)


def test_four_images_all_right_and_a_judge_at_eight_tenths_are_no_drift():
    found = study_of([40, 40, 4], [0.8, 0.8, 1.0], [0.8, 0.8, 0.8])
    assert not found["alarm"]
    assert "since" not in found
    # The slope is that of the two generators with enough images.
    assert found["slope_points_per_year"]["n"] == 80
    assert found["slope_points_per_year"]["value"] == pytest.approx(0)
    assert found["since_own_release"]["auroc"]["n"] > 0


def test_two_small_generators_are_told_as_too_few_to_judge():
    found = study_of([40, 4], [0.8, 1.0], [0.8, 0.8])
    assert not found["alarm"]
    assert found["reason"] == (
        "Drift needs two generators with enough images; B: too few to judge: 4 images, at least "
        "30 needed."
    )


def test_a_small_newest_generator_does_not_hide_what_the_others_show():
    found = study_of([60, 60, 60, 4], [0.4, 0.6, 0.8, 0.5], [0.4, 0.4, 0.4, 0.5])
    assert found["alarm"]
    assert found["since"] == "2022-01-01"
    assert found["net_deviation_since"]["n"] == 120
