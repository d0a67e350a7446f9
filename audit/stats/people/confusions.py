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
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from audit.stats import enough
from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.raters import Classes, dawid_skene
from audit.stats.resampling.cluster_order import by_content
from audit.stats.resampling.small_samples import between_ends
from audit.stats.series import Codes, Floats, coded, numbers, same_length

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
    given = _Given.of(images, raters, answers)
    if isinstance(given, Undefined):
        return given
    chance = given.fit().posterior[:, 1]
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
    """In the order of the raters' names. Intervals: exact limits for the number of images that would be
    as sure if their classes were known, from a jackknife of groups of prompts that learns anew."""
    asked = same_length(images, raters, answers, prompts)[3]
    given = _Given.of(images, raters, answers)
    if isinstance(given, Undefined):
        return given
    fit = given.fit()
    shares, weights, sizes = given.shares(fit)
    prompt = asked[given.kept]
    group = by_content(prompt, given.said) % GROUPS
    groups = int(np.unique(group).size)
    drawn = []
    for left_out in range(groups if groups > 1 else 0):
        rest = given.at(group != left_out)
        drawn.append(rest.shares(rest.fit())[0])
    told = []
    for name in sorted({*given.raters.tolist(), *given.apart.tolist()}):
        if name not in given.raters:
            told.append(Confusion(name, Undefined(APART), Undefined(APART)))
            continue
        own = given.raters.tolist().index(name)
        there = np.array([rows[own] for rows in drawn]).reshape(-1, 2)
        prompts_of = int(np.unique(prompt[given.rater == own]).size)
        results = [
            _share(
                shares[own, truth],
                there[:, truth],
                weights[own, truth],
                round(float(sizes[own])),
                prompts_of,
                confidence,
            )
            for truth in (1, 0)
        ]
        told.append(Confusion(name, *results))
    return told


@dataclass(frozen=True, slots=True)
class _Given:
    """The answers of those whom shared images join, as codes; `raters` are all of them, also where a
    group is left out."""

    image: np.ndarray
    rater: Codes
    said: Floats
    raters: np.ndarray
    images: np.ndarray
    apart: np.ndarray
    kept: np.ndarray

    @classmethod
    def of(cls, images: ArrayLike, raters: ArrayLike, answers: ArrayLike) -> _Given | Undefined:
        where, who, said = same_length(images, raters, answers)
        if not where.size:
            return Undefined("there are no answers")
        said = numbers(said)
        if not np.isin(said, (0.0, 1.0)).all():
            return Undefined("the answers are not all yes (1) or no (0)", said.size)
        names, rater = coded(who)
        image = coded(where)[1]
        group = _joined(rater, image, names.size)
        most = np.bincount(group[rater]).argmax()
        kept = group[rater] == most
        several = int((np.bincount(image[kept]) >= PEOPLE).sum())
        if several < enough.IMAGES:
            return Undefined(
                f"too few to judge: {several} images with answers of {PEOPLE} people who share images, "
                f"at least {enough.IMAGES} needed",
                several,
            )
        inside, code = coded(who[kept])
        return cls(
            where[kept],
            code,
            said[kept],
            inside,
            np.unique(where[kept]),
            np.setdiff1d(names, inside),
            kept,
        )

    def at(self, here: np.ndarray) -> _Given:
        return _Given(
            self.image[here],
            self.rater[here],
            self.said[here],
            self.raters,
            self.images,
            self.apart,
            self.kept,
        )

    def fit(self) -> Classes:
        found = dawid_skene(self.image, self.rater, self.said, classes=(0.0, 1.0))
        assert isinstance(found, Classes)
        return found

    def shares(self, fit: Classes) -> tuple[Floats, Floats, Floats]:
        """Raters x (specificity, sensitivity), nan for a class that they have not seen; so many
        images of that class; and of both."""
        place = np.searchsorted(fit.images, self.image)
        over, under = np.zeros((2, self.raters.size, 2))
        for truth in (0, 1):
            chance = fit.posterior[place, truth]
            under[:, truth] = np.bincount(self.rater, chance, self.raters.size)
            over[:, truth] = np.bincount(
                self.rater, chance * (self.said == truth), self.raters.size
            )
        with np.errstate(invalid="ignore"):
            shares = np.where(under > EVEN, over / under, np.nan)
        return shares, under, under.sum(axis=1)


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


def _joined(rater: Codes, image: Codes, raters: int) -> np.ndarray:
    """The group of each rater: those whom shared images join."""
    size = raters + int(image.max()) + 1
    pairs = coo_array((np.ones(rater.size), (rater, image + raters)), shape=(size, size))
    return connected_components(pairs, directed=False)[1][:raters]
