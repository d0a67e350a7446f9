"""How strict each person is on people's latent scale: a person says yes where z + N(0, 1) > severity.

From pairs of answers to one image that differ: who says yes there (Bradley & Terry 1952, Biometrika
39:324, over all people who answer the same images). Where other people labelled the newer generators,
people's own zero lies elsewhere there; `shift` says by how much.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from jurybox_stats.resampling.exact_sums import by_group
from jurybox_stats.series import Codes, Floats

# A logistic of this scale is nearly a normal (Johnson, Kotz & Balakrishnan 1995, vol. 2, 23.7).
LOGISTIC = 1.702
# Somebody who always says yes where two differ is taken as if one answer in so many pairs were not.
PRIOR = 0.5
ROUNDS = 50
# People of the newer generators are others where so much of the answers would have to change hands.
OTHERS = 0.15
# So many of the answers on either side must be by people who can be compared.
COMPARED = 0.8


@dataclass(frozen=True, slots=True)
class Mix:
    """Who labelled which generators: people x generators, answers counted."""

    answers: Codes

    def changes(self, old: np.ndarray, new: np.ndarray) -> float:
        """The share of the answers on `new` that would have to be given by others to make the same mix of
        people as on `old`, less what chance makes of it where everybody gets images at random."""
        counts = [self.answers[:, side].sum(axis=1) for side in (old, new)]
        before, after = map(_shares, counts)
        whole = _shares(self.answers.sum(axis=1))
        error = np.sqrt(whole * (1 - whole) * sum(1 / max(part.sum(), 1) for part in counts))
        by_chance = math.sqrt(2 / math.pi) * error.sum()
        return float(max(np.abs(after - before).sum() - by_chance, 0.0) / 2)

    def share_of_same_people(self, old: np.ndarray, new: np.ndarray) -> float | None:
        """The share of the answers on `new` by people who answered on `old`, too."""
        before, after = self.answers[:, old].sum(axis=1), self.answers[:, new].sum(axis=1)
        return float(after[before > 0].sum() / after.sum()) if after.sum() else None

    def largest_share(self) -> float:
        """Of the person who gave most answers."""
        return float(_shares(self.answers.sum(axis=1)).max(initial=0))


@dataclass(frozen=True, slots=True)
class Severities:
    """`values`: rows x people, of all images and without each prompt; `joined`: a code for each person,
    the same for two who can be compared, also through others."""

    values: Floats
    joined: Codes

    def shift(self, mix: Mix) -> Floats:
        """Rows x generators: the mean severity of who labelled it."""
        given = mix.answers / np.maximum(mix.answers.sum(axis=0), 1)
        shift: Floats = self.values @ given
        return shift

    def compare(self, mix: Mix, old: np.ndarray, new: np.ndarray) -> bool:
        """Whether enough of the answers on both sides are by people who can be compared."""
        before, after = (_shares(mix.answers[:, side].sum(axis=1)) for side in (old, new))
        size = int(self.joined.max(initial=0)) + 1
        shares = (
            np.bincount(self.joined, weights=part, minlength=size) for part in (before, after)
        )
        return bool(np.minimum(*shares).max(initial=0) >= COMPARED)


def severities(yes: np.ndarray, no: np.ndarray, prompts: Codes) -> Severities:
    """`yes`, `no`: people x images, who answered so."""
    yes, no = yes.astype(np.float64), no.astype(np.float64)
    wins = yes @ no.T
    pairs = wins + wins.T
    joined = scipy.sparse.csgraph.connected_components(pairs > 0, directed=False)[1].astype(
        np.int64
    )
    lenient, information = _fit(wins)
    pull = _pull(yes, no, lenient)
    rows = int(prompts.max(initial=-1)) + 1
    by_prompt = np.stack([by_group(row, prompts, rows) for row in pull], axis=1)
    # Without one prompt the fit moves by what this prompt pulled: one step of Newton's.
    moved = -np.linalg.solve(information, by_prompt.T).T
    every = np.concatenate([lenient[None, :], lenient + moved])
    every -= every.mean(axis=1, keepdims=True)
    return Severities(-every / LOGISTIC, joined)


def _fit(wins: Floats) -> tuple[Floats, Floats]:
    """The log-odds of each person, and the information on them."""
    pairs, size = wins + wins.T, len(wins)
    lenient = np.zeros(size)
    information = np.eye(size)
    for _ in range(ROUNDS):
        chance = scipy.special.expit(lenient[:, None] - lenient)
        slope = pairs * chance * (1 - chance)
        information = np.diag(slope.sum(axis=1)) - slope + PRIOR * np.eye(size)
        pull = (wins - pairs * chance).sum(axis=1) - PRIOR * lenient
        step = np.linalg.solve(information, pull)
        lenient = lenient + np.clip(step, -1.0, 1.0)
        if np.abs(step).max(initial=0) < 1e-12:
            break
    return lenient, information


def _pull(yes: Floats, no: Floats, lenient: Floats) -> Floats:
    """What each image pulls on each person: people x images."""
    other = scipy.special.expit(lenient - lenient[:, None])  # [a, b]: that b says yes and a says no
    pull: Floats = yes * (other @ no) - no * (other.T @ yes)
    return pull


def _shares(counts: np.ndarray) -> Floats:
    shares: Floats = counts / max(counts.sum(), 1)
    return shares
