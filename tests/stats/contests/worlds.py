"""Votes in worlds that are made up and known: strengths, the left side's worth, ties and prompts of
which each favours some systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jurybox_stats.contests.fit import fit
from jurybox_stats.contests.votes import Votes

SAID = np.array(["left", "right", "tie"])


@dataclass(frozen=True)
class World:
    systems: int = 5
    prompts: int = 80
    votes_of_a_prompt: int = 12
    side: float = 0.0
    nu: float = 0.6
    prompt_effect: float = 0.7

    @property
    def strengths(self) -> np.ndarray:
        return np.linspace(0.0, 1.2, self.systems)

    def votes(self, seed: int) -> Votes:
        rng = np.random.default_rng(seed)
        n = self.prompts * self.votes_of_a_prompt
        prompt = np.repeat(np.arange(self.prompts), self.votes_of_a_prompt)
        left = rng.integers(0, self.systems, n)
        right = (left + rng.integers(1, self.systems, n)) % self.systems
        liked = rng.normal(0, self.prompt_effect, (self.prompts, self.systems))
        liked = liked + self.strengths
        d = liked[prompt, left] - liked[prompt, right] + self.side
        weights = np.stack([np.exp(d / 2), np.exp(-d / 2), np.full(n, self.nu)], axis=1)
        ends = (weights / weights.sum(axis=1, keepdims=True)).cumsum(axis=1)
        said = (rng.random(n)[:, None] > ends).sum(axis=1).clip(0, 2)
        return Votes.from_columns(
            prompt, left, right, SAID[said].tolist(), systems=range(self.systems),
            raters=rng.integers(0, 20, n),
        )  # fmt: skip


def share_covered(world: World, worlds: int, clusters: str = "prompts") -> float:
    """How often the interval of a strength holds what a great many prompts would give."""
    # Averaged over prompts, the strengths are drawn together: the truth is the fit of many prompts.
    many = World(**{**world.__dict__, "prompts": 40_000})
    truth = [one.value for one in fit(many.votes(10**6)).strengths]
    held = []
    for seed in range(worlds):
        found = fit(world.votes(seed), clusters=clusters)
        held += [
            one.low <= right <= one.high
            for one, right in zip(found.strengths[1:], truth[1:], strict=True)
        ]
    return float(np.mean(held))
