"""What would the set's own script print of each generator, from people's answers and from each judge?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question, choose, images_n
from audit.reports import freshness
from audit.reports.options import sign
from audit.set_scores.figures import EDITIONS
from audit.set_scores.official import RESAMPLES, SEED, scores_of_everybody
from judges.exports.set_files import sets_of

INTERVAL = "95 %, percentiles of resamples that draw whole prompts"
NOBODY = "Neither people nor a judge have said what the score of this set is made of."
# More rows than these, over all judges, and somebody would wait for them.
AT_ONCE = 4_000


def editions(study: Study, body: Mapping[str, Any]) -> dict[str, str]:
    names = sets_of(study)
    known = EDITIONS.get(next(iter(names)), ()) if len(names) == 1 else ()
    return {name: gettext("%(name)s edition") % {"name": name} for name in known}


@dataclass(frozen=True, slots=True)
class Parameters:
    """`edition`: of WISE; empty for the newer. `as_coded`: slips of the set's script to follow, by name, with
    commas between them."""

    edition: str = choose(gettext_noop("edition"), editions)
    as_coded: str = ""

    @property
    def slips(self) -> tuple[str, ...]:
        return tuple(slip.strip() for slip in self.as_coded.split(",") if slip.strip())


def set_scores(study: Study, parameters: Parameters) -> dict[str, Any]:
    found = scores_of_everybody(study, slips=parameters.slips, edition=parameters.edition)
    if not found["sources"]:
        raise Refused(NOBODY)
    data = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return {
        "study": study.slug,
        "simulated": study.simulated,
        **found,
        "signature": {**sign(data, INTERVAL), "resamples": RESAMPLES, "seed": SEED},
    }


def is_small(study: Study) -> bool:
    return images_n(study) * (study.runs.count() + 1) <= AT_ONCE


SET_SCORES = Question(
    name="set-scores",
    compute=set_scores,
    parameters=Parameters,
    facts=lambda study, _: freshness.rows_now(study),
    is_small=is_small,
)
QUESTIONS = (SET_SCORES,)
