"""Strengths of systems from votes between two of them, with errors that take prompts as clusters.

Bradley and Terry 1952 (Biometrika 39:324), ties by Davidson 1970 (JASA 65:317) or Rao and Kupper 1967
(JASA 62:194). Newton's method, after a linear programme has shown that the maximum is finite. Errors are
the sandwich of sums by cluster, times G / (G - 1); by prompts and raters both, as Cameron, Gelbach and
Miller 2011 (JBES 29:238) add them up. Memory grows with the votes: no table of clusters by parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
import scipy

from jurybox_stats.contests.models import TIES, Curve, Design, Ties, highest, runs_away
from jurybox_stats.contests.votes import TIE, Votes
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling import percentiles
from jurybox_stats.resampling.cluster_counts import check, cluster_counts
from jurybox_stats.series import Codes, Floats, coded

ALL_TIES = "no finite answer: all votes are ties"
NEVER_LOST = "no finite answer: {} never lost against the others"
ALL_ONE_WAY = "no finite answer: a system, a side or ties won or lost all that could tell"

Clusters = Literal["prompts", "raters", "both", "votes"]
# Beyond this a strength stands for "always": no resample of it is a number.
ENDLESS = 30.0
# What rounding leaves of an error of 0.
NO_ERROR = 1e-7


@dataclass(frozen=True, slots=True)
class Contest:
    """`strengths` on the log scale, the first system's 0. `win_shares`: the chance to win against
    another system drawn at random, a tie counting half, without the side's advantage.

    `tie` is nu or eta, `left` what the left side is worth. All with 95 % intervals. `covariance` is
    that of the strengths, the first system's row and column 0. `freedom`: of Student's t, one less than
    the clusters.
    """

    systems: tuple[str, ...]
    strengths: tuple[Estimate, ...]
    win_shares: tuple[Estimate, ...]
    tie: Estimate | None
    left: Estimate | None
    log_likelihood: float
    prompts: int
    n: int
    covariance: Floats = field(repr=False, compare=False)
    freedom: float = math.inf


def fit(
    votes: Votes | Sequence[tuple],
    *,
    ties: Ties = "davidson",
    side: bool = False,
    systems: Sequence[object] | None = None,
    clusters: Clusters = "prompts",
) -> Contest | Undefined:
    """`votes` are (prompt, left system, right system, outcome[, rater]), or `Votes`.

    `clusters="votes"` takes every vote as its own cluster, without the factor, as arenas do.
    """
    table = _table(votes, systems)
    if clusters not in ("prompts", "raters", "both", "votes"):
        raise ValueError("clusters are “prompts”, “raters”, “both” or “votes”")
    refused = _refused(table, ties)
    if refused is not None:
        return refused
    if clusters in ("raters", "both") and table.raters is None:
        raise ValueError("errors by raters need to know who voted")
    design, counts = Design.from_votes(table, ties, side=side), table.counts()
    if runs_away(design, counts):
        return Undefined(_why_endless(table), table.n)
    theta, curve, _ = highest(design, counts, design.start())
    inverse = np.linalg.inv(design.bend(curve, counts))
    spread = inverse @ _meat(table, design, curve, counts, clusters) @ inverse
    value = float((counts * curve.value).sum())
    return _contest_result(
        table, design, theta, spread, value, side=side, freedom=_freedom(table, clusters)
    )


def resampled(
    votes: Votes | Sequence[tuple],
    *,
    ties: Ties = "davidson",
    side: bool = False,
    systems: Sequence[object] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> tuple[Estimate | Undefined, ...] | Undefined:
    """The win shares with intervals from a bootstrap that draws whole prompts."""
    table = _table(votes, systems)
    check(max(table.of_prompts, 1), resamples, seed)
    found = fit(table, ties=ties, side=side)
    if isinstance(found, Undefined):
        return found
    design = Design.from_votes(table, ties, side=side)
    start, _, _ = highest(design, table.counts(), design.start())
    drawn = cluster_counts(table.of_prompts, resamples, seed)
    shares = np.full((resamples, len(table.systems)), np.nan)
    for row, held in enumerate(drawn):
        counts = (table.by_prompt.T @ held).reshape(-1, 3)
        theta, _, settled = highest(design, counts, start)
        if settled and np.abs(theta).max() < ENDLESS:
            shares[row] = win_shares(theta, len(table.systems), ties)
    return tuple(
        percentiles.interval(share.value, partial(_column, shares, place), drawn, table.n)
        for place, share in enumerate(found.win_shares)
    )


def _column(shares: Floats, place: int, _: Floats) -> Floats:
    return np.asarray(shares[:, place])


def _table(votes: Votes | Sequence[tuple], systems: Sequence[object] | None) -> Votes:
    if isinstance(votes, Votes):
        return votes
    if not votes:
        return Votes.from_columns([], [], [], [], systems=systems)
    columns = list(zip(*votes, strict=True))
    raters = columns[4] if len(columns) > 4 else None
    return Votes.from_columns(*columns[:4], raters=raters, systems=systems)


def _refused(votes: Votes, ties: str) -> Undefined | None:
    if ties not in TIES:
        raise ValueError("ties is “davidson”, “rao_kupper”, “none” or “half”")
    if not votes.n:
        return Undefined("there are no votes")
    if ties == "none" and (votes.said == TIE).any():
        return Undefined("there are ties: choose a model that knows them", votes.n)
    if votes.islands() > 1:
        return Undefined("the comparisons do not connect all systems", votes.n)
    return None


def _why_endless(votes: Votes) -> str:
    if (votes.said == TIE).all():
        return ALL_TIES
    unbeaten = votes.unbeaten()
    if unbeaten and len(unbeaten) <= 5:
        return NEVER_LOST.format(", ".join(unbeaten))
    return ALL_ONE_WAY


def _meat(votes: Votes, design: Design, curve: Curve, counts: Floats, clusters: Clusters) -> Floats:
    slopes = scipy.sparse.csr_matrix(design.slopes_of_cells(curve))
    if clusters == "votes":
        found = slopes.T @ slopes.multiply(counts.reshape(-1, 1)).tocsr()
        return np.asarray(found.toarray(), dtype=np.float64)
    if clusters == "prompts":
        return _summed(votes.by_prompt, slopes)
    assert votes.raters is not None
    by_rater = _summed(votes.cells_by_group(votes.raters), slopes)
    if clusters == "raters":
        return by_rater
    both: Codes = coded(votes.prompts * (int(votes.raters.max()) + 1) + votes.raters)[1]
    found = (
        _summed(votes.by_prompt, slopes) + by_rater - _summed(votes.cells_by_group(both), slopes)
    )
    # A sum less a sum can have a negative direction where clusters are few: it counts as none.
    values, vectors = np.linalg.eigh(found)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def _freedom(votes: Votes, clusters: Clusters) -> float:
    """Of few clusters the spread is known badly itself; arenas, with every vote alone, take the normal."""
    if clusters == "votes":
        return math.inf
    raters = 0 if votes.raters is None else int(np.unique(votes.raters).size)
    sizes = {
        "prompts": (votes.of_prompts,),
        "raters": (raters,),
        "both": (votes.of_prompts, raters),
    }
    return float(max(1, min(sizes[clusters]) - 1))


def _summed(held: scipy.sparse.csr_matrix, slopes: scipy.sparse.csr_matrix) -> Floats:
    """Sums of slopes by cluster, times themselves. Sparse all the way: no table of all clusters."""
    groups = held.shape[0]
    if groups < 2:
        return np.full((slopes.shape[1],) * 2, np.nan)
    sums = (held @ slopes).tocsr()
    return np.asarray((sums.T @ sums).toarray(), dtype=np.float64) * groups / (groups - 1)


def _contest_result(
    votes: Votes,
    design: Design,
    theta: Floats,
    spread: Floats,
    value: float,
    *,
    side: bool,
    freedom: float,
) -> Contest:
    errors = _roots(np.diag(spread))
    k, n = len(votes.systems), votes.n

    def estimate_of(number: float, error: float) -> Estimate:
        return with_interval(float(number), float(error), n, freedom)

    shares, slope = with_slope(lambda point: win_shares(point, k, design.ties), theta)
    share_errors = _roots(np.einsum("sp,pq,sq->s", slope, spread, slope))
    tie = None
    if design.ties == "rao_kupper":
        tie = estimate_of(theta[-1], errors[-1])
    elif design.ties == "davidson":
        logs = estimate_of(theta[-1], errors[-1])
        low, high = (None if end is None else float(np.exp(end)) for end in (logs.low, logs.high))
        tie = Estimate(float(np.exp(theta[-1])), low, high, n)
    covariance = np.zeros((k, k))
    covariance[1:, 1:] = spread[: k - 1, : k - 1]
    return Contest(
        votes.systems,
        (Estimate(0.0, 0.0, 0.0, n), *map(estimate_of, theta[: k - 1], errors[: k - 1])),
        tuple(map(estimate_of, shares, share_errors)),
        tie,
        estimate_of(theta[k - 1], errors[k - 1]) if side else None,
        value,
        votes.of_prompts,
        n,
        covariance,
        freedom,
    )


def with_interval(value: float, error: float, n: int, freedom: float) -> Estimate:
    """With its interval; none where no error is known, or where every cluster says the same, which is no
    certainty."""
    if not error > NO_ERROR:
        return Estimate(value, None, None, n)
    reach = float(scipy.stats.t.ppf(0.975, freedom)) * error
    return Estimate(value, value - reach, value + reach, n)


def _roots(variances: Floats) -> Floats:
    """Of variances that rounding may have put below 0."""
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def win_shares(theta: np.ndarray, systems: int, ties: Ties) -> np.ndarray:
    strengths = np.concatenate([[0.0], theta[: systems - 1]])
    d = strengths[:, None] - strengths[None, :]
    if ties == "davidson":
        win, lose, tie = np.exp(d / 2), np.exp(-d / 2), np.exp(theta[-1])
        half = (win + tie / 2) / (win + lose + tie)
    elif ties == "rao_kupper":
        win, lose = (1 / (1 + np.exp(theta[-1] - sign * d)) for sign in (1, -1))
        half = (1 + win - lose) / 2
    else:
        half = 1 / (1 + np.exp(-d))
    shares: np.ndarray = (half.sum(axis=1) - half.diagonal()) / (systems - 1)
    return shares


def with_slope(values: Callable[[np.ndarray], np.ndarray], theta: Floats) -> tuple[Floats, Floats]:
    """The values and their slopes, exact to the last digit by a step along the imaginary axis."""
    slopes = []
    for number in range(theta.size):
        point = theta.astype(complex)
        point[number] += 1e-20j
        slopes.append(values(point).imag / 1e-20)
    return values(theta), np.array(slopes).T
