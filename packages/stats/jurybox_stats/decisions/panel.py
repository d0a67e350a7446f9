"""A panel: one score made of several judges' scores, and whether it is better than the best of them.

It is tuned on some prompts and tested once on others, which no weight has seen. What many loops report
instead, the number on what they tuned with, is too high by as much as they tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from jurybox_stats import raters
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.instrument.comparison import jackknifed
from jurybox_stats.over_time.courses import Change
from jurybox_stats.resampling.exact_sums import ratio
from jurybox_stats.series import Codes, Floats
from jurybox_stats.sums.single import compare

ALIKE = "people answer alike in one half"
ONE_PROMPT = "there are fewer than two prompts to test on"
NO_IMAGE = "no image has scores of both"
NO_VERDICTS = "fewer than two judges give verdicts"
# A judge joins a suggested panel if the share of pairs in people's order rises by so much at least.
LEAST_GAIN = 0.002


@dataclass(frozen=True)
class Panel:
    """Weights of standardised scores. A score that is missing says nothing; a constant judge has a weight of 0."""

    means: Floats
    spreads: Floats
    weights: Floats
    intercept: float
    # Whether a score is the chance that people say yes; else the mean of those that are there.
    is_chance: bool

    def scores(self, judges: Floats) -> Floats:
        """`judges`: members x images, NaN where one has no score. NaN where none has."""
        return self._combine((judges - self.means[:, None]) / self.spreads[:, None])

    def _combine(self, apart: Floats) -> Floats:
        there = ~np.isnan(apart)
        sums: Floats = self.weights @ np.where(there, apart, 0.0)
        if self.is_chance:
            sums = scipy.special.expit(self.intercept + sums)
        else:
            sums = ratio(sums, np.where(self.weights > 0, 1.0, 0.0) @ there)
        return np.where(there.any(axis=0), sums, np.nan)


Tune = Callable[[Floats, Floats], "Panel | Undefined"]


def tune_mean(judges: Floats, yes: Floats) -> Panel:
    """Every judge weighs the same; `yes`: what people say by majority, which only `stack` learns from."""
    means, spreads, vary = _standardise(judges)
    return Panel(means, spreads, vary * 1.0, 0.0, is_chance=False)


def tune_stack(judges: Floats, yes: Floats) -> Panel:
    """Weights that minimise half their squares and the log-loss of people's majority; the intercept is free."""
    means, spreads, vary = _standardise(judges)
    apart = np.nan_to_num((judges - means[:, None]) / spreads[:, None])
    apart = np.vstack([apart * vary[:, None], np.ones(yes.size)])
    free = np.r_[np.ones(len(judges)), 0.0]

    def loss(at: Floats) -> tuple[float, Floats]:
        logits = at @ apart
        value = free @ at**2 / 2 + (np.logaddexp(0, logits) - yes * logits).sum()
        return float(value), free * at + apart @ (scipy.special.expit(logits) - yes)

    def bend(at: Floats) -> Floats:
        chance = scipy.special.expit(at @ apart)
        bent: Floats = np.diag(free) + (apart * (chance * (1 - chance))) @ apart.T
        return bent

    start = np.zeros(len(apart))
    solution = scipy.optimize.minimize(
        loss, start, jac=True, hess=bend, method="trust-exact", options={"gtol": 1e-9}
    ).x
    # One more of Newton's steps takes what rounding has left.
    solution = solution - np.linalg.solve(bend(solution), loss(solution)[1])
    return Panel(means, spreads, solution[:-1], float(solution[-1]), is_chance=True)


def tune_classes(verdicts: Floats, yes: Floats) -> Panel | Undefined:
    """Each judge's rates of error by Dawid and Skene, from the verdicts alone."""
    member, image = np.nonzero(~np.isnan(verdicts))
    if np.unique(member).size < 2:
        return Undefined(NO_VERDICTS, int(yes.size))
    learned = raters.dawid_skene(image, member, verdicts[member, image], classes=(0.0, 1.0))
    if isinstance(learned, Undefined):
        return learned
    table = np.log(np.maximum(learned.confusion, raters.LEAST))
    odds = np.zeros((len(verdicts), 2))
    odds[learned.raters] = np.nan_to_num(table[:, 1] - table[:, 0])
    weights = odds[:, 1] - odds[:, 0]
    # What a no says beside a verdict that is missing is put into the mean.
    means = np.where(weights == 0, 0.0, -odds[:, 0] / np.where(weights == 0, 1.0, weights))
    prior = np.log(np.maximum(learned.prior, raters.LEAST))
    return Panel(means, np.ones(weights.size), weights, float(prior[1] - prior[0]), is_chance=True)


TUNES: dict[str, Tune] = {
    "mean": tune_mean,
    "stack": tune_stack,
    "dawid-skene": tune_classes,
}


