"""On which of people's questions does each judge follow them?"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit.reports import freshness
from audit.reports.bootstrap import INTERVAL, draw_of, est
from audit.reports.compare_judges import human_ceiling
from audit.reports.drift import orders
from audit.reports.human_scores import refused
from audit.reports.make import Computation
from audit.reports.options import Options, sign
from audit.reports.pairing import Database
from audit.reports.progress import Progress
from audit.reports.states import following_fact
from jurybox_stats import enough

NO_SCORES = "No judge has scored this study yet."
NO_ANSWERS = "Nobody has answered a question about a whole image yet."


def each_question(study: Study, parameters: NoParameters) -> dict[str, Any]:
    if not study.runs.exists():
        raise Refused(NO_SCORES)
    found = follows_by_question(study)
    if not found["questions"]:
        raise Refused(NO_ANSWERS)
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "questions": found["questions"],
        "signature": sign(
            hashlib.sha256(" ".join(found["digests"]).encode()).hexdigest(), INTERVAL
        ),
    }


EACH_QUESTION = Question(
    name="each-question",
    compute=each_question,
    facts=lambda study, _: freshness.rows_now(study),
)
QUESTIONS = (EACH_QUESTION,)


def follows_by_question(study: Study) -> dict[str, Any]:
    """`questions`: in the order of the form; `digests`: of the data behind each."""
    source = Database(study)
    found: dict[str, Any] = {"questions": {}, "digests": []}
    for question in source.questions():
        computed = Computation(source, Options(question=question), Progress())
        found["questions"][question] = _followed(computed)
        found["digests"].append(computed.paired.digest)
    return found


def _followed(computed: Computation) -> dict[str, Any]:
    """Of each judge, to the digit what a report says."""
    people, options = computed.seen, computed.options
    ceiling = human_ceiling(people, options)
    found = {}
    for name, judge in computed.judges.items():
        series = judge.series
        there = ~np.isnan(series.score) & ~np.isnan(series.yes)
        draw = draw_of(series.prompts[there], options)
        auroc = enough.required(draw.auroc(series.yes[there], series.score[there]))
        ordered = orders(people, series, options)
        found[name] = following_fact(ordered, {"auroc": est(auroc)}, ceiling)
    return refused(found) if computed.weighs else found
