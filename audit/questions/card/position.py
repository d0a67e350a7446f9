"""Does a judge that compares two pictures prefer a place?"""

from __future__ import annotations

from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotations.models import Study
from audit.questions.card.rows import POINTS, POSITION, SHARE, not_measured, row
from judges.models import Judge
from judges.preferences.stored import CHUNK, in_parts, judges_that_compare, pairs_of, stored_replies
from jurybox_judging.methods import which_of_two
from jurybox_judging.methods.which_of_two import LEFT, RIGHT, TIE
from jurybox_stats.cards.changes import mean_of, side_preference

ONE_PICTURE = "it scores one picture at a time, and its model was not asked about pairs (manage.py judge_pairs)"
NO_PAIRS = "no pair of this study was asked about in both orders"
FOR_FIRST = {LEFT: 1.0, TIE: 0.5, RIGHT: 0.0}


def comparer_of(judge: Judge) -> Judge | None:
    """The judge itself, or the same model with a question about pairs."""
    comparers = judges_that_compare()
    own = next((one for one in comparers if one.pk == judge.pk), None)
    key = judge.facts.get("talk", {}).get("key")
    same = (one for one in comparers if key and one.facts["talk"]["key"] == key)
    return own or next(same, None)


def rows_of_position(study: Study, judge: Judge) -> list[dict[str, Any]]:
    comparer = comparer_of(judge)
    if comparer is None:
        return [not_measured(POSITION, ONE_PICTURE)]
    first, changed, prompts = _replies(study, comparer)
    if not first.size:
        return [not_measured(POSITION, NO_PAIRS)]
    return [
        row(
            POSITION,
            gettext_noop("answer changes with the order"),
            SHARE,
            mean_of(changed, prompts),
        ),
        row(
            POSITION,
            gettext_noop("preference for the first place at no difference"),
            POINTS,
            side_preference(first, prompts),
        ),
    ]


def _replies(study: Study, judge: Judge) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of pairs with a verdict in both orders: how far the first place was named, whether the answer
    changed, and their prompts."""
    first, changed, prompts = [], [], []
    for some in in_parts(pairs_of(study), CHUNK):
        replies = stored_replies(judge, some)
        for two in some:
            read = [which_of_two.read(replies.get((two.pair, left), "")) for left in (0, 1)]
            if read[0] is None or read[1] is None:
                continue
            first.append((FOR_FIRST[read[0]] + FOR_FIRST[read[1]]) / 2)
            changed.append(float(not which_of_two.together(*read)[1]))
            prompts.append(two.prompt)
    numbers = {prompt: number for number, prompt in enumerate(dict.fromkeys(prompts))}
    codes = np.array([numbers[prompt] for prompt in prompts], dtype=np.int64)
    return np.array(first), np.array(changed), codes