def _standardise(judges: Floats) -> tuple[Floats, Floats, np.ndarray]:
    there = ~np.isnan(judges)
    count = np.maximum(there.sum(axis=1), 1)
    means = np.where(there, judges, 0.0).sum(axis=1) / count
    away = np.where(there, judges - means[:, None], 0.0)
    spreads = np.sqrt((away**2).sum(axis=1) / count)
    vary = spreads > 1e-12 * np.maximum(np.abs(means), 1.0)
    return means, np.where(vary, spreads, 1.0), vary


@dataclass(frozen=True)
class Tested:
    """A panel beside the best of its members, on prompts that neither was chosen by. Both shares are of pairs
    in people's order: AUROC where people say yes or no."""

    panel: Panel
    best: int
    order: float
    best_order: float
    gain: Change


def test_once(
    judges: Floats,
    yes: Floats,
    people: Floats,
    prompts: Codes,
    tuning: np.ndarray,
    tune: Tune,
    *,
    verdicts: Floats | None = None,
) -> Tested | Undefined:
    """`judges`: members x images; `people`: in whose order the pairs are; `tuning`: the images that tune, the
    others test. `verdicts`: what is combined in place of scores."""
    left = ~tuning
    if any(np.unique(side).size < 2 for side in (yes[tuning], people[tuning], people[left])):
        return Undefined(ALIKE, int(yes.size))
    if np.unique(prompts[left]).size < 2:
        return Undefined(ONE_PROMPT, int(left.sum()))
    combined = judges if verdicts is None else verdicts
    panel = tune(combined[:, tuning], yes[tuning])
    if isinstance(panel, Undefined):
        return panel
    best = best_member(judges[:, tuning], people[tuning])
    rows = [
        rows_of_order(people[left], scores, prompts[left])
        for scores in (panel.scores(combined[:, left]), judges[best, left])
    ]
    gain = rows[0] - rows[1]
    # A prompt without which all answers are alike says nothing of the spread.
    gain = gain[~np.isnan(gain)]
    return Tested(
        panel,
        best,
        float(rows[0][0]),
        float(rows[1][0]),
        jackknifed(gain, int(left.sum())),
    )


def best_member(judges: Floats, people: Floats) -> int:
    nowhere = np.zeros(people.size, np.int64)
    return int(np.argmax([rows_of_order(people, scores, nowhere)[0] for scores in judges]))


def rows_of_order(people: Floats, scores: Floats, prompts: Codes) -> Floats:
    """The share of pairs in people's order, ties half; of all prompts, then without each. An image without a
    score is tied with all others."""
    missing = np.isnan(scores)
    middle = np.median(scores[~missing]) if not missing.all() else 0.0
    compared = compare(prompts, people, np.where(missing, middle, scores), by_kind=False)
    order, rows = compared.order, []
    for side in (0, 1):
        half = (order.second.tied[side] - order.both.tied[side]) / 2
        rows.append(
            ratio(order.concordant[side] + half, order.pairs[side] - order.first.tied[side])
        )
    return np.concatenate(rows)


@dataclass(frozen=True)
class Suggestion:
    """`tried`: how many panels were looked at to find it."""

    members: tuple[int, ...]
    tried: int


def suggest(judges: Floats, yes: Floats, people: Floats, prompts: Codes) -> Suggestion:
    """From the best judge on, whoever adds most joins, as long as somebody does. All by the prompts that tune:
    each half of them is tested with what the other has tuned."""
    codes = np.unique(prompts, return_inverse=True)[1]
    halves = codes % 2 == 0, codes % 2 == 1

    def order_of(members: Sequence[int]) -> float:
        chosen = judges[list(members)]
        orders = []
        for half in halves:
            if any(np.unique(people[side]).size < 2 for side in (half, ~half)):
                return 0.0
            panel = tune_stack(chosen[:, half], yes[half])
            scores = panel.scores(chosen[:, ~half])
            nowhere = np.zeros(scores.size, np.int64)
            orders.append(float(rows_of_order(people[~half], scores, nowhere)[0]))
        return sum(orders) / 2

    members, tried = [best_member(judges, people)], 1
    most = order_of(members)
    while len(members) < len(judges):
        others = [one for one in range(len(judges)) if one not in members]
        reached = [order_of([*members, one]) for one in others]
        tried += len(others)
        if max(reached) < most + LEAST_GAIN:
            break
        most = max(reached)
        members.append(others[int(np.argmax(reached))])
    return Suggestion(tuple(members), tried)


def errors_together(first: Floats, second: Floats, people: Floats, prompts: Codes) -> Result:
    """The correlation of what two judges say beyond people's answer: 0 where they err apart, 1 where one errs
    as the other does."""
    there = ~np.isnan(first) & ~np.isnan(second)
    if not there.any():
        return Undefined(NO_IMAGE, 0)
    sides = [_residuals(values[there], people[there]) for values in (first, second)]
    return compare(prompts[there], *sides, by_kind=False).pearson()[0]


def _residuals(scores: Floats, people: Floats) -> Floats:
    """Scores less the line through people's answers."""
    away = people - people.mean()
    spread = float(away @ away)
    slope = float(away @ scores) / spread if spread > 0 else 0.0
    return scores - scores.mean() - slope * away
