"""The second reading, by hand and on planted worlds. In `tests.vectors` it is held to a reference."""

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument import latent
from jurybox_stats.instrument.comparison import jackknifed
from jurybox_stats.instrument.cuts import GRID, _crossing, cuts_of, read_by_cuts
from jurybox_stats.instrument.dates import dates_of_one_step
from jurybox_stats.instrument.latent import read_people, step_answers
from jurybox_stats.instrument.moments import answers_of
from jurybox_stats.instrument.readings import ReadPeople, Voices
from jurybox_stats.instrument.severity import Mix, severities

GENERATORS, PROMPTS = 4, 2000


def planted(random, *, shares=(0.4, 0.5, 0.6, 0.7), scale=1, stricter=0.0, noise=1.0):
    """Images with z ~ N(mu, 1.5) and three people; the judge is stricter on the last two generators."""
    generators = np.tile(np.arange(GENERATORS), PROMPTS)
    prompts = np.repeat(np.arange(PROMPTS), GENERATORS)
    mu = np.array([ndtri(share) * np.hypot(1, 1.5) for share in shares])
    z = mu[generators] + 1.5 * random.normal(size=generators.size)
    levels = np.arange(scale) - (scale - 1) / 2
    answers = z + random.normal(size=(3, z.size))
    ratings = (answers[..., None] > levels).sum(axis=2) * 1.0
    score = z - stricter * (generators >= 2) + noise * random.normal(size=z.size)
    return generators, prompts, ratings, score, mu


def reading(generators, prompts, ratings, score, *, span=1.0):
    people = read_people(step_answers(ratings), generators, prompts, GENERATORS)
    return read_by_cuts(score, people, generators, prompts, span=span)


OLD = np.array([True, True, False, False])


def test_even_answers_of_which_a_third_are_both_yes_have_a_spread_of_one():
    # P(both) = 1/4 + arcsin(1/2) / 2 pi = 1/3 (Sheppard 1899), so the correlation is 1/2.
    ratings = np.array([[1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 1.0]])
    (people,) = read_people(step_answers(ratings), np.zeros(6, int), np.arange(6), 1)
    assert people.mu[0, 0] == pytest.approx(0, abs=1e-9)
    assert people.tau[0, 0] == pytest.approx(1, abs=1e-6)


def test_images_with_one_answer_tell_of_the_share_and_pairs_only_of_how_often_two_differ():
    # Two of six pairs differ, so of ten images with a share of .7 both say yes on .7 - 1/6.
    ratings = np.array([[1, 1, 0, 0, 1, 0, *[1] * 4], [1, 1, 0, 0, 0, 1, *[np.nan] * 4]])
    (people,) = read_people(
        step_answers(ratings), np.zeros(10, int), np.arange(10), 1, noise_together=True
    )
    correlation = people.tau[0, 0] ** 2 / (1 + people.tau[0, 0] ** 2)
    both = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]]).cdf([ndtri(0.7)] * 2)
    assert both == pytest.approx(0.7 - 1 / 6, abs=1e-6)


def test_where_all_images_have_two_answers_it_is_the_same_scale():
    _, prompts, ratings, *_ = planted(np.random.default_rng(5))
    taken = prompts < 40
    generators, prompts = np.zeros(taken.sum(), int), prompts[taken]
    plain, together = (
        read_people(
            step_answers(ratings[:, taken]), generators, prompts, 1, noise_together=together
        )[0].tau
        for together in (False, True)
    )
    assert together == pytest.approx(plain, abs=1e-9)


def test_what_was_planted_is_read_whatever_the_scale_is_bent_to():
    generators, prompts, ratings, score, mu = planted(np.random.default_rng(1), stricter=0.5)
    found = reading(generators, prompts, ratings, score)
    (step,) = found.steps
    assert step.people.mu[0] == pytest.approx(mu, abs=0.15)
    assert step.people.tau[0] == pytest.approx([1.5] * 4, abs=0.15)
    assert step.noise[0] == pytest.approx(1, abs=0.1)
    assert step.offset(OLD, ~OLD)[0] == pytest.approx(0.5, abs=0.07)
    bent = reading(generators, prompts, ratings, np.exp(score))
    assert bent.points(OLD, ~OLD).value == pytest.approx(found.points(OLD, ~OLD).value, abs=0.01)


