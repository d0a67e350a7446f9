import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.chance import chance
from jurybox_stats.instrument.latent import step_answers
from jurybox_stats.instrument.moments import answers_of
from jurybox_stats.instrument.needs import times_as_many
from jurybox_stats.instrument.readings import Voices, read_twice
from jurybox_stats.instrument.stability import Step, Steps, state_of, steps_of
from jurybox_stats.over_time.courses import Change
from tests.bench.true_worlds import World, left_of_gain, study

RISING = World("rising", (0.4, 0.8))


def step(offset, error, gain=0.0, gain_error=0.02, since=1):
    """A change of the gain as the logarithm of its ratio."""
    offset, gain = Change(offset, error, 10_000, 600), Change(gain, gain_error, 10_000, 600)
    return Step(since, SimpleNamespace(gain_change=None), offset, offset, gain, True, offset, gain)


def steps_for(world, judge="soft", prompts=150, dates=range(8), seed=1):
    made = study(world, prompts, np.random.default_rng(seed))
    voices = Voices(answers_of(made.ratings), step_answers(made.ratings), made.ratings)
    found = read_twice(
        made.scores[judge],
        voices,
        made.generators,
        made.prompts,
        np.asarray(dates),
        as_ranks=False,
    )
    if isinstance(found.cuts, Undefined):
        return found.cuts
    return steps_of(found.line, dates, found.cuts)


def told(steps):
    beyond = bool(steps.moved_claims)
    return state_of(beyond=beyond, inside=steps.lies_inside(), p_holm=steps.p())


def test_a_judge_that_reads_newer_generators_as_older_ones_holds_while_people_say_yes_more_often():
    steps = steps_for(RISING)
    assert len(steps.steps) == 7
    assert told(steps) == "holds"


def test_a_judge_that_became_stricter_drifts_from_that_date_on():
    steps = steps_for(World("level", (0.4, 0.8), level=12))
    assert told(steps) == "drifts"
    assert steps.likeliest.since == 5
    assert steps.moved_claims[0] == "offset"
    assert steps.likeliest.offset.value == pytest.approx(12, abs=5)


def test_a_judge_that_tells_good_from_bad_less_drifts_by_its_gain():
    steps = steps_for(World("gain", (0.5, 0.7), auroc=0.15))
    assert told(steps) == "drifts"
    assert "gain" in steps.moved_claims
    left = left_of_gain("soft", 0.15)
    assert steps.likeliest.gain_within(0.95).value == pytest.approx(left - 1, abs=0.1)


def test_a_judge_whose_gain_on_the_newest_generators_is_not_known_does_not_hold():
    sure = [step(0.0, 1.0, 0.0, 0.05, since=since) for since in range(1, 5)]
    assert Steps((*sure, step(0.0, 1.0, 0.0, 0.1, since=5))).lies_inside()
    assert not Steps((*sure, step(0.0, 1.0, 0.0, 0.3, since=5))).lies_inside()
    assert not Steps((*sure, replace(sure[0], gain=None))).lies_inside()
    # Of older ones it need not be known: a fall is what both readings see.
    for older in (step(0.0, 1.0, -0.6, 0.3), replace(sure[0], gain=None)):
        as_close = replace(older, closeness=sure[0].closeness)
        assert Steps((as_close, *sure)).lies_inside()
        # Nor does it ask for more images.
        assert times_as_many(Steps((as_close, *sure))) == times_as_many(Steps((*sure, sure[0])))


def test_where_people_hardly_differ_the_line_must_lie_inside_and_the_cuts_only_near():
    near, far = Change(1.0, 1.0, 10_000, 600), Change(9.0, 3.0, 10_000, 600)
    one = replace(step(0, 1), offset=far, line=near, read=near)
    assert not Steps((one,)).lies_inside()
    assert Steps((replace(one, line_is_surer=True),)).lies_inside()
    cuts_beyond = replace(one, line_is_surer=True, offset=replace(far, value=-10.5))
    assert not Steps((cuts_beyond,)).lies_inside()
    line_beyond = replace(one, line_is_surer=True, read=far)
    assert not Steps((line_beyond,)).lies_inside()


