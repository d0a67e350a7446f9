"""People confirm what lies next to the threshold: a draw that surely holds these images, and others by chance.

Which images these are follows from the judge's scores and one threshold, never from whether an image has
labels. The threshold itself may rest on labels, as the draws of `audit.next_labels.to_people` do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db import transaction

from annotations.errors import StudyRefused
from annotations.models import Draw, Image
from annotations.studies import draws
from audit.models import TrainingSet
from audit.next_labels.draw import BegunDraw
from audit.next_labels.to_people import surely_all

COUNT = 30


@transaction.atomic
def draw_borderline(made: TrainingSet, *, seed: int = 0, user: Any = None) -> Draw:
    study, near = made.study, made.body["near"]
    if not near:
        raise StudyRefused("People alone chose these images: no score lies next to a threshold.")
    begun = BegunDraw(study)
    frame = begun.frame
    rows = Image.objects.filter(study=study, key__in=near).order_by()
    keys = dict(rows.values_list("key", "pk"))
    open_yet = set(frame.images)
    wanted = [keys[key] for key in near if keys.get(key) in open_yet][:COUNT]
    if not wanted:
        raise StudyRefused(
            "The images next to the threshold had labels before the first draw, or are gone: none is "
            "left to confirm."
        )
    if len(wanted) == len(frame.images):
        raise StudyRefused(
            f"Only {len(wanted)} images can be drawn, and all lie next to the threshold. Draw uniformly."
        )
    useful = np.isin(frame.images, wanted).astype(float)
    count = surely_all(len(wanted), len(frame.images))
    draws.refuse_unfit(study, count, frame)
    by, about = (
        Draw.DrawRule.ESCALATION,
        f"next to the threshold of training set {made.sha256[:12]}",
    )
    return begun.draw_useful(useful, count, seed=seed, by=by, user=user, about=about)