def test_a_judge_that_never_changed_has_no_offset_while_generators_get_better():
    found = reading(*planted(np.random.default_rng(2), shares=(0.3, 0.5, 0.7, 0.85))[:4])
    points = found.points(OLD, ~OLD)
    assert abs(points.value) < 3 * points.error < 4
    (closeness,) = found.closeness((OLD, ~OLD))
    assert abs(closeness.value) < 3 * closeness.error


def test_points_add_over_the_steps_of_a_rating():
    generators, prompts, ratings, score, _ = planted(
        np.random.default_rng(3), scale=4, stricter=0.5
    )
    found = reading(generators, prompts, ratings, score, span=4.0)
    assert len(found.steps) == 4
    parts = [step.points(OLD, ~OLD)[0] for step in found.steps]
    assert found.points(OLD, ~OLD).value == pytest.approx(100 * sum(parts) / 4)
    for part in parts:
        assert part > 0


def test_a_step_that_all_ratings_of_a_generator_reach_moves_nothing_there():
    generators, prompts, ratings, score, _ = planted(
        np.random.default_rng(3), scale=4, stricter=0.5
    )
    before = reading(generators, prompts, ratings, score, span=4.0)
    newest = generators == 3
    ratings[:, newest] = np.maximum(ratings[:, newest], 1)
    found = reading(generators, prompts, ratings, score, span=4.0)
    lowest, *others = found.steps
    assert lowest.people.images[0].tolist() == [PROMPTS] * 3 + [0]
    # Half of the newer images have nothing left to lose on it: the other half speaks alone.
    alone = np.array([False, False, True, False])
    assert lowest.points(OLD, ~OLD)[0] == pytest.approx(lowest.points(OLD, alone)[0] / 2)
    assert [step.points(OLD, ~OLD)[0] for step in others] == pytest.approx(
        [step.points(OLD, ~OLD)[0] for step in before.steps[1:]]
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda ratings, score: (ratings[:1], score), "no second answers"),
        (lambda ratings, score: (ratings * ratings[0], score * 0), "no cut that divides"),
        (lambda ratings, score: (ratings, -score), "the judge does not follow people"),
    ],
)
def test_where_there_is_no_number_the_reason_is_told(change, reason):
    generators, prompts, ratings, score, _ = planted(np.random.default_rng(4))
    found = reading(generators, prompts, *change(ratings, score))
    assert isinstance(found, Undefined)
    assert found.reason.startswith(reason)


def test_few_values_are_cut_between_each_two_and_many_at_their_quantiles():
    assert cuts_of(np.array([1.0, 2, 2, 5])).tolist() == [1.5, 3.5]
    assert cuts_of(np.arange(101.0)).tolist() == pytest.approx([10, 25, 40, 55, 70, 85])


def test_who_is_stricter_is_read_from_images_on_which_two_differ():
    random = np.random.default_rng(5)
    strict = np.array([-0.5, 0.0, 0.5])
    z = random.normal(size=20_000)
    yes = z + random.normal(size=(3, z.size)) > strict[:, None]
    found = severities(yes, ~yes, np.arange(z.size) // 10)
    assert found.values[0] == pytest.approx(strict, abs=0.06)
    assert found.joined.tolist() == [0, 0, 0]
    # Without one prompt of two thousand it moves by a little, and on average not at all.
    assert np.abs(found.values[1:] - found.values[0]).max() < 0.01
    assert found.values[1:].mean(axis=0) == pytest.approx(found.values[0], abs=1e-4)


def test_the_jackknife_of_severities_is_as_wide_as_they_differ_from_table_to_table():
    random = np.random.default_rng(7)
    strict, prompts = np.array([-0.5, 0.0, 0.5]), np.repeat(np.arange(60), 5)
    differences, errors = [], []
    for _ in range(300):
        z = random.normal(size=prompts.size)
        yes = z + random.normal(size=(3, z.size)) > strict[:, None]
        values = severities(yes, ~yes, prompts).values
        change = jackknifed(values[:, 2] - values[:, 0], z.size)
        differences.append(change.value)
        errors.append(change.error)
    # The spread over 300 tables is itself known to 4 %.
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.12)


