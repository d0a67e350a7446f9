"""Did training help? Two generators on the same prompts, one of before and one of after: what people gain
and what each judge gains, side by side. A judge that an image was chosen by, or a generator was trained
on, gains whether or not the pictures are better (Goodhart's law): so what it gains beyond people stands apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Study
from audit.repairs.gains import sign_gains
from audit.reports.bootstrap import draw_of, est
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import People, pair
from audit.reports.reference import Reference, why_no_points
from jurybox_stats import enough
from jurybox_stats.estimate import Undefined


def before_after(study: Study, before: str, after: str) -> dict[str, Any]:
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
