"""Each statistic of many slices at once is the plain function on each slice, and its interval the jackknife of
that function with one prompt left out after the other."""

from dataclasses import replace

import numpy as np
import pytest

from jurybox_stats import agreement, ranking, roc, ties
from jurybox_stats.estimate import Estimate, Undefined, WithoutInterval
from jurybox_stats.resampling import small_samples
from jurybox_stats.sums import cells as sums
from jurybox_stats.sums.cells import Cells, Members, find_kinds
from jurybox_stats.sums.limits import Difference
from jurybox_stats.sums.statistics import ByPrompt, Comparison, means

SHARE, CORRELATION = ("share", 1.0), ("correlation", 2.0)
ORDER = {
    "kendall_tau_b": (ranking.kendall_tau_b, *CORRELATION),
    "kendall_tau_c": (None, *CORRELATION),
    "spearman": (ranking.spearman, *CORRELATION),
    "pearson": (ranking.pearson, *CORRELATION),
    "pairwise_accuracy": (ties.pairwise_accuracy, *SHARE),
    "auroc": (roc.auroc, *SHARE),
}


class World:
    """Items of several prompts in overlapping slices: scores of few steps or of many."""

    def __init__(self, seed: int, *, steps: int | None, prompts: int = 12, each: int = 4) -> None:
        rng = np.random.default_rng(seed)
        self.prompt = rng.permutation(np.repeat(np.arange(prompts), each))
        size = self.prompt.size
        ease = rng.normal(size=prompts)[self.prompt] + rng.normal(size=size)
        self.mean = np.round(np.clip(ease + 2, 0, 4)) / 4
        self.yes = (self.mean > 0.5) * 1.0
        self.score = ease + rng.normal(size=size)
        if steps:
            self.score = np.round(self.score * steps) / steps
        self.verdict = (self.score > 0) * 1.0
        self.there = rng.random(size) < 0.9
        self.slices = [
            np.arange(size),
            np.flatnonzero(self.prompt % 2 == 0),
            np.flatnonzero(rng.random(size) < 0.6),
            np.empty(0, np.int64),
            np.flatnonzero(self.prompt == 3),
        ]

    def cells(self, kinds: bool) -> Cells:
        columns = self.mean, self.yes, self.score, self.verdict
        members = Members.from_slices(self.prompt, self.slices)
        few = find_kinds(*columns) if kinds else None
        return Cells.from_members(members, columns, self.there, few)

    def items(self, slice_: np.ndarray) -> np.ndarray:
        return slice_[self.there[slice_]]


def compared(cells: Cells, first: int, second: int) -> Comparison:
    return Comparison(cells, cells.values(first), cells.values(second))


def tau_c(x, y, steps):
    c = ranking.pairs.count(x, y)
    n = x.size
    return 2 * (c.concordant - c.discordant) * steps / (n * n * (steps - 1))


def expected(name, first, second, prompt):
    """By the plain function, and small_samples' jackknife of one slice."""
    function, scale, reach = ORDER[name]
    if name == "kendall_tau_c":
        point = ranking.kendall_tau_c(first, second)
        steps = min(np.unique(first).size, np.unique(second).size)
        value = lambda x, y: tau_c(x, y, steps) if x.size > 1 else np.nan  # noqa: E731
    else:
        point = function(first, second)
        value = lambda x, y: getattr(function(x, y), "value", np.nan)  # noqa: E731
    if isinstance(point, Undefined):
        return point
    names = np.unique(prompt)
    if names.size < 2:
        return Undefined("one prompt only: there is nothing to resample", first.size)
    left = np.array([value(first[prompt != one], second[prompt != one]) for one in names])
    if name == "kendall_tau_c":
        left = np.array(
            [tau_c(first[prompt != one], second[prompt != one], steps) for one in names]
        )
    holding = [
        [np.unique(prompt[values != one]).size for one in np.unique(values)]
        for values in (first, second)
    ]
    if name == "auroc":
        rarer = min(np.unique(prompt[first == side]).size for side in (0, 1))
        found = small_samples.jackknifed(point, left, scale, reach, voices=rarer)
    else:
        common = [
            int(np.argmax(np.unique(values, return_counts=True)[1])) for values in (first, second)
        ]
        rarer = min(of[place] for of, place in zip(holding, common, strict=True))
        found = small_samples.jackknifed(point, left, scale, reach)
    if name != "pairwise_accuracy" and (
        reason := small_samples.too_few_rarer(rarer, names.size, small_samples.LEAST_RARER)
    ):
        return WithoutInterval(point.value, None, None, point.n, reason)
    return found


