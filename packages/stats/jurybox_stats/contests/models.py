"""The models of a vote: what each outcome's log-likelihood is, with slopes and curvature.

With d what the left system is stronger by, and the side's worth added:

Bradley and Terry  P(left) = sigma(d)
Davidson           left, right and tie are in the ratio e^(d/2) : e^(-d/2) : nu
Rao and Kupper     P(left) = sigma(d - eta), P(right) = sigma(-d - eta)
half               a tie is half a win for both, as arenas count, which draws strengths together

All are concave in their parameters, so that Newton's method finds the one maximum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from jurybox_stats.contests.votes import LEFT, RIGHT, TIE, Votes
from jurybox_stats.series import Floats

Ties = Literal["davidson", "rao_kupper", "none", "half"]
TIES = ("davidson", "rao_kupper", "none", "half")
WITH_TIE = ("davidson", "rao_kupper")
# A step of Newton that moves no parameter by more than this is the last.
STILL = 1e-11
STEPS = 200


@dataclass(frozen=True)
class Design:
    """What d is made of, meeting by meeting: strengths but the first, then the side. The parameter of
    ties, where a model has one, comes last and is in no row."""

    rows: Floats
    ties: Ties

    @classmethod
    def from_votes(cls, votes: Votes, ties: Ties, *, side: bool) -> Design:
        left, right = votes.meetings
        rows = np.zeros((left.size, len(votes.systems)))
        every = np.arange(left.size)
        rows[every, left] += 1.0
        rows[every, right] -= 1.0
        more = [np.ones((left.size, 1))] if side else []
        return cls(np.hstack([rows[:, 1:], *more]), ties)

    @property
    def has_tie(self) -> bool:
        return self.ties in WITH_TIE

    @property
    def size(self) -> int:
        return self.rows.shape[1] + self.has_tie

    def start(self) -> Floats:
        theta = np.zeros(self.size)
        if self.ties == "rao_kupper":
            theta[-1] = 0.5
        return theta

    def curve(self, theta: Floats) -> Curve:
        d = self.rows @ theta[: self.rows.shape[1]]
        tie = float(theta[-1]) if self.has_tie else 0.0
        if self.ties == "davidson":
            return _davidson(d, tie)
        if self.ties == "rao_kupper":
            return _rao_kupper(d, tie)
        return _plain(d)

    def slope(self, curve: Curve, counts: Floats) -> Floats:
        """Of the log-likelihood of meetings counted so."""
        parts = self.rows.T @ (counts * curve.by_d).sum(axis=1)
        return np.append(parts, (counts * curve.by_tie).sum()) if self.has_tie else parts

    def bend(self, curve: Curve, counts: Floats) -> Floats:
        """The curvature with the sign turned."""
        found = self.rows.T @ ((counts * curve.dd).sum(axis=1)[:, None] * self.rows)
        if not self.has_tie:
            return found
        beside = self.rows.T @ (counts * curve.dt).sum(axis=1)
        corner = (counts * curve.tt).sum()
        return np.block([[found, beside[:, None]], [beside[None, :], np.array([[corner]])]])

    def slopes_of_cells(self, curve: Curve) -> Floats:
        """Cells x parameters: what one vote of a cell adds to the slope."""
        by_d = (self.rows[:, None, :] * curve.by_d[:, :, None]).reshape(-1, self.rows.shape[1])
        return np.hstack([by_d, curve.by_tie.reshape(-1, 1)]) if self.has_tie else by_d


@dataclass(frozen=True)
class Curve:
    """Meetings x outcomes: the log-likelihood, its slopes by d and by the parameter of ties, and its
    curvature with the sign turned."""

    value: Floats
    by_d: Floats
    by_tie: Floats
    dd: Floats
    dt: Floats
    tt: Floats


def _columns(*columns: Floats) -> Floats:
    return np.stack(columns, axis=1)


def _davidson(d: Floats, tie: float) -> Curve:
    logits = _columns(d / 2, -d / 2, np.full_like(d, tie))
    logs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    chance = np.exp(logs)
    ahead = (chance[:, LEFT] - chance[:, RIGHT]) / 2
    tied = chance[:, TIE]
    by_d = np.array([0.5, -0.5, 0.0])[None, :] - ahead[:, None]
    by_tie = np.array([0.0, 0.0, 1.0])[None, :] - tied[:, None]
    dd = (chance[:, LEFT] + chance[:, RIGHT]) / 4 - ahead**2
    bends = (dd, -ahead * tied, tied * (1 - tied))
    return Curve(logs, by_d, by_tie, *(_columns(bend, bend, bend) for bend in bends))


def _rao_kupper(d: Floats, eta: float) -> Curve:
    ahead, behind = d - eta, -d - eta
    won, lost = -np.logaddexp(0, -ahead), -np.logaddexp(0, -behind)
    of_won, of_lost = scipy.special.expit(-ahead), scipy.special.expit(-behind)
    bend_won, bend_lost = scipy.special.expit(ahead) * of_won, scipy.special.expit(behind) * of_lost
    room = -np.expm1(-2 * eta)
    tied = won + lost + np.log(np.expm1(2 * eta))
    corner = 4 * np.exp(-2 * eta) / room**2
    return Curve(
        _columns(won, lost, tied),
        _columns(of_won, -of_lost, of_won - of_lost),
        _columns(-of_won, -of_lost, 2 / room - of_won - of_lost),
        _columns(bend_won, bend_lost, bend_won + bend_lost),
        _columns(-bend_won, bend_lost, bend_lost - bend_won),
        _columns(bend_won, bend_lost, bend_won + bend_lost + corner),
    )


def _plain(d: Floats) -> Curve:
    """Without ties, or with each as half a win for both."""
    won, lost = -np.logaddexp(0, -d), -np.logaddexp(0, d)
    up, down, bend = (
        scipy.special.expit(-d),
        -scipy.special.expit(d),
        scipy.special.expit(d) * scipy.special.expit(-d),
    )
    none = np.zeros((d.size, 3))
    return Curve(
        _columns(won, lost, (won + lost) / 2),
        _columns(up, down, (up + down) / 2),
        none,
        _columns(bend, bend, bend),
        none,
        none,
    )


def highest(design: Design, counts: Floats, start: Floats) -> tuple[Floats, Curve, bool]:
    """The maximum by Newton's method with halved steps, the curve there, and whether it was found."""
    theta, curve = start, design.curve(start)
    value = float((counts * curve.value).sum())
    for _ in range(STEPS):
        try:
            step = np.linalg.solve(design.bend(curve, counts), design.slope(curve, counts))
        except np.linalg.LinAlgError:
            return theta, curve, False
        size = 1.0
        while size > 1e-9:
            tried = theta + size * step
            if design.ties != "rao_kupper" or tried[-1] > 0:
                new = design.curve(tried)
                reached = float((counts * new.value).sum())
                if reached >= value - 1e-12 * abs(value):
                    break
            size /= 2
        else:
            return theta, curve, True
        theta, curve, value = tried, new, reached
        if np.abs(size * step).max() < STILL:
            return theta, curve, True
    return theta, curve, False


