"""Which images people label next: drawn uniformly, or more often where the judges are unsure.

The chances rest on judges' scores alone, never on labels, so that draws are independent of what
people answered and their labels can be weighted exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from django.db import transaction

from annotations.errors import Refused, StudyRefused
from annotations.models import Draw, Study
from annotations.studies import draws
from annotations.versions import raise_labels_version
from judges.models import Score
from judges.names import runs_by_name
from jurybox_stats import assisted
from jurybox_stats.draws import drawn_sample
from jurybox_stats.estimate import Undefined

# What needs no more than the study; `Draw.DrawRule.ESCALATION` also needs a judge and a report.
BY = (Draw.DrawRule.UNIFORM.value, Draw.DrawRule.UNCERTAINTY.value)


@transaction.atomic
def draw_labels(*, study: Study, count: int, seed: int, by: str, user: Any = None) -> Draw:
    """Draw so many images; people get these and no others until the owner ends it."""
    if by not in BY:
        raise Refused(f"Images are drawn by {' or '.join(BY)}.")
    begun = BegunDraw(study)
    frame = begun.frame
    draws.refuse_unfit(study, count, frame)
    if by == Draw.DrawRule.UNIFORM:
        useful = np.ones(len(frame.images))
    else:
        useful = usefulness(study, frame.images)
    return begun.draw_useful(useful, count, seed=seed, by=by, user=user)


class BegunDraw:
    """The number of a draw is taken, and what can be drawn is known. Within one transaction."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.number = draws.next_number(study)
        self.frame = draws.frame_of(study)

    def draw_useful(
        self, useful: np.ndarray, count: int, *, seed: int, by: str, user: Any, about: str = ""
    ) -> Draw:
        """Half of the chances as useful as that, half uniform."""
        chances = assisted.inclusion(useful, count)
        if isinstance(chances, Undefined):
            raise StudyRefused(f"Nothing was drawn: {chances.reason}.")
        taken = drawn_sample.systematic(chances, [seed, self.number])
        made = draws.keep(
            study=self.study,
            frame=self.frame,
            chances=chances.tolist(),
            taken=taken.tolist(),
            by=by,
            seed=seed,
            user=user,
            about=about,
        )
        raise_labels_version(self.study.pk)
        return made


def usefulness(study: Study, images: tuple[int, ...]) -> np.ndarray:
    """sqrt(p (1 - p)) with p the mean of what the judges say, 1/2 where none says anything.

    Scores from 0 to 1 are read as they are; of other scales by their rank, so that the middle is
    the least sure.
    """
    mean = mean_of_judges(study, images)
    if np.isnan(mean).all():
        raise StudyRefused(
            "No judge has scored these images, so nothing tells which are uncertain. Run a judge "
            "first, or draw uniformly."
        )
    mean = np.where(np.isnan(mean), 0.5, mean)
    useful = np.sqrt(mean * (1 - mean))
    if not useful.any():
        raise StudyRefused(
            "The judges say yes or no and agree on every image, so nothing tells which are "
            "uncertain. Draw uniformly."
        )
    return useful


def mean_of_judges(study: Study, images: Sequence[int]) -> np.ndarray:
    """What the judges say together, from 0 to 1; NaN where none says anything."""
    place = {pk: number for number, pk in enumerate(images)}
    said = [_judge_scores(run.pk, place) for run in runs_by_name(study).values()]
    table = np.array([np.full(len(images), np.nan), *said])
    given = (~np.isnan(table)).sum(axis=0)
    return np.divide(
        np.nansum(table, axis=0), given, out=np.full(len(images), np.nan), where=given > 0
    )


def _judge_scores(run: int, place: dict[int, int]) -> np.ndarray:
    scores = np.full(len(place), np.nan)
    rows = Score.objects.filter(run=run, value__isnull=False).order_by()
    for image, value in rows.values_list("image_id", "value"):
        if image in place:
            scores[place[image]] = value
    known = ~np.isnan(scores)
    if known.any() and (scores[known].min() < 0 or scores[known].max() > 1):
        scores[known] = (scipy.stats.rankdata(scores[known]) - 0.5) / known.sum()
    return scores