def test_a_move_that_only_one_reading_sees_is_no_drift_and_does_not_hold_either():
    seen, unseen = Change(12.0, 2.0, 10_000, 600), Change(1.0, 1.0, 10_000, 600)
    by_line = Steps((replace(step(0, 1), line=seen, read=seen),))
    assert by_line.moved_claims == []
    assert by_line.contradict_each_other()
    assert not by_line.lies_inside()
    by_cuts = Steps((replace(step(0, 1), offset=seen, line=unseen, read=unseen),))
    assert by_cuts.moved_claims == []
    assert not by_cuts.contradict_each_other()
    opposite = replace(step(0, 1), offset=seen, line=replace(seen, value=-12.0))
    assert Steps((replace(opposite, read=opposite.line),)).moved_claims == []
    gain = replace(step(0, 1, -0.5, 0.05), closeness=Change(0.0, 0.05, 10_000, 600))
    assert Steps((gain,)).moved_claims == []


def test_the_gain_of_the_offset_is_that_over_all_dates():
    steps = steps_for(RISING, "fixed rates")
    used = [one.compared.gain_used.value for one in steps.steps]
    assert used == pytest.approx([used[0]] * 7)
    first = steps.steps[0].compared
    assert first.gain_used.error < 0.6 * first.gain_reference.error
    moved = first.later.people[0] - first.reference.people[0]
    read = first.later.score[0] - first.reference.score[0]
    assert steps.steps[0].line.value == pytest.approx(100 * (moved - read / used[0]))


def test_generators_of_one_date_are_one_step_and_one_date_is_none():
    assert [step.since for step in steps_for(RISING, dates=[0, 0, 0, 0, 1, 1, 2, 2]).steps] == [
        1,
        2,
    ]
    found = steps_for(RISING, dates=[3] * 8)
    assert isinstance(found, Undefined)
    assert found.reason == "the generators do not have two release dates"


def test_one_generator_that_is_read_otherwise_is_named_and_is_no_drift():
    steps = steps_for(World("own", (0.5, 0.7), own_gain=True))
    assert steps.apart == 3
    assert [step.since for step in steps.steps] == [1, 2, 4, 5, 6, 7]
    assert told(steps) != "drifts"


def test_so_is_one_that_is_read_with_so_little_gain_that_its_logarithm_is_wide():
    own = World("own", (0.35, 0.85), own_gain=True)
    steps = steps_for(own, "fixed rates", prompts=300, seed=2)
    assert steps.apart == 3


@pytest.mark.parametrize("judge", ["random", "constant", "upside down"])
def test_a_judge_without_a_sure_gain_on_the_reference_says_nothing(judge):
    found = steps_for(RISING, judge)
    assert isinstance(found, Undefined)
    assert found.reason in (
        "the judge does not follow people",
        "no cut that divides every generator",
    )


def test_a_judge_holds_only_where_every_date_lies_inside():
    # Of 90 %: ± 1.645 errors. 5 + 1.645 · 3 = 9.9, 5 + 1.645 · 3.1 = 10.1.
    assert Steps((step(0, 2), step(5, 3.0))).lies_inside()
    assert not Steps((step(0, 2), step(5, 3.1))).lies_inside()
    # −.2 − 1.645 · .05 = −.282 is above log .75 = −.288; with .06 it is −.299.
    as_close = Change(0.0, 0.1, 10_000, 600)
    assert Steps((replace(step(0, 2, -0.2, 0.05), closeness=as_close),)).lies_inside()
    assert not Steps((replace(step(0, 2, -0.2, 0.06), closeness=as_close),)).lies_inside()
    # Nor where the cuts alone see it follow less closely.
    farther = replace(step(0, 2), closeness=replace(as_close, value=-0.5))
    assert not Steps((farther,)).lies_inside()


def test_a_drift_leaves_zero_at_the_level_of_all_dates_and_is_more_than_a_little():
    # Of two dates each interval is of 97.5 %: ± 2.24 errors.
    assert Steps((step(0, 2), step(7, 3))).moved_claims == ["offset"]
    assert Steps((step(0, 2), step(6.5, 3))).moved_claims == []
    assert Steps((step(1, 0.3),)).moved_claims == []
    assert Steps((step(0, 2, -0.2, 0.05),)).moved_claims == ["gain"]
    # A gain that grew is no drift.
    assert Steps((step(0, 2, 0.4, 0.05),)).moved_claims == []


