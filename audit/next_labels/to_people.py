"""Images on which a judge may not be trusted go to people: a draw that surely holds all of them.

Alone they would say nothing of all other images, whose chance would be 0: no score of the study could be
stated any more. So up to as many others are drawn by chance, and every image has a chance above 0.

Which images these are follows from the judge's scores and one threshold of the report, never from whether
an image has labels: its chance must not depend on what an earlier draw happened to take.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db import transaction

from annotations.errors import Refused, StudyRefused
from annotations.models import Draw, Study
from annotations.studies import draws
from audit.models import Report
from audit.next_labels.draw import BegunDraw
from audit.reports import escalation
from audit.statistic_names import stored_statistic
from audit.words.report import title


@transaction.atomic
def draw_to_people(
    *,
    study: Study,
    judge: str,
    body: dict[str, Any],
    seed: int = 0,
    count: int | None = None,
    user: Any = None,
) -> Draw:
    """By what this report says of the judge. With a smaller `count` each has a better chance than the
    others, but none is certain."""
    if judge not in body["judges"]:
        known = ", ".join(body["judges"]) or "none"
        raise Refused(f"The report has no judge “{judge}”. It has: {known}.")
    trusted = stored_statistic(body["judges"][judge]["overall"], "trusted_share")
    if "undefined" in trusted:
        raise StudyRefused(
            f"Nothing tells on which images {title(judge)} may be trusted: {trusted['undefined']}. "
            "Draw uniformly instead."
        )
    begun = BegunDraw(study)
    frame = begun.frame
    useful = doubtful(study, judge, body, frame.images)
    doubted, total = int(useful.sum()), len(frame.images)
    if not doubted:
        raise StudyRefused(
            f"{title(judge)} may be trusted on all images that can be drawn, or they have labels: "
            "none is left to people."
        )
    if doubted == total:
        raise StudyRefused(
            f"{title(judge)} may be trusted on none of the images that can be drawn. Draw uniformly "
            "instead."
        )
    count = surely_all(doubted, total) if count is None else count
    draws.refuse_unfit(study, count, frame)
    by, about = Draw.DrawRule.ESCALATION, f"judge {judge}"
    return begun.draw_useful(useful, count, seed=seed, by=by, user=user, about=about)


def newest_body(study: Study) -> dict[str, Any]:
    """Of the report that everybody sees."""
    report = Report.objects.filter(study=study).with_usual_options().first()
    if report is None:
        raise StudyRefused("There is no report yet, and it says where a judge may be trusted.")
    return report.body


def doubtful(study: Study, judge: str, body: dict[str, Any], images: tuple[int, ...]) -> np.ndarray:
    """1 for each image on which the judge may not be trusted, 0 for every other."""
    left = escalation.left_to_people(study, judge, body, labelled=True)
    named = {image.public_id for image in left}
    known = dict(study.images.order_by().values_list("pk", "public_id"))
    return np.array([float(known[pk] in named) for pk in images])


def surely_all(doubted: int, total: int) -> int:
    """The smallest draw that is sure to hold all of them.

    Mixed half with uniform, each has the usefulness 1 / (2 f) + 1/2, f = doubted / total, of a mean of
    1. It is certain from a count of total / usefulness on, which is 2 doubted total / (total + doubted);
    one more, so that no rounding takes it away.
    """
    return 2 * doubted * total // (total + doubted) + 1