def runs_away(design: Design, counts: Floats) -> bool:
    """Whether some direction makes no vote less likely and some vote more so, without end."""
    won, lost, tied = (counts[:, said] > 0 for said in (LEFT, RIGHT, TIE))
    column = np.zeros((design.rows.shape[0], int(design.has_tie)))
    ahead, behind = np.hstack([design.rows, column]), np.hstack([-design.rows, column])
    if design.ties == "davidson":
        above, below = (
            np.hstack([design.rows / 2, column - 1]),
            np.hstack([-design.rows / 2, column - 1]),
        )
        rows = [ahead[won], above[won], behind[lost], below[lost], -above[tied], -below[tied]]
    elif design.ties == "rao_kupper":
        ahead[:, -1] = behind[:, -1] = -1.0
        rows = [ahead[won], behind[lost], -ahead[tied], -behind[tied]]
    else:
        rows = [ahead[won], behind[lost], ahead[tied], behind[tied]]
    every = np.unique(np.vstack(rows), axis=0)
    found = scipy.optimize.linprog(
        -every.sum(axis=0),
        A_ub=-every,
        b_ub=np.zeros(every.shape[0]),
        bounds=[(-1, 1)] * every.shape[1],
        method="highs",
    )
    return found.fun is None or bool(found.fun < -1e-7)