def test_without_one_prompt_severities_are_nearly_those_of_the_other_prompts():
    random = np.random.default_rng(8)
    prompts = np.repeat(np.arange(40), 5)
    yes = random.normal(size=200) + random.normal(size=(3, 200)) > np.array([[-0.5], [0.0], [0.5]])
    found = severities(yes, ~yes, prompts).values
    again = [
        severities(yes[:, others], ~yes[:, others], prompts[others]).values[0]
        for others in (prompts != prompt for prompt in range(40))
    ]
    moved = np.array(again) - found[0]
    assert found[1:] - found[0] == pytest.approx(moved, abs=0.1 * np.abs(moved).max())


def test_people_who_never_answer_the_same_image_cannot_be_compared():
    yes = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], dtype=bool)
    no = yes[[1, 0, 3, 2]]
    found = severities(yes, no, np.arange(4))
    assert found.joined[0] == found.joined[1] != found.joined[2] == found.joined[3]
    mix = Mix(np.array([[9, 0], [9, 0], [0, 9], [0, 9]]))
    old = np.array([True, False])
    assert not found.compare(mix, old, ~old)
    assert mix.changes(old, ~old) == pytest.approx(
        0.77, abs=0.01
    )  # 1, less what chance makes of 18


def test_a_step_is_explained_by_its_own_date_and_a_slope_by_none():
    random = np.random.default_rng(6)
    noise = 0.01 * random.normal(size=(200, 6))
    dates = np.arange(6)

    def read(values):
        """Every prompt adds its part; without one of them the mean moves by a hundredth or so."""
        rows = np.asarray(values, dtype=float) + noise
        total = rows.sum(axis=0)
        return np.concatenate([[total / 200], (total - rows) / 199])

    assert dates_of_one_step(read([0, 0, 0, 1, 1, 1]), dates) == [3]
    assert dates_of_one_step(read([0, 0.2, 0.4, 0.6, 0.8, 1]), dates) == []
    assert len(dates_of_one_step(read([0, 0, 0, 0, 0, 0]), dates)) >= 4


def test_a_row_that_crosses_elsewhere_than_the_whole_is_found_there():
    # Of so few prompts one moves the noise by more than a step of the grid.
    found = reading(*(part[..., :48] for part in planted(np.random.default_rng(2))[:4]))
    assert not isinstance(found, Undefined)
    cells = found.steps[0].cells
    sides = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    for side, found in zip(sides, cells.crossing(sides), strict=True):
        everywhere = _crossing(cells.excess(slice(None), GRID).swapaxes(1, 2) @ side, GRID)
        assert np.unique(np.searchsorted(GRID, everywhere)).size > 1
        assert found == pytest.approx(everywhere, rel=1e-12)


def test_people_are_solved_once_for_all_judges_beside_the_same_answers(monkeypatch):
    generators, prompts, ratings, score, _ = planted(np.random.default_rng(3))
    voices = Voices(answers_of(ratings), step_answers(ratings), ratings)
    people = ReadPeople(voices, generators, prompts, np.arange(GENERATORS))
    first = people.read(score, as_ranks=True)
    monkeypatch.setattr(latent, "_correlation", None)
    second = people.read(score + 1, as_ranks=True)
    assert not isinstance(first.cuts, Undefined)
    assert not isinstance(second.cuts, Undefined)
    assert (second.cuts.steps[0].noise == first.cuts.steps[0].noise).all()
