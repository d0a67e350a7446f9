"""What is planted in each world comes out of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from jurybox_stats.instrument.moments import answers_of
from tests.bench import true_verdict
from tests.bench.bent_worlds import FAMILY, JUDGE, BentWorld, bent_study, means, seen_by_judge
from tests.bench.true_verdict import FIRST, SECOND, Told, one_world

MANY = 12_500  # prompts: 100,000 images
FLAT = BentWorld("flat", (0.5, 0.5))
RISING = BentWorld("rising", (0.35, 0.85))
RATINGS = BentWorld("ratings", (3.4, 4.6), ratings=True)


def made_of(world):
    return bent_study(world, MANY, np.random.default_rng(1))


def by_generator(values, made):
    return np.array([np.nanmean(values[..., made.generators == g]) for g in made.dates])


def test_people_call_right_as_many_as_the_shares_say():
    made = made_of(RISING)
    assert by_generator(made.ratings, made) == pytest.approx(np.linspace(0.35, 0.85, 8), abs=0.01)
    assert by_generator(made.known, made) == pytest.approx(np.linspace(0.35, 0.85, 8), abs=0.01)


def test_ratings_have_the_means_that_were_asked_for():
    made = made_of(RATINGS)
    assert by_generator(made.ratings, made) == pytest.approx(np.linspace(3.4, 4.6, 8), abs=0.03)
    assert by_generator(made.known, made) == pytest.approx(np.linspace(3.4, 4.6, 8), abs=0.03)
    assert set(np.unique(made.ratings[~np.isnan(made.ratings)])) == {1, 2, 3, 4, 5}


def test_two_people_agree_as_two_normals_with_one_quality_do():
    # Deviations .8 of quality and .5 of a person: a correlation of .64 / .89; Sheppard's arcsine.
    both = 1 / 4 + math.asin(0.64 / 0.89) / (2 * math.pi)
    assert answers_of(made_of(FLAT).ratings).pair.mean() == pytest.approx(both, abs=0.005)


@pytest.mark.parametrize("level", [12, -12, 6])
@pytest.mark.parametrize("world", [RISING, RATINGS])
def test_a_planted_level_comes_out_in_peoples_points(world, level):
    quality = means(world)[-3:].repeat(MANY) + 0.8 * np.random.default_rng(1).normal(size=3 * MANY)
    generators = np.arange(5, 8).repeat(MANY)
    seen = seen_by_judge(
        replace(world, level=level), quality, generators, None, np.random.default_rng(2)
    )
    # A person answers yes above 0; a rating passes its steps above −1.5, −.5, .5 and 1.5.
    steps = (-1.5, -0.5, 0.5, 1.5) if world.ratings else (0.0,)
    points = [100 * (ndtr((quality - at) / 0.5) - ndtr((seen - at) / 0.5)) for at in steps]
    assert np.mean(points) == pytest.approx(level, abs=0.5)


def test_every_judge_but_the_empty_ones_falls_on_the_newest_three_alone():
    before, after = made_of(RISING), made_of(replace(RISING, level=12))
    for name in before.scores:
        fell = by_generator(before.scores[name], before) - by_generator(after.scores[name], after)
        assert fell[:5] == pytest.approx(0)
        assert (fell[5:] > 0).all() == (name not in ("constant", "random"))


@pytest.mark.parametrize(
    ("name", "least", "gain"), [("straight", 0.2, 0.6), ("verdict", 0.15, 0.75)]
)
def test_a_straight_judge_is_a_line_in_peoples_share_all_along(name, least, gain):
    made = made_of(RISING)
    for low in np.arange(0, 1, 0.1):
        inside = (made.known >= low) & (made.known < low + 0.1)
        line = least + gain * made.known[inside].mean()
        assert made.scores[name][inside].mean() == pytest.approx(line, abs=0.02)


def test_scores_lie_where_their_kind_says():
    scores = made_of(RISING).scores
    assert set(np.unique(scores["1–5"])) == {1, 2, 3, 4, 5}
    assert (scores["saturating"] == 1).mean() > 0.1
    assert scores["ranks"].min() > 5
    for name in ("straight", "squashed", "steep", "saturating"):
        assert scores[name].min() >= 0
        assert scores[name].max() <= 1
    for name in ("verdict", "cut"):
        assert set(np.unique(scores[name])) == {0, 1}


def test_forty_of_a_hundred_images_mistaken_leave_three_fifths_of_the_covariance():
    made = made_of(replace(FLAT, mistaken=0.4))
    for name in ("straight", "ranks", "steep"):
        old, new = (
            np.cov(made.scores[name][there], made.known[there])[0, 1]
            for there in (made.generators < 5, made.generators >= 5)
        )
        assert new / old == pytest.approx(0.6, abs=0.02)
        # The scores are spread as before, but belong to other images.
        spread = [made.scores[name][made.generators == g].std() for g in (4, 5)]
        assert spread[1] == pytest.approx(spread[0], rel=0.03)


def test_errors_on_prompts_of_one_family_and_generator_have_a_part_in_common():
    made = made_of(replace(FLAT, families=12))
    assert np.unique(made.families).size == 12
    # Of each family and generator alike, and all others apart.
    groups = np.unique(np.stack([made.families, made.prompts]), axis=1)
    assert groups.shape[1] == MANY
    world = replace(FLAT, families=1000)
    generators, families = np.tile(np.arange(8), 2000), np.repeat(np.arange(1000), 16)
    error = seen_by_judge(
        world, np.zeros(16_000), generators, families, np.random.default_rng(1)
    ).reshape(1000, 2, 8)
    assert (error[:, 0] == error[:, 1]).all()
    assert error.std() == pytest.approx(0.25, abs=0.01)
    assert abs(np.corrcoef(error[:, 0].T)[0, 1]) < 0.1
    # With an error of its own as large, errors on two prompts of a family correlate by a half.
    assert FAMILY**2 / (FAMILY**2 + JUDGE**2) == 0.5


@pytest.mark.parametrize("answers", [2, 3, 5])
def test_each_image_has_as_many_answers_and_half_have_one_where_it_is_asked(answers):
    count = (~np.isnan(made_of(replace(FLAT, answers=answers)).ratings)).sum(axis=0)
    assert (count == answers).all()
    alone = made_of(replace(FLAT, answers=answers, half_alone=True))
    count = (~np.isnan(alone.ratings)).sum(axis=0)
    assert set(np.unique(count)) == {1, answers}
    assert (count == 1).mean() == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("old", [0, 1])
def test_newcomers_see_the_newest_alone_and_are_stricter(old):
    made = made_of(replace(FLAT, old_people=old))
    given, late = ~np.isnan(made.ratings), made.generators >= 5
    assert not given[-3:, ~late].any()
    assert (given[:5, late].sum(axis=0) == old).all()
    assert (given[-3:, late].sum(axis=0) == 3 - old).all()
    # .35 of .5 above 0, of quality and a person's error with a variance of .89 together.
    share = ndtr(-0.175 / math.sqrt(0.89))
    assert np.nanmean(made.ratings[-3:]) == pytest.approx(share, abs=0.01)
    assert np.nanmean(made.ratings[:5]) == pytest.approx(0.5, abs=0.01)


def test_one_person_gives_most_answers():
    given = ~np.isnan(made_of(replace(FLAT, busy=0.55)).ratings)
    assert given[0].sum() / given.sum() == pytest.approx(0.55, abs=0.005)


def test_people_slip_from_never_to_four_times_in_ten_and_have_severities_of_their_own():
    made = made_of(replace(FLAT, shares=(0.8, 0.8), slips=0.4))
    shares = np.nanmean(made.ratings, axis=1)
    assert shares[0] == pytest.approx(0.8, abs=0.01)
    assert shares[-1] == pytest.approx(0.6 * 0.8 + 0.4 * 0.2, abs=0.01)
    severe = [
        np.nanmean(bent_study(replace(FLAT, severity=0.4), 400, random).ratings, axis=1)
        for random in map(np.random.default_rng, range(40))
    ]
    # .4 of .5, as above; a share by about φ(0) of each.
    assert np.std(severe) == pytest.approx(0.2 / math.sqrt(0.89 * 2 * math.pi), abs=0.015)


def test_what_is_said_is_counted_by_what_was_planted(monkeypatch):
    said = {
        "verdict": Told("drifts", (5, 6)),
        "straight": Told("drifts", (6, 7), gain_fell=True),
        "ranks": Told("drifts"),
        "cut": Told("holds", (5, 5)),
        "steep": Told("cannot be told", apart=3),
        "constant": Told("holds"),
        "random": Told("cannot be told"),
    }
    monkeypatch.setattr(true_verdict, "verdicts", lambda made, scale: said)
    counts = one_world(RISING, 10, 0)
    assert (counts.worlds, counts.any_drifts, counts.empty_hold) == (1, 1, 1)
    assert (counts.judges, counts.drift, counts.hold, counts.gain_fell) == (5, 3, 1, 1)
    assert (counts.within, counts.near, counts.dates, counts.named) == (1, 2, 4, 1)
    assert (counts + counts).judges == 10


def test_every_row_has_a_name_and_prompts_of_its_own_and_something_to_show():
    rows = [(row.world.name, row.prompts) for row in (*FIRST, *SECOND)]
    assert len(set(rows)) == len(rows)
    assert all(row.shares for row in (*FIRST, *SECOND))
