"""How much do people's answers to two questions go together?"""

from __future__ import annotations

import hashlib
from itertools import combinations
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit.reports import freshness
from audit.reports.bootstrap import INTERVAL, draw_of, est
from audit.reports.human_scores import refused
from audit.reports.options import Options, sign
from audit.reports.pairing import Database, People
from jurybox_stats import enough

ONE_QUESTION = "People have answered fewer than two questions about whole images with numbers."
# More questions than these are columns of a table, and their pairs would not be read.
MOST = 12
MEASURES = ("spearman", "pearson", "kendall_tau_b")


def between_questions(study: Study, parameters: NoParameters) -> dict[str, Any]:
    source = Database(study)
    questions = source.questions()
    if len(questions) < 2:
        raise Refused(ONE_QUESTION)
    paired = {name: source.pair(name, judges=()) for name in questions[:MOST]}
    pairs = []
    for one, other in combinations(paired, 2):
        found = correlations(paired[one].people, paired[other].people)
        unequal = any(paired[name].people.chances is not None for name in (one, other))
        pairs.append({"questions": [one, other], **(refused(found) if unequal else found)})
    digests = " ".join(known.digest for known in paired.values())
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "pairs": pairs,
        "left_out": questions[MOST:],
        "signature": sign(hashlib.sha256(digests.encode()).hexdigest(), INTERVAL),
    }


def correlations(one: People, other: People) -> dict[str, Any]:
    """Of people's means, on the images that have both."""
    both = ~np.isnan(one.mean) & ~np.isnan(other.mean)
    draw = draw_of(one.prompts[both], Options())
    values = one.mean[both], other.mean[both]
    return {name: est(enough.required(getattr(draw, name)(*values))) for name in MEASURES}


BETWEEN_QUESTIONS = Question(
    name="between-questions",
    compute=between_questions,
    facts=lambda study, _: freshness.rows_now(study),
)
QUESTIONS = (BETWEEN_QUESTIONS,)
