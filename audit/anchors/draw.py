"""Which images become anchors: every image has the same chance, and generators and levels of scores
have their share of the set, as near as whole images allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from django.db import transaction

from annotations.anchors import keep
from annotations.errors import StudyRefused
from annotations.models import AnchorSet, Study
from audit.models import Tally
from audit.next_labels.draw import mean_of_judges
from audit.reports.make import question_of
from audit.reports.options import Options

COUNT = 300
LEVELS = 3
UNKNOWN = -1


@transaction.atomic
def make_anchors(*, study: Study, count: int = COUNT, by: Any = None) -> AnchorSet:
    """Draw and freeze so many images. The seed is the number of the set, so that a second set is
    another draw."""
    # Two owners who draw at once wait for each other.
    Study.objects.select_for_update().get(pk=study.pk)
    images = [pk for _, pk in sorted(keep.candidates(study).values_list("key", "pk"))]
    if not 1 <= count <= len(images):
        raise StudyRefused(
            f"{count} anchors are wanted; the study has {len(images)} images with a picture and "
            "without a known answer. Give a number from 1 to that."
        )
    seed = study.anchor_sets.count()
    taken = spread(_strata(study, images), count, seed)
    chosen = [images[place] for place in taken]
    return keep.keep(study=study, images=chosen, of=len(images), seed=seed, by=by)


def spread(strata: Sequence[tuple[int, ...]], count: int, seed: int) -> list[int]:
    """Places of `count` images, equally far apart in an order by stratum that is random within each
    (systematic sampling, Madow 1949). Each has the chance count / len(strata)."""
    random = np.random.default_rng([count, seed])
    shuffled = random.permutation(len(strata)).tolist()
    order = sorted(shuffled, key=lambda place: strata[place])
    step = len(order) / count
    first = random.random()
    return sorted({order[int((first + number) * step)] for number in range(count)})


def _strata(study: Study, images: Sequence[int]) -> list[tuple[int, ...]]:
    """Generator, level of what people say, level of what the judges say."""
    generators = dict(study.images.order_by().values_list("pk", "generator_id"))
    people = np.full(len(images), np.nan)
    place = {pk: number for number, pk in enumerate(images)}
    tallies = Tally.objects.filter(study=study, question=question_of(study, Options()))
    for image, mean in tallies.exclude(mean=None).order_by().values_list("image_id", "mean"):
        if image in place:
            people[place[image]] = mean
    judges = mean_of_judges(study, images)
    return [
        (generators[pk], said, scored)
        for pk, said, scored in zip(images, _levels(people), _levels(judges), strict=True)
    ]


def _levels(values: np.ndarray) -> list[int]:
    """Low, middle, high by rank, and one more for what is unknown."""
    known = ~np.isnan(values)
    levels = np.full(values.size, UNKNOWN)
    if known.any():
        ranks = (scipy.stats.rankdata(values[known]) - 0.5) / known.sum()
        levels[known] = np.minimum((LEVELS * ranks).astype(int), LEVELS - 1)
    return levels.tolist()
