"""On which questions does each judge follow people? A judge may see what was done and be blind to what was kept."""

from __future__ import annotations

import hashlib
from typing import Any

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit import VERSION
from audit.reports.drift import orders
from audit.reports.make import Computation
from audit.reports.options import RESAMPLES, SEED, Options
from audit.reports.pairing import Database, questions_of
from audit.reports.progress import Progress
from audit.reports.states import following_fact

NO_SCORE = "No judge has scored this study yet."
NO_ANSWER = "Nobody has answered a question about whole images yet."


def follows(study: Study, parameters: NoParameters) -> dict[str, Any]:
    """Of each question that people answered, the first fact of each judge, as a report has it."""
    asked = questions_of(study)
    if not asked:
        raise Refused(NO_ANSWER)
    told = {question: _of_question(study, question) for question in asked}
    names = {name: None for by_judge, _ in told.values() for name in by_judge}
    if not names:
        raise Refused(NO_SCORE)
    digests = repr([digest for _, digest in told.values()])
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "questions": asked,
        "judges": [
            {"name": name, "on": {q: by_judge[name] for q, (by_judge, _) in told.items()}}
            for name in names
        ],
        "signature": {
            "version": VERSION,
            "data": hashlib.sha256(digests.encode()).hexdigest(),
            "resamples": RESAMPLES,
            "seed": SEED,
        },
    }


def _of_question(study: Study, question: str) -> tuple[dict[str, Any], str]:
    """By judge, and the hash of the data."""
    computed = Computation(Database(study), Options(question=question), Progress())
    facts = {}
    for name, judge in computed.judges.items():
        found = orders(judge.people, judge.series, computed.options)
        # No person is beside the judge here: a summary says whether it is like one.
        fact = following_fact(found, {"auroc": found.get("all") or judge.overall["auroc"]}, {})
        del fact["newest"]
        facts[name] = fact
    return facts, computed.paired.digest


FOLLOWS = Question(name="follows", compute=follows)
QUESTIONS = (FOLLOWS,)
