"""Which of the two? Strengths of generators from votes between two of their images.

Bradley and Terry: P(left) = sigma(d), with d the difference of strengths, plus what the left side
is worth where `side` is asked for. Ties, by Davidson: left, right and tie are in the ratio
e^(d/2) : e^(-d/2) : nu; by Rao and Kupper: P(left) = sigma(d - eta), P(right) = sigma(-d - eta);
or as half a win for both, as arenas do, which draws strengths together.

All are concave in their parameters: Newton's method, after a linear programme has shown that the
maximum is finite. Errors take prompts as clusters: the sandwich, times G / (G - 1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import linprog
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import norm

from audit.stats.estimate import Estimate, Undefined
from audit.stats.series import Floats, group_codes

Ties = Literal["davidson", "rao_kupper", "none", "half"]
Outcome = Literal["left", "right", "tie", "neither"]
OUTCOMES = ("left", "right", "tie", "neither")
Z = float(norm.ppf(0.975))
# A step of Newton that moves no parameter by more than this is the last.
STILL = 1e-11


@dataclass(frozen=True, slots=True)
class Contest:
    """`strengths` on the log scale, the first system's 0. `win_shares`: the chance to win against
    another system drawn at random, a tie counting half, without the side's advantage.

    `tie` is nu or eta, `left` what the left side is worth. All with 95 % intervals, by prompts.
    """

    systems: tuple[str, ...]
    strengths: tuple[Estimate, ...]
    win_shares: tuple[Estimate, ...]
    tie: Estimate | None
    left: Estimate | None
    log_likelihood: float
    prompts: int
    n: int


def fit(
    votes: Sequence[tuple[object, object, object, str]],
    *,
    ties: Ties = "davidson",
    side: bool = False,
    systems: Sequence[object] | None = None,
    by_votes: bool = False,
) -> Contest | Undefined:
    """`votes` are (prompt, left system, right system, outcome); "neither" counts as a tie.

    `by_votes` takes every vote as its own cluster, without the factor, as arenas do.
    """
    if ties not in ("davidson", "rao_kupper", "none", "half"):
        raise ValueError("ties is “davidson”, “rao_kupper”, “none” or “half”")
    if any(vote[3] not in OUTCOMES for vote in votes):
        raise ValueError(f"a vote is one of {', '.join(OUTCOMES)}")
    if not votes:
        return Undefined("there are no votes")
    table = _Votes.of(votes, systems)
    if table.tied.any() and ties == "none":
        return Undefined("there are ties: choose a model that knows them", len(votes))
    if table.islands() > 1:
        return Undefined("the comparisons do not connect all systems", len(votes))
    design = table.design(side, with_tie=ties in ("davidson", "rao_kupper"))
    if _runs_away(table, design, ties):
        reason = "no finite answer: a system, a side or ties won or lost all that could tell"
        return Undefined(reason, len(votes))
    model = _davidson if ties == "davidson" else _logistic
    theta = np.zeros(design.shape[1])
    if ties == "rao_kupper":
        theta[-1] = 0.5
    value, scores, bend = model(theta, table, design, ties)
    for _ in range(200):
        step = np.linalg.solve(bend, scores.sum(axis=0))
        size = 1.0
        while size > 1e-9:
            tried = theta + size * step
            if ties != "rao_kupper" or tried[-1] > 0:
                new = model(tried, table, design, ties)
                if new[0] >= value - 1e-12 * abs(value):
                    break
            size /= 2
        else:
            break
        theta, (value, scores, bend) = tried, new
        if np.abs(size * step).max() < STILL:
            break
    return _told(table, theta, scores, bend, value, ties, side, by_votes)


@dataclass(frozen=True, slots=True)
class _Votes:
    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    won: np.ndarray
    tied: np.ndarray
    prompts: np.ndarray

    @classmethod
    def of(cls, votes: Sequence, systems: Sequence[object] | None) -> _Votes:
        prompts, left, right, outcome = (list(column) for column in zip(*votes, strict=True))
        names = tuple(map(str, systems or sorted({*left, *right}, key=str)))
        place = {name: number for number, name in enumerate(names)}
        if not {*map(str, left), *map(str, right)} <= place.keys():
            raise ValueError("a vote names a system that is not among the systems")
        said = np.array(outcome)
        return cls(
            names,
            np.array([place[str(name)] for name in left]),
            np.array([place[str(name)] for name in right]),
            said == "left",
            np.isin(said, ("tie", "neither")),
            group_codes(np.array([str(prompt) for prompt in prompts]), said.size)[0],
        )

    def islands(self) -> int:
        met = np.zeros((len(self.systems), len(self.systems)), dtype=bool)
        met[self.first, self.second] = True
        return int(connected_components(met, directed=False)[0])

    def design(self, side: bool, *, with_tie: bool) -> Floats:
        """What d is made of: strengths but the first, the side; a column of the tie's stays 0."""
        size = len(self.systems)
        columns = np.zeros((self.first.size, size))
        rows = np.arange(self.first.size)
        np.add.at(columns, (rows, self.first), 1.0)
        np.add.at(columns, (rows, self.second), -1.0)
        more = [np.ones((rows.size, 1))] if side else []
        more += [np.zeros((rows.size, 1))] if with_tie else []
        return np.hstack([columns[:, 1:], *more])


Curve = tuple[float, Floats, Floats]


