"""What an image costs a judge: seconds, and the price of its server."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from audit.questions.card.rows import COST, not_measured, row
from judges.cards.plan import NEVER_TIMED, cost_of_picture
from judges.models import Run
from jurybox_stats.cards.changes import mean_of
from jurybox_stats.estimate import Estimate

MOST = 10_000  # images


def rows_of_cost(run: Run) -> list[dict[str, Any]]:
    timed = run.scores.filter(seconds__gt=0).order_by("pk")
    found = list(timed.values_list("seconds", "image__prompt")[:MOST])
    if found:
        seconds, prompts = (np.array(column, dtype=float) for column in zip(*found, strict=True))
        codes = np.unique(prompts, return_inverse=True)[1]
        rows = [row(COST, "seconds an image", "s", mean_of(seconds, codes))]
    else:
        rows = [not_measured(COST, NEVER_TIMED, "seconds an image")]
    price = cost_of_picture(run)
    what = gettext_noop("price of 1,000 images")
    if isinstance(price, str):
        return [*rows, not_measured(COST, price, what)]
    return [*rows, row(COST, what, "price", Estimate(1_000 * price, None, None, len(found)))]
