"""What has repairing images gained? Or, between two generators, what has training gained?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question
from annotations.stored_answers.question import is_small as is_small_study
from audit.models import Finding
from audit.repairs.gains import NONE, findings_by_state, gains, sign_gains
from audit.reports.bootstrap import draw_of, est
from audit.reports.make import question_of
from audit.reports.options import Options, sign
from audit.reports.pairing import People, pair
from audit.reports.reference import Reference, why_no_points
from jurybox_stats import enough
from jurybox_stats.estimate import Undefined


@dataclass(frozen=True, slots=True)
class Parameters:
    """Two generators, the one of before training and the one of after; none for the gains of repairs."""

    before: str = ""
    after: str = ""

    def __post_init__(self) -> None:
        if bool(self.before) != bool(self.after):
            raise Refused("Give --before and --after together.")


def compute_gains(study: Study, parameters: Parameters) -> dict[str, Any]:
    if parameters.before:
        return before_after(study, parameters.before, parameters.after)
    return gains(study)


def _compute(study: Study, parameters: Parameters) -> dict[str, Any]:
    if parameters.before or _is_confirmed(study):
        return compute_gains(study, parameters)
    return _nothing(study)


def _is_confirmed(study: Study) -> bool:
    return Finding.objects.filter(study=study, state=Finding.State.REAL).exists()


def _nothing(study: Study) -> dict[str, Any]:
    """Without a real finding nothing is read."""
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "repaired": 0,
        "first": [],
        "rows": [],
        "real": {"undefined": NONE, "n": 0},
        "signature": {**sign("", ""), "judges": {}},
    }


def _states(study: Study, parameters: Parameters) -> str:
    """Change when somebody says whether a finding is real."""
    counts = findings_by_state(study)
    return f"{counts[Finding.State.REAL]} {counts[Finding.State.WRONG]}"


GAINS = Question(
    name="gains",
    compute=_compute,
    parameters=Parameters,
    facts=_states,
    is_small=lambda study: is_small_study(study) or not _is_confirmed(study),
    stores_small=False,
)
QUESTIONS = (GAINS,)


def before_after(study: Study, before: str, after: str) -> dict[str, Any]:
    """Did training help? A judge that an image was chosen by gains whether or not the pictures are better
    (Goodhart’s law): what it gains beyond people stands apart."""
    paired = pair(study=study, question=question_of(study, Options()))
    people = paired.people
    reference = Reference.from_people(people, Options().with_scale_cut(people.scale))
    sides = _code(people, before), _code(people, after)
    if sides[0] == sides[1]:
        raise Refused("Name two generators: the one of before and the one of after.")
    said = reference.yes if people.scale.is_yes_no else reference.mean
    of_people = _by_prompt(said, people, sides)
    drawn = np.arange(of_people.size)
    drawn[people.each_prompt] = people.prompts
    points = people.scale.in_points
    rows = [
        {"by": "people", "judge": "", "in_points": points, "gain": _mean(of_people, drawn, points)}
    ]
    for judge in paired.judges:
        in_points = not why_no_points(people, judge)
        own = _by_prompt(judge.scores, people, sides)
        beyond: dict[str, Any] = {}
        if points and in_points:
            beyond = {"beyond_people": _mean(own - of_people, drawn, True)}
        rows.append(
            {
                "by": judge.name,
                "judge": judge.name,
                "in_points": in_points,
                "gain": _mean(own, drawn, in_points),
                **beyond,
            }
        )
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "question": people.question,
        "before": before,
        "after": after,
        "prompts": int((~np.isnan(of_people)).sum()),
        "rows": rows,
        "signature": sign_gains(paired, reference),
    }


def _code(people: People, name: str) -> int:
    if name not in people.generator_names:
        raise Refused(
            f"No generator of study {people.study} is called “{name}”. There are: "
            f"{', '.join(people.generator_names)}."
        )
    return people.generator_names.index(name)


def _by_prompt(values: np.ndarray, people: People, sides: tuple[int, int]) -> np.ndarray:
    """After less before of each prompt, of the means where there are several images; nan where a side has
    none."""
    prompts = people.each_prompt
    size = int(prompts.max(initial=-1)) + 1
    known = ~np.isnan(values)
    means = []
    for code in sides:
        here = known & (people.generators == code)
        sums = np.bincount(prompts[here], values[here], size)
        counts = np.bincount(prompts[here], minlength=size)
        means.append(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
    return means[1] - means[0]


def _mean(moved: np.ndarray, drawn: np.ndarray, points: bool) -> dict[str, Any]:
    """`drawn`: what each prompt is drawn with."""
    known = np.flatnonzero(~np.isnan(moved))
    if not known.size:
        return est(Undefined("no prompt has images of both that were judged", 0))
    draw = draw_of(drawn[known], Options())
    return est(enough.required(draw.mean(moved[known], scale=100.0 if points else 1.0)))
