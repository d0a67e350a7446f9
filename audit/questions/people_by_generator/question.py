"""How well do people agree with each other on each generator?"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit.reports import freshness, people_agreement
from audit.reports.bootstrap import INTERVAL, est
from audit.reports.human_scores import refused
from audit.reports.options import Options, sign
from audit.reports.pairing import Database, People
from jurybox_stats import enough
from jurybox_stats.estimate import Result

NO_ANSWERS = "Nobody has answered a question about a whole image yet."


def people_by_generator(study: Study, parameters: NoParameters) -> dict[str, Any]:
    source = Database(study)
    questions: dict[str, Any] = {}
    digests = []
    for question in source.questions():
        paired = source.pair(question, judges=())
        found = _agreement(paired.people)
        questions[question] = refused(found) if paired.people.chances is not None else found
        digests.append(paired.digest)
    if not questions:
        raise Refused(NO_ANSWERS)
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "questions": questions,
        "signature": sign(hashlib.sha256(" ".join(digests).encode()).hexdigest(), INTERVAL),
    }


def _agreement(people: People) -> dict[str, dict[str, Any]]:
    """By generator in the order of their dates, then all together."""
    parts = {
        name: people.generators == code
        for code, name in enumerate(people.generator_names)
        if (people.generators == code).any()
    }
    everywhere = np.ones(people.generators.size, dtype=bool)
    return {
        "generators": {name: _means_where(people, here) for name, here in parts.items()},
        "all": _means_where(people, everywhere),
    }


def _means_where(people: People, here: np.ndarray) -> dict[str, Any]:
    ratings, prompts, options = people.ratings[:, here], people.prompts[here], Options()
    several = int(((~np.isnan(ratings)).sum(axis=0) >= 2).sum())
    if several < enough.IMAGES:
        few = enough.too_few(several, what="images with two answers")
        return {name: est(few) for name in ("alike", "fleiss_kappa", "gwet_ac1", "alpha")}
    found: dict[str, Result] = {
        "alike": people_agreement.alike_of(ratings, prompts, options),
        "fleiss_kappa": people_agreement.fleiss_of(ratings, prompts, options),
        "gwet_ac1": people_agreement.ac1_of(ratings, prompts, options),
        "alpha": people_agreement.alphas_of(ratings, prompts, options)["interval"],
    }
    return {name: est(result) for name, result in found.items()}


PEOPLE_BY_GENERATOR = Question(
    name="people-by-generator",
    compute=people_by_generator,
    facts=lambda study, _: freshness.rows_now(study),
)
QUESTIONS = (PEOPLE_BY_GENERATOR,)