def alike(found, told):
    if isinstance(told, Undefined):
        return found == told
    assert isinstance(found, Estimate), found
    assert found.value == pytest.approx(told.value, abs=1e-12)
    if isinstance(told, WithoutInterval):
        return replace(found, value=told.value) == told
    return (found.low, found.high, found.n) == pytest.approx(
        (told.low, told.high, told.n), abs=1e-11
    )


@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("steps", "kinds"), [(1, True), (1, False), (4, True), (None, False)])
def test_a_statistic_of_slices_is_the_plain_one_of_each(name, seed, steps, kinds):
    world = World(seed, steps=steps)
    first = 1 if name == "auroc" else 0
    found = getattr(compared(world.cells(kinds), first, 2), name)()
    people = world.yes if name == "auroc" else world.mean
    for result, slice_ in zip(found, world.slices, strict=True):
        items = world.items(slice_)
        if not items.size:
            assert result == Undefined(sums.NOTHING, 0)
            continue
        told = expected(name, people[items], world.score[items], world.prompt[items])
        assert alike(result, told), (result, told)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [True, False])
def test_kappa_and_agreement_are_the_plain_ones(seed, kinds):
    world = World(seed, steps=1)
    both = compared(world.cells(kinds), 1, 3)
    kappas, shares = both.cohen_kappa(), both.percent_agreement()
    for kappa, share, slice_ in zip(kappas, shares, world.slices, strict=True):
        items = world.items(slice_)
        if not items.size:
            continue
        a, b, prompt = world.yes[items], world.verdict[items], world.prompt[items]
        plain = agreement.cohen_kappa(a, b)
        if isinstance(kappa, Estimate):
            assert kappa.value == pytest.approx(plain.value, abs=1e-12)
        codes = np.unique(prompt, return_inverse=True)[1]
        if codes.max() > 0:
            same = np.bincount(codes, a == b), np.bincount(codes).astype(float)
            limits = small_samples.share_limits(*same)
            assert (share.low, share.high) == pytest.approx(limits, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [True, False])
