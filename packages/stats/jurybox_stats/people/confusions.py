"""What people's answers by yes or no say together when nobody is taken to be right, by Dawid & Skene's
1979 model: each person errs with one chance on images that are right and with another on those that
are not, on all images alike and whatever the others say.

`yes_or_no` is the reference, `confusions` each person's sensitivity (yes to what is right) and
specificity (no to what is not).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats import enough
from jurybox_stats.counting.patterns import Patterns
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.raters import learn, said_of
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.small_samples import between_ends
from jurybox_stats.series import Codes, Floats, coded, numbers, same_length

# With two people's answers many models fit as well; three tell who errs.
PEOPLE = 3
# Groups of prompts that are left out in turn for an interval, the model learned anew each time.
GROUPS = 20
EVEN = 1e-9
APART = "shares no image with most of the others"


@dataclass(frozen=True, slots=True)
class YesNo:
    """`yes` and `chance` by image: 1, 0, or nan where both are as likely. `apart` are the people whom
    no shared image joins to most others; their answers are left out, and images with no other."""

    images: np.ndarray
    yes: Floats
    chance: Floats
    apart: np.ndarray


@dataclass(frozen=True, slots=True)
class Confusion:
    rater: object
    sensitivity: Result
    specificity: Result


def yes_or_no(images: ArrayLike, raters: ArrayLike, answers: ArrayLike) -> YesNo | Undefined:
    given = _JoinedAnswers.from_answers(images, raters, answers)
    if isinstance(given, Undefined):
        return given
    patterns = given.patterns
    chance = learn(patterns, patterns.size).posterior[patterns.of_image, 1]
    yes = np.where(np.abs(chance - 0.5) < EVEN, np.nan, (chance > 0.5) * 1.0)
    return YesNo(given.images, yes, chance, given.apart)


def confusions(
    images: ArrayLike,
    raters: ArrayLike,
    answers: ArrayLike,
    prompts: ArrayLike,
    *,
    confidence: float = 0.95,
) -> list[Confusion] | Undefined:
    """In the order of the raters' names; an image belongs to one prompt. Intervals: exact limits for the
    number of images that would be as sure if their classes were known, from a jackknife of groups of
    prompts that learns anew."""
    asked = same_length(images, raters, answers, prompts)[3]
    given = _JoinedAnswers.from_answers(images, raters, answers)
    if isinstance(given, Undefined):
        return given
    patterns = given.patterns
    shares, weights = _shares(patterns, patterns.size)
    drawn = [_shares(patterns, size)[0] for size in given.sizes_without_groups(asked)]
    prompts_of = given.prompts_of_raters(asked)
    place = {name: own for own, name in enumerate(given.raters.tolist())}
    told = []
    for name in sorted({*place, *given.apart.tolist()}):
        if name not in place:
            told.append(Confusion(name, Undefined(APART), Undefined(APART)))
            continue
        own = place[name]
        there = np.array([rows[own] for rows in drawn]).reshape(-1, 2)
        results = [
            _share(
                shares[own, truth],
                there[:, truth],
                weights[own, truth],
                round(float(weights[own].sum())),
                int(prompts_of[own]),
                confidence,
            )
            for truth in (1, 0)
        ]
        told.append(Confusion(name, *results))
    return told


@dataclass(frozen=True, slots=True)
class _JoinedAnswers:
    """The answers of those whom shared images join: `kept` says which those are, `image` and `rater` are
    codes of theirs."""

    image: Codes
    rater: Codes
    said: Codes
    patterns: Patterns
    raters: np.ndarray
    images: np.ndarray
    apart: np.ndarray
    kept: np.ndarray

    @classmethod
    def from_answers(
        cls, images: ArrayLike, raters: ArrayLike, answers: ArrayLike
    ) -> _JoinedAnswers | Undefined:
        where, who, said = same_length(images, raters, answers)
        if not where.size:
            return Undefined("there are no answers")
        said = numbers(said)
        if not ((said == 0) | (said == 1)).all():
            return Undefined("the answers are not all yes (1) or no (0)", said.size)
        names, rater = coded(who)
        of_images, image = coded(where)
        yes = said.astype(np.int64)
        patterns = Patterns.from_codes(image, rater, yes, names.size, 2)
        group = patterns.groups()
        joined = group == np.bincount(group[rater]).argmax()
        kept = joined[rater]
        if not kept.all():
            rater = (np.cumsum(joined) - 1)[rater[kept]]
            there, image = coded(image[kept])
            of_images, yes = of_images[there], yes[kept]
            patterns = Patterns.from_codes(image, rater, yes, int(joined.sum()), 2)
        several = int((np.bincount(image) >= PEOPLE).sum())
        if several < enough.IMAGES:
            return Undefined(
                f"too few to judge: {several} images with answers of {PEOPLE} people who share images, "
                f"at least {enough.IMAGES} needed",
                several,
            )
        return cls(image, rater, yes, patterns, names[joined], of_images, names[~joined], kept)

    def sizes_without_groups(self, prompts: np.ndarray) -> list[Floats]:
        """Of how many images each pattern is left when each group of prompts is left out in turn."""
        group = by_content(prompts[self.kept], self.said) % GROUPS
        of_image = np.empty(self.images.size, np.int64)
        of_image[self.image] = group
        rows = self.patterns.size.size
        groups = np.unique(of_image)
        if groups.size < 2:
            return []
        row = self.patterns.of_image
        return [
            self.patterns.size - np.bincount(row[of_image == one], minlength=rows)
            for one in groups.tolist()
        ]

    def prompts_of_raters(self, prompts: np.ndarray) -> Codes:
        """How many prompts each rater answered about."""
        names, prompt = coded(prompts[self.kept])
        seen = np.unique(self.rater * names.size + prompt)
        return np.bincount(seen // names.size, minlength=self.raters.size)


def _shares(patterns: Patterns, size: Floats) -> tuple[Floats, Floats]:
    """Raters x (specificity, sensitivity), nan for a class that they have not seen; and so many images
    of that class."""
    learned = learn(patterns, size)
    said = said_of(patterns, learned.posterior * size[:, None])
    under = said.sum(axis=2)
    with np.errstate(invalid="ignore"):
        shares = np.where(under > EVEN, np.einsum("rtt->rt", said) / under, np.nan)
    return shares, under


def _share(
    share: float, drawn: Floats, images: float, n: int, prompts: int, confidence: float
) -> Result:
    if images < enough.IMAGES / 3:
        return Undefined(
            f"too few to judge: about {images:.0f} images of this class, at least "
            f"{enough.IMAGES // 3} needed",
            n,
        )
    value = round(float(min(max(share, 0.0), 1.0)), 9)
    drawn = drawn[~np.isnan(drawn)]
    if drawn.size < 2:
        return Estimate(value, None, None, n)
    variance = (drawn.size - 1) / drawn.size * float(((drawn - drawn.mean()) ** 2).sum())
    # Of those who never erred, the spread says nothing: then prompts count.
    low, high = between_ends(
        value, variance, int(drawn.size), confidence, alike=min(images, prompts), most=images
    )
    return Estimate(value, round(low, 9), round(high, 9), n)
