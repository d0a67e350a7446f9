"""What people together say of each image, and one judge beside it, item by item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext_noop

from annotations import consensus
from audit.reports.bootstrap import draw_of
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from jurybox_formats.forms.scales import Scale
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.people.confusions import APART, YesNo, yes_or_no


@dataclass(frozen=True, slots=True)
class Reference:
    """A yes/no for kappa and AUROC, a mean for ranks."""

    people: People
    options: Options
    yes: np.ndarray
    mean: np.ndarray
    rule: str

    @classmethod
    def from_people(cls, people: People, options: Options) -> Reference:
        yes, mean = people.majority, people.mean
        rule = "majority for yes/no (a draw has no reference), mean over people for ranks"
        if not people.scale.is_yes_no:
            yes = graded(mean, options)
            rule = f"mean over people; yes from a mean of {options.positive_at:.4g}"
        if options.consensus == "unanimous":
            agreed = consensus.unanimous(people.ratings)
            yes = agreed if people.scale.is_yes_no else graded(agreed, options)
            return cls(people, options, yes, agreed, f"unanimous images only; {rule}")
        if options.consensus == "dawid-skene":
            found = classes_of(people)
            yes = np.full(len(people.images), np.nan)
            rule = (
                "Dawid–Skene: yes where its chance is above .5; even chances have no reference. It assumes "
                "that each person errs on all images alike and apart from the others. Mean over "
                "people for ranks"
            )
            if isinstance(found, YesNo):
                yes[found.images] = found.yes
                left = len(found.apart)
                rule += f"; {left} of {len(people.raters)} people left out, {APART}" * bool(left)
            return cls(people, options, yes, mean, rule)
        decided = people.decisions
        if options.consensus == "adjudicated" and decided is not None:
            settled = decided if people.scale.is_yes_no else graded(decided, options)
            yes = consensus.adjudicated(yes, settled)
            mean = consensus.adjudicated(mean, decided)
            count = int((~np.isnan(decided)).sum())
            return cls(people, options, yes, mean, f"adjudicated ({count} decided); else {rule}")
        return cls(people, options, yes, mean, rule)

    @property
    def values(self) -> np.ndarray:
        """What a human score is the mean of."""
        return self.yes if self.people.scale.is_yes_no else self.mean

    def level(self, where: np.ndarray) -> Result:
        """The human score: points for a yes/no or a number from 0 to 1, else the mean rating."""
        people = self.people
        return level_of(self.values[where], people.prompts[where], self.options, people.scale)


OUTSIDE = "the judge's scores do not lie between 0 and 1, so they are not points"
OWN_SCALE = (
    "nothing says that the judge's scores are shares of yes: they are on a scale of their own, so they "
    "are not points"
)
# What is known of each item.
ITEMS = ("yes", "mean", "score", "verdict")


@dataclass(frozen=True, slots=True)
class Series:
    """One judge beside the people, item by item: images, or single atoms."""

    yes: np.ndarray
    mean: np.ndarray
    score: np.ndarray
    verdict: np.ndarray
    prompts: np.ndarray  # as `People.prompts`
    # Why scores and answers cannot be subtracted; empty when they can.
    no_points: str
    # Whether people's mean, rather than their yes or no, is what the score is subtracted from, and
    # whether 100 times it are points.
    rated: bool = False
    in_points: bool = True
    ends: tuple[float, float] | None = None  # of people's scale
    own_prompts: np.ndarray | None = None  # as `People.own_prompts`
    own_scale: bool = False  # `JudgeScores.has_own_scale`

    def __post_init__(self) -> None:
        # So that all statistics of a slice know these for the same without reading them again.
        for name in (*ITEMS, "prompts"):
            values = getattr(self, name).view()
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def each_prompt(self) -> np.ndarray:
        return self.prompts if self.own_prompts is None else self.own_prompts

    @property
    def level(self) -> np.ndarray:
        """What people say, in the units of a score between 0 and 1."""
        return self.mean if self.rated else self.yes

    @property
    def item_arrays(self) -> tuple[np.ndarray, ...]:
        """What is known of each item."""
        return self.yes, self.mean, self.score, self.verdict

    def series_where(self, where: np.ndarray) -> Series:
        if where.all():
            return self
        # Places: to walk a long mask once for each of them costs more than all else of a short slice.
        places = np.flatnonzero(where)
        return Series(
            self.yes[places],
            self.mean[places],
            self.score[places],
            self.verdict[places],
            self.prompts[places],
            self.no_points,
            self.rated,
            self.in_points,
            self.ends,
            None if self.own_prompts is None else self.own_prompts[places],
            self.own_scale,
        )


def level_of(values: np.ndarray, prompts: np.ndarray, options: Options, scale: Scale) -> Result:
    """Their mean in the scale's units, with the interval that it has wherever it is shown."""
    known = ~np.isnan(values)
    draw = draw_of(prompts[known], options)
    return draw.mean(values[known], scale=100.0 if scale.in_points else 1.0, ends=scale.ends)


def classes_of(people: People) -> YesNo | Undefined:
    rater, image = np.nonzero(~np.isnan(people.ratings))
    return yes_or_no(image, rater, people.ratings[rater, image])


def why_no_classes(people: People) -> str:
    """Why Dawid–Skene finds no reference; empty where it does."""
    if not people.scale.is_yes_no:
        return f"Dawid–Skene is for answers by yes or no; here people answer {people.scale.labels_text}."
    found = classes_of(people)
    return (
        f"Dawid–Skene finds no reference: {found.reason}." if isinstance(found, Undefined) else ""
    )


def graded(values: np.ndarray, options: Options) -> np.ndarray:
    """Ratings as yes (1) and no (0)."""
    assert options.positive_at is not None, "the options know their scale: `Options.on`"
    return np.where(np.isnan(values), np.nan, (values >= options.positive_at) * 1.0)


def why_no_points(people: People, judge: JudgeScores) -> str:
    scores = judge.scores
    given = scores[~np.isnan(scores)]
    if not people.scale.in_points and given.size:
        span = f"{given.min():.3g} to {given.max():.3g}"
        return gettext_noop(
            f"the judge speaks another scale: its scores lie from {span}, people answer {people.scale.labels_text}"
        )
    if not people.scale.in_points:
        return gettext_noop(
            f"people answer {people.scale.labels_text}, which is no scale of points"
        )
    return outside(scores) or (OWN_SCALE if judge.has_own_scale else "")


def outside(scores: np.ndarray) -> str:
    given = scores[~np.isnan(scores)]
    if given.size and (given.min() < 0 or given.max() > 1):
        return OUTSIDE
    return ""


def series_of(
    people: People,
    judge: JudgeScores,
    reference: Reference,
    verdicts: np.ndarray,
    everywhere: JudgeScores | None = None,
) -> Series:
    """`everywhere`: the judge on all images, where `people` leaves some out."""
    return Series(
        yes=reference.yes,
        mean=reference.mean,
        score=judge.scores,
        verdict=verdicts,
        prompts=people.prompts,
        no_points=why_no_points(people, everywhere or judge),
        rated=not people.scale.is_yes_no,
        in_points=people.scale.in_points,
        ends=people.scale.ends,
        own_prompts=people.own_prompts,
        own_scale=(everywhere or judge).has_own_scale,
    )