def _davidson(theta: Floats, votes: _Votes, design: Floats, ties: Ties) -> Curve:
    """The log-likelihood, every vote's slope, and the curvature with the sign turned."""
    tie = np.zeros_like(design)
    tie[:, -1] = 1.0
    options = np.stack([design / 2, -design / 2, tie], axis=1)
    logits = options @ theta
    logits -= logits.max(axis=1, keepdims=True)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    chosen = np.where(votes.tied, 2, np.where(votes.won, 0, 1))
    rows = np.arange(chosen.size)
    expected = np.einsum("vo,vop->vp", chances, options)
    scores = options[rows, chosen] - expected
    bend = np.einsum("vo,vop,voq->pq", chances, options, options) - expected.T @ expected
    return float(np.log(chances[rows, chosen]).sum()), scores, bend


def _logistic(theta: Floats, votes: _Votes, design: Floats, ties: Ties) -> Curve:
    """The models whose likelihood is made of log sigma: all but Davidson's."""
    ahead, behind = design.copy(), -design
    won, lost = votes.won & ~votes.tied, ~votes.won & ~votes.tied
    share = 0.5 if ties == "half" else 1.0
    value, extra = 0.0, np.zeros_like(theta)
    bend = np.zeros((theta.size, theta.size))
    if ties == "rao_kupper":
        ahead[:, -1] = behind[:, -1] = -1.0
        eta, tied = theta[-1], int(votes.tied.sum())
        value = tied * float(np.log(np.expm1(2 * eta)))
        extra[-1] = 2 / -np.expm1(-2 * eta)
        bend[-1, -1] = tied * 4 * np.exp(-2 * eta) / np.expm1(-2 * eta) ** 2
    scores = votes.tied[:, None] * extra
    for rows, wins in ((ahead, won), (behind, lost)):
        counts = wins + share * votes.tied
        u = rows @ theta
        value -= float((counts * np.logaddexp(0, -u)).sum())
        scores = scores + (counts * expit(-u))[:, None] * rows
        bend += rows.T @ ((counts * expit(u) * expit(-u))[:, None] * rows)
    return value, scores, bend


def _runs_away(votes: _Votes, design: Floats, ties: Ties) -> bool:
    """Whether some direction makes no vote less likely and some vote more so, without end."""
    won, lost, tied = votes.won & ~votes.tied, ~votes.won & ~votes.tied, votes.tied
    ahead, behind = design.copy(), -design
    if ties == "davidson":
        ahead[:, -1] = behind[:, -1] = 0.0
        ahead_of_tie, behind_tie = design / 2, -design / 2
        ahead_of_tie[:, -1] = behind_tie[:, -1] = -1.0
        rows = [ahead[won], ahead_of_tie[won], behind[lost], behind_tie[lost]]
        rows += [-ahead_of_tie[tied], -behind_tie[tied]]
    elif ties == "rao_kupper":
        ahead[:, -1] = behind[:, -1] = -1.0
        rows = [ahead[won], behind[lost], -ahead[tied], -behind[tied]]
    else:
        rows = [ahead[won], behind[lost], ahead[tied], behind[tied]]
    all_rows = np.unique(np.vstack(rows), axis=0)
    found = linprog(
        -all_rows.sum(axis=0),
        A_ub=-all_rows,
        b_ub=np.zeros(all_rows.shape[0]),
        bounds=[(-1, 1)] * all_rows.shape[1],
        method="highs",
    )
    return found.fun is None or found.fun < -1e-7


def _told(
    votes: _Votes,
    theta: Floats,
    scores: Floats,
    bend: Floats,
    value: float,
    ties: Ties,
    side: bool,
    by_votes: bool,
) -> Contest:
    prompts = int(votes.prompts.max()) + 1
    groups, factor = (np.arange(scores.shape[0]), 1.0) if by_votes else (votes.prompts, None)
    sums = np.zeros((int(groups.max()) + 1, theta.size))
    np.add.at(sums, groups, scores)
    if factor is None:
        factor = prompts / (prompts - 1) if prompts > 1 else np.nan
    inverse = np.linalg.inv(bend)
    spread = inverse @ (sums.T @ sums) @ inverse * factor
    errors = np.sqrt(np.diag(spread))
    k, n = len(votes.systems), scores.shape[0]

    def told(number: float, error: float) -> Estimate:
        if np.isnan(error):
            return Estimate(float(number), None, None, n)
        return Estimate(float(number), float(number - Z * error), float(number + Z * error), n)

    shares, slope = _with_slope(lambda point: _win_shares(point, k, ties), theta)
    share_errors = np.sqrt(np.einsum("sp,pq,sq->s", slope, spread, slope))
    tie = None
    if ties == "rao_kupper":
        tie = told(theta[-1], errors[-1])
    elif ties == "davidson":
        logs = told(theta[-1], errors[-1])
        low, high = (None if end is None else float(np.exp(end)) for end in (logs.low, logs.high))
        tie = Estimate(float(np.exp(theta[-1])), low, high, n)
    return Contest(
        votes.systems,
        (Estimate(0.0, 0.0, 0.0, n), *map(told, theta[: k - 1], errors[: k - 1])),
        tuple(map(told, shares, share_errors)),
        tie,
        told(theta[k - 1], errors[k - 1]) if side else None,
        value,
        prompts,
        n,
    )


def _win_shares(theta: np.ndarray, systems: int, ties: Ties) -> np.ndarray:
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
    return (half.sum(axis=1) - half.diagonal()) / (systems - 1)


def _with_slope(values: Callable[[np.ndarray], np.ndarray], theta: Floats) -> tuple[Floats, Floats]:
    """The values and their slopes, exact to the last digit by a step along the imaginary axis."""
    slopes = []
    for number in range(theta.size):
        point = theta.astype(complex)
        point[number] += 1e-20j
        slopes.append(values(point).imag / 1e-20)
    return values(theta), np.array(slopes).T
