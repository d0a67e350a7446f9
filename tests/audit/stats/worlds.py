"""Made-up studies of which it is known whether their judge drifts.

Eight generators draw the same prompts. People's opinion of an image is a normal, 0.45 of whose deviation
belongs to the prompt; people say yes to a share of images that may rise from generator to generator.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import norm

from audit.stats.over_time.claims import Claims, Judged

GENERATORS, PROMPTS, REFERENCE = 8, 200, 3
NEW = 4  # the first generator on which a judge that drifts does


def _people(rng, rising, prompts) -> Judged:
    generators = np.repeat(np.arange(GENERATORS), prompts)
    prompt = np.tile(np.arange(prompts), GENERATORS)
    level = norm.ppf(np.linspace(*rising, GENERATORS))[generators]
    opinion = 0.45 * rng.normal(size=prompts)[prompt] + 0.893 * rng.normal(size=prompt.size)
    yes = (level + opinion > 0) * 1.0
    return Judged(yes, yes, generators, prompt, GENERATORS, REFERENCE, False, 100.0)


def scores(
    rng: np.random.Generator,
    *,
    rising: tuple[float, float] = (0.5, 0.5),
    auroc: float = 0.9,
    loses: float = 0.0,
    prompts: int = PROMPTS,
) -> Judged:
    """A score that is a normal about people's answer, the same for all generators but for what it
    loses; between 0 and 1, and on nobody's scale."""
    made = _people(rng, rising, prompts)
    apart = norm.ppf(np.where(made.generators >= NEW, auroc - loses, auroc)) * np.sqrt(2)
    noise = 0.3 * rng.normal(size=prompts)[made.prompts] + 0.954 * rng.normal(size=made.people.size)
    return replace(made, judge=norm.cdf(0.7 * (apart * (made.people - 0.5) + noise)))


def followed(
    rng: np.random.Generator,
    *,
    rising: tuple[float, float] = (0.5, 0.5),
    prompts: int = PROMPTS,
) -> Judged:
    """The other way in which a score can stay as it was: people say yes to the same share of the
    images that have this score, and newer images have higher scores."""
    made = _people(rng, rising, prompts)
    level = 1.4 * norm.ppf(np.linspace(*rising, GENERATORS))[made.generators]
    seen = level + 0.5 * rng.normal(size=prompts)[made.prompts] + rng.normal(size=level.size)
    yes = (seen + 0.8 * rng.normal(size=level.size) > 0) * 1.0
    return replace(made, people=yes, judge=norm.cdf(seen))


def verdicts(
    rng: np.random.Generator,
    *,
    rising: tuple[float, float] = (0.5, 0.5),
    stricter: float = 0.0,
    prompts: int = PROMPTS,
) -> Judged:
    """A verdict that is right nine times in ten; on new generators it takes back a yes so often that
    its share of yes falls by `stricter`."""
    made = _people(rng, rising, prompts)
    said = np.where(rng.random(made.people.size) < 0.9, made.people, 1 - made.people)
    new = made.generators >= NEW
    if stricter:
        back = new & (said == 1) & (rng.random(said.size) < stricter / said[new].mean())
        said[back] = 0.0
    return replace(made, judge=said, verdicts=True)


def part(whole: Judged, labelled: np.ndarray) -> Judged:
    """As far as it is labelled."""
    return replace(
        whole,
        people=whole.people[labelled],
        judge=whole.judge[labelled],
        generators=whole.generators[labelled],
        prompts=np.unique(whole.prompts[labelled], return_inverse=True)[1],
    )


def drifts(told: Claims, level: float = 0.05) -> bool:
    """What a report says of the only judge of a study, but for the band."""
    known = [claim for claim in (told.by_deviation, told.by_order) if claim is not None]
    return sum(claim.evidence for claim in known) / len(known) >= 1 / level
