"""Planted worlds: who drifts is found, who does not is left alone. `make bench-stats` has them by the
hundred."""

import numpy as np
import pytest

from audit.stats.over_time.calibrated import out_of_fold
from audit.stats.over_time.claims import claims
from tests.audit.stats import worlds

LIVES = 20


def test_a_prompt_is_never_read_from_a_fit_that_saw_it():
    # Ten prompts, one image each: the fit without prompts 0 and 5 has no score of 0.
    given = np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [1, 2, 2, 2, 3])
    target = np.array([9.0, 0, 0, 1, 1, 2, 2, 3, 3, 3])
    read = out_of_fold(target, given, np.ones(10, bool), np.arange(10))
    assert read[0] == pytest.approx(0)
    # Prompt 2 without itself and prompt 7: a fit never falls, so the 9 is pooled with what follows it
    # until the mean of that, 3, is higher.
    assert read[2] == pytest.approx(np.mean([9, 0, 1, 1, 2, 2]))


@pytest.mark.simulation
def test_the_change_at_the_likeliest_date_holds_the_truth_although_the_date_was_chosen():
    # No date changes anything. Student's t alone holds 0 in about 85 of 100 worlds.
    rng = np.random.default_rng(12)
    told = [claims(worlds.verdicts(rng)).by_deviation for _ in range(100)]
    assert {claim.dates for claim in told} == {told[0].dates}
    held = [claim.there().low <= 0 <= claim.there().high for claim in told]
    assert np.mean(held) >= 0.93


@pytest.mark.simulation
@pytest.mark.parametrize(
    "make",
    [
        lambda rng: worlds.scores(rng, rising=(0.34, 0.9)),
        lambda rng: worlds.followed(rng, rising=(0.34, 0.9)),
        lambda rng: worlds.verdicts(rng),
    ],
    ids=["scores about the answer", "answers about the score", "verdicts"],
)
def test_a_stable_judge_is_left_alone_while_people_say_yes_more_and_more_often(make):
    rng = np.random.default_rng(11)
    assert sum(worlds.drifts(claims(make(rng))) for _ in range(LIVES)) <= 1


@pytest.mark.simulation
@pytest.mark.parametrize(
    "make",
    [
        lambda rng: worlds.scores(rng, loses=0.1),
        lambda rng: worlds.scores(rng, loses=0.1, rising=(0.34, 0.9)),
        lambda rng: worlds.verdicts(rng, stricter=0.1),
    ],
    ids=["a tenth of AUROC", "the same while people say yes more often", "ten points"],
)
def test_a_judge_that_gets_worse_on_new_generators_is_found(make):
    rng = np.random.default_rng(12)
    assert sum(worlds.drifts(claims(make(rng))) for _ in range(LIVES)) >= 17


def test_the_step_is_dated_where_it_is():
    made = worlds.verdicts(np.random.default_rng(13), stricter=0.3)
    told = claims(made)
    assert told.by_deviation.since == worlds.NEW
    assert told.by_deviation.moved.value == pytest.approx(30, abs=6)
    assert told.by_order is None


def test_a_verdict_whose_errors_stay_moves_with_people():
    # Right nine times in ten: the difference is 0.1 of the yes less 0.1 of the no.
    told = claims(worlds.verdicts(np.random.default_rng(14), rising=(0.34, 0.9), prompts=2000))
    moved = told.same_errors.values[-1] - told.same_errors.values[0]
    assert moved == pytest.approx(100 * 0.1 * 2 * (0.9 - 0.34), abs=1.5)
