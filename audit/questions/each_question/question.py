"""On which of people's questions does each judge follow them?"""

from __future__ import annotations

import hashlib
from typing import Any

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit.questions.each_question.follows import follows_by_question
from audit.reports import freshness
from audit.reports.bootstrap import INTERVAL
from audit.reports.options import sign

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
