"""Does each editor follow its instruction, keep the rest and look right, by people and by the judges of each?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from annotations import consensus
from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import NoParameters, Question
from audit.reports import freshness
from audit.reports.bootstrap import INTERVAL, draw_of, est
from audit.reports.human_scores import refused
from audit.reports.options import Options, sign
from audit.reports.pairing import Database, Paired, People
from judges.names import runs_by_name
from judges.runs.form_question import form_question
from jurybox_formats.forms.papers.edits import FORM
from jurybox_stats import enough

# did, kept, looks_right
ASKED = tuple(question.name for question in FORM.questions[:3])
ALL = "all"
NO_ANSWERS = f"People have not answered all of {', '.join(ASKED)} about edits."


def edits(study: Study, parameters: NoParameters) -> dict[str, Any]:
    source = Database(study)
    if not set(ASKED) <= set(source.questions()):
        raise Refused(NO_ANSWERS)
    made_for = {name: form_question(run.judge) for name, run in runs_by_name(study).items()}
    paired = {
        asked: source.pair(
            asked, judges=[n for n, own in made_for.items() if own == asked]
        ).everything
        for asked in ASKED
    }
    people = paired[ASKED[0]].people
    editors = {
        name: _of_editor(paired, people.generators == code)
        for code, name in enumerate(people.generator_names)
        if (people.generators == code).any()
    }
    unequal = any(one.people.chances is not None for one in paired.values())
    digests = " ".join(one.digest for one in paired.values())
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "editors": refused(editors) if unequal else editors,
        "signature": sign(hashlib.sha256(digests.encode()).hexdigest(), INTERVAL),
    }


def _of_editor(paired: dict[str, Paired], here: np.ndarray) -> dict[str, Any]:
    """`people`: shares of yes, by question and of all three at once. `judges`: mean scores of those that were
    made for a question."""
    prompts = paired[ASKED[0]].people.prompts[here]
    said = {name: one.people.mean for name, one in paired.items()}
    said[ALL] = consensus.mean(_all_three([one.people for one in paired.values()]))
    return {
        "people": {name: _mean(values[here], prompts, (0, 1)) for name, values in said.items()},
        "judges": {
            question: {judge.name: _mean(judge.scores[here], prompts) for judge in one.judges}
            for question, one in paired.items()
        },
    }


def _all_three(asked: Sequence[People]) -> np.ndarray:
    """People × images: 1 where one and the same person has yes three times; nan where an answer is missing."""
    everybody = sorted(set.intersection(*(set(people.raters) for people in asked)))
    rows = [people.ratings[[people.raters.index(who) for who in everybody]] for people in asked]
    return np.prod(rows, axis=0)


def _mean(
    values: np.ndarray, prompts: np.ndarray, ends: tuple[float, float] | None = None
) -> dict[str, Any]:
    known = ~np.isnan(values)
    draw = draw_of(prompts[known], Options())
    return est(enough.required(draw.mean(values[known], ends=ends)))


EDITS = Question(
    name="edits",
    compute=edits,
    facts=lambda study, _: freshness.rows_now(study),
)
QUESTIONS = (EDITS,)