def test_what_looks_more_like_half_of_a_drift_than_like_none_does_not_hold():
    # A move of 6 to either side: exp(6 * (|x| - 3) / error²) / 2, and next to nothing for the other side
    assert Steps((step(3, 1),)).odds_of_half() == pytest.approx(1 / 2)
    assert Steps((step(-5, 2),)).odds_of_half() == pytest.approx(math.exp(3) / 2, rel=1e-4)
    assert Steps((step(0, 6),)).odds_of_half() == pytest.approx(math.exp(-1 / 2))
    assert not Steps((step(-5, 2),)).lies_inside()
    # Averaged over dates: of two, one alone speaks half as loudly.
    assert Steps((step(-4.2, 2), step(0, 2))).lies_inside()
    assert not Steps((step(-4.2, 2), step(-4.2, 2))).lies_inside()


def moved(value):
    left = np.random.default_rng(0).normal(size=100)
    return Change(value, 1.0, 10_000, 600, left)


def test_what_one_reading_sees_is_as_rare_as_what_the_other_one_does():
    one = step(0, 1)

    def p(by_cuts, by_line):
        return Steps((replace(one, offset=by_cuts, read=by_line, gain=None, closeness=None),)).p()

    far = moved(9.0)
    assert p(far, far) < 0.001
    # The line 2 errors away, on the side that the cuts see: as often as a normal lies so far there.
    alone = moved(2.0)
    assert p(far, alone) == pytest.approx(0.0228, abs=0.005)
    assert p(alone, far) == pytest.approx(0.0455, abs=0.007)
    assert p(far, alone.turned()) > 0.9


def test_of_a_gain_that_fell_the_cuts_chance_counts():
    left = np.random.default_rng(1).normal(size=100)
    still = replace(step(0, 1), offset=moved(0.5), line=moved(0.5), read=moved(0.5))

    def fallen(value, error, closeness=-9.0):
        gain = Change(value, error, 10_000, 600, error * left)
        return Steps((replace(still, gain=gain, closeness=moved(closeness)),))

    # The line falls by 26 %, 1.5 of its errors: too little by itself.
    found = fallen(-0.3, 0.2)
    assert found.moved_claims == ["gain"]
    assert found.p() < 0.01
    # Not by more than its error; by 14 %; and where the cuts see nothing.
    assert fallen(-0.15, 0.05).moved_claims == []
    for other in (fallen(-0.3, 0.4), fallen(-0.3, 0.2, closeness=-1.0)):
        assert other.moved_claims == []
        assert other.p() > 0.05


@pytest.mark.parametrize(
    ("beyond", "inside", "p_holm", "state"),
    [
        (True, True, 0.01, "drifts"),
        (True, True, 0.06, "cannot be told"),
        (False, True, 0.01, "holds"),
        (False, False, 0.2, "cannot be told"),
    ],
)
def test_a_drift_needs_both_and_what_moved_is_not_said_to_hold(beyond, inside, p_holm, state):
    assert state_of(beyond=beyond, inside=inside, p_holm=p_holm) == state


def test_the_chance_of_one_estimate_is_that_of_the_normal():
    # One estimate that may move either way: evidence of 2 deviates is reached in 4.55 % of draws.
    evidence = math.exp(4 / 2 * 0.5) / math.sqrt(2)
    left = np.random.default_rng(0).normal(size=(50, 1))
    found = chance(evidence, left, stakes=np.array([1.0]), falls=np.array([False]))
    assert found == pytest.approx(0.0455, abs=0.007)


def test_estimates_that_are_one_and_the_same_are_not_counted_twice():
    left = np.random.default_rng(0).normal(size=(50, 1))
    evidence = math.exp(4 / 2 * 0.5) / math.sqrt(2)
    both = chance(
        evidence, np.hstack([left, left]), stakes=np.ones(2), falls=np.array([False, False])
    )
    assert both == pytest.approx(0.0455, abs=0.007)


def test_four_times_as_many_images_halve_the_errors():
    # Inside needs (1.645 + .842) errors in 10 points: an error of 4.02. There it is 8.04, so four times.
    steps = Steps((step(0, 2 * 10 / 2.4865),))
    assert times_as_many(steps) == pytest.approx(4, rel=1e-3)