@pytest.mark.parametrize("ends", [None, (0.0, 1.0), (-1.0, 3.0)])
def test_limits_of_means_are_those_of_one_slice(seed, kinds, ends):
    world = World(seed, steps=2)
    cells = world.cells(kinds)
    for column, values in ((0, world.mean), (1, world.yes), (2, world.score)):
        for result, slice_ in zip(
            means(cells, cells.values(column), ends=ends), world.slices, strict=True
        ):
            items = world.items(slice_)
            codes = np.unique(world.prompt[items], return_inverse=True)[1]
            if codes.max(initial=0) < 1:
                assert isinstance(result, Undefined)
                continue
            told = small_samples.mean_limits(values[items], codes, codes.max() + 1, ends)(0.95)
            assert (result.low, result.high) == pytest.approx(told, abs=1e-12)
            assert result.value == pytest.approx(values[items].mean(), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("columns", [(1, 3), (0, 2), (1, 1), (1, 2)])
def test_limits_of_a_difference_are_those_of_one_slice(seed, columns):
    world = World(seed, steps=2)
    found = compared(world.cells(kinds=True), *columns).difference_of_means(100.0)
    held = world.mean, world.yes, world.score, world.verdict
    for result, slice_ in zip(found, world.slices, strict=True):
        items = world.items(slice_)
        codes = np.unique(world.prompt[items], return_inverse=True)[1]
        if codes.max(initial=0) < 1:
            continue
        a, b = (held[column][items] for column in columns)
        told = small_samples.difference_limits(a, b, codes, codes.max() + 1)(0.95)
        assert (result.low, result.high) == pytest.approx([100 * end for end in told], abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("steps", "kinds"), [(1, True), (3, True), (None, False)])
def test_calibrated_ties_are_the_plain_ones_and_their_epsilon_too(seed, steps, kinds):
    world = World(seed, steps=steps)
    both = compared(world.cells(kinds), 0, 2)
    by_prompt = both.by_prompt
    for over_all, plain, within, slice_ in zip(
        both.pairwise_accuracy_calibrated(),
        by_prompt.pairwise_accuracy(),
        by_prompt.pairwise_accuracy_calibrated(),
        world.slices,
        strict=True,
    ):
        items = world.items(slice_)
        people, score, prompt = (v[items] for v in (world.mean, world.score, world.prompt))
        if np.unique(prompt).size < 2:
            continue
        told = ties.calibrate(people, score)
        assert (over_all.value, over_all.epsilon) == (
            pytest.approx(told.accuracy, abs=1e-12),
            told.epsilon,
        )
        left = [
            ties.pairwise_accuracy(
                people[prompt != one], score[prompt != one], epsilon=told.epsilon
            ).value
            for one in np.unique(prompt)
        ]
        whole = Estimate(told.accuracy, None, None, items.size)
        assert alike(over_all, small_samples.jackknifed(whole, np.array(left), *SHARE))
        told = ties.calibrate(people, score, groups=prompt)
        if isinstance(told, Undefined):
            assert within == told
            continue
        assert (within.value, within.epsilon) == (pytest.approx(told.accuracy), told.epsilon)
        same = ties.pairwise_accuracy(people, score, groups=prompt)
        assert plain.value == pytest.approx(same.value, abs=1e-12)
        left = [
            ties.calibrate(
                people[prompt != one], score[prompt != one], groups=prompt[prompt != one]
            ).accuracy
            for one in np.unique(prompt)
        ]
        whole = Estimate(told.accuracy, None, None, items.size)
        assert alike(within, small_samples.jackknifed(whole, np.array(left), *SHARE))


def test_pairs_of_groups_with_awkward_sizes_are_counted_exactly():
    # 1/p summed for many primes p: no common multiple fits a float, and two epsilons tie to the last digit.
    rng = np.random.default_rng(3)
    prompt = np.repeat(np.arange(60), rng.integers(2, 48, 60))
    people, score = rng.integers(0, 3, prompt.size) * 1.0, np.round(rng.random(prompt.size), 2)
    members = Members.from_slices(prompt, [np.arange(prompt.size)])
    cells = Cells.from_members(members, (people, score), np.ones(prompt.size, bool))
    (found,) = compared(cells, 0, 1).by_prompt.pairwise_accuracy_calibrated()
    told = ties.calibrate(people, score, groups=prompt)
    assert (found.value, found.epsilon) == (pytest.approx(told.accuracy, abs=1e-12), told.epsilon)


def test_families_are_left_out_and_their_prompts_compared():
    world = World(1, steps=None, prompts=16)
    family = world.prompt // 2
    members = Members.from_slices(family, world.slices[:2])
    cells = Cells.from_members(members, (world.mean, world.score), world.there)
    both = Comparison(cells, cells.values(0), cells.values(1))
    found = ByPrompt.within_rows(both, world.prompt[cells.kind_of_cell]).pairwise_accuracy()
    for result, slice_ in zip(found, world.slices, strict=False):
        items = world.items(slice_)
        people, score, prompt = (v[items] for v in (world.mean, world.score, world.prompt))
        told = ties.pairwise_accuracy(people, score, groups=prompt)
        left = [
            ties.pairwise_accuracy(people[out], score[out], groups=prompt[out]).value
            for out in (family[items] != one for one in np.unique(family[items]))
        ]
        assert alike(result, small_samples.jackknifed(told, np.array(left), *SHARE))


@pytest.mark.parametrize("steps", [1, None])
def test_no_digit_depends_on_the_order_of_items_or_on_the_names_of_prompts(steps):
    world, rng = World(2, steps=steps), np.random.default_rng(0)
    columns = world.mean, world.score
    order, names = rng.permutation(world.prompt.size), rng.permutation(12)

    def all_results(columns, prompt, there, slices):
        members = Members.from_slices(prompt, slices)
        cells = Cells.from_members(members, columns, there, find_kinds(*columns) if steps else None)
        both = compared(cells, 0, 1)
        return [getattr(both, name)() for name in ORDER if name != "auroc"] + [
            both.difference_of_means(1.0),
            both.pairwise_accuracy_calibrated(),
            both.by_prompt.pairwise_accuracy_calibrated(),
        ]

    place = np.argsort(order)
    assert all_results(columns, world.prompt, world.there, world.slices) == all_results(
        [values[order] for values in columns],
        names[world.prompt[order]],
        world.there[order],
        [np.sort(place[slice_]) for slice_ in world.slices],
    )


def test_values_that_no_sum_holds_are_refused_in_their_slice_alone():
    score = np.array([1.0, 2.0, np.inf, 1.0, 3.0, 2.0, 1e101, 2.0])
    members = Members.from_slices(
        np.arange(8) // 2, [np.arange(4), np.array([0, 1, 3, 4, 5]), np.arange(4, 8)]
    )
    people = np.array([0.0, 1, 1, 0, 1, 0, 1, 1])
    cells = Cells.from_members(members, (people, score), np.ones(8, bool))
    found = compared(cells, 0, 1).kendall_tau_b()
    assert found[0] == Undefined("1 values are missing or infinite", 4)
    assert "overflow" in found[2].reason
    assert not isinstance(found[1], Undefined) or "missing" not in found[1].reason


def test_rows_that_hold_the_same_are_counted_once():
    prompt = np.repeat(np.arange(500), 2)
    columns = np.tile([0.0, 1.0], 500), np.tile([1.0, 1.0], 500)
    members = Members.from_slices(prompt, [np.arange(1000), np.arange(500)])
    cells = Cells.from_members(members, columns, np.ones(1000, bool), find_kinds(*columns))
    assert cells.times.tolist() == [500.0, 250.0]
    assert cells.n.tolist() == [1000.0, 500.0]


def test_rows_whose_mixed_numbers_meet_stay_apart(monkeypatch):
    class Alike:
        def integers(self, *args, size, **more):
            return np.zeros(size, np.uint64)

    prompt = np.repeat(np.arange(6), 2)
    columns = (np.tile([0.0, 1.0, 1.0, 1.0], 3),)
    members = Members.from_slices(prompt, [np.arange(12)])
    monkeypatch.setattr(sums.np.random, "default_rng", lambda seed: Alike())
    cells = Cells.from_members(members, columns, np.ones(12, bool), find_kinds(*columns))
    assert cells.times.tolist() == [1.0] * 6


def test_scores_with_many_steps_have_no_kinds():
    rng = np.random.default_rng(3)
    assert find_kinds(np.ones(500), rng.random(500)) is None
    assert find_kinds(np.repeat(np.arange(4.0), 500), np.tile(np.arange(9.0), 2000)[:2000]) is None
    assert find_kinds(np.empty(0)) is None


@pytest.mark.parametrize("seed", range(6))
def test_a_difference_of_two_judges_is_that_of_their_jackknives(seed):
    world = World(seed, steps=1, prompts=14)
    rng = np.random.default_rng(seed)
    other = np.where(rng.random(world.score.size) < 0.3, -world.score, world.score)
    columns = world.yes, world.score, other
    members = Members.from_slices(world.prompt, world.slices[:1])
    everywhere = np.ones(other.size, bool)
    cells = Cells.from_members(members, columns, everywhere, find_kinds(*columns))
    first, second = (compared(cells, 0, place) for place in (1, 2))
    found = Difference(first.jackknife("auroc"), second.jackknife("auroc")).result()
    prompts = np.unique(world.prompt)
    sides, left = [], []
    for score in (world.score, other):
        left.append(
            np.array(
                [
                    roc.auroc(world.yes[world.prompt != one], score[world.prompt != one]).value
                    for one in prompts
                ]
            )
        )
        voices = min(np.unique(world.prompt[world.yes == side]).size for side in (0, 1))
        point = roc.auroc(world.yes, score)
        sides.append(small_samples.jackknifed(point, left[-1], *SHARE, voices=voices))
    whole = Estimate(sides[0].value - sides[1].value, None, None, other.size)
    assert alike(found, small_samples.difference_jackknifed(whole, tuple(sides), tuple(left)))


def test_a_difference_that_one_prompt_makes_possible_has_no_interval():
    # Without the first prompt the first judge orders nothing, without the second one the other.
    prompt = np.repeat(np.arange(20), 2)
    yes = np.tile([0.0, 1.0], 20)
    one, other = np.zeros(40), np.zeros(40)
    one[1] = other[3] = 1.0
    columns = yes, one, other
    members = Members.from_slices(prompt, [np.arange(40)])
    cells = Cells.from_members(members, columns, np.ones(40, bool))
    sides = [compared(cells, 0, place).jackknife("pearson") for place in (1, 2)]
    sides = [replace_rarer(side) for side in sides]
    assert Difference(*sides).result() == Undefined(
        "too few to judge: without one of 2 prompts it is undefined", 40
    )


def replace_rarer(side):
    return replace(side, left_out=replace(side.left_out, rarer=None))
