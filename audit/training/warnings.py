"""What speaks against a training set, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.models import Study
from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Reference, why_no_points
from audit.statistic_names import BAND
from audit.words.numbers import with_interval
from audit.words.report import title
from judges.names import runs_by_name
from jurybox_stats import enough
from jurybox_stats.estimate import Undefined


def of_judge(judge: JudgeScores, evaluation: Sequence[Study], *, rule: str) -> list[str]:
    """Whether whoever chose also says whether the choice has helped."""
    lines = []
    if not evaluation:
        lines.append(
            "No evaluation study was named, so nothing keeps the prompts of one out of the set."
        )
    if rule == "people":
        return lines
    engine, method = judge.facts["engine"], judge.facts["method"]
    for study in evaluation:
        for name, run in runs_by_name(study).items():
            other = run.judge
            if other.fingerprint == judge.fingerprint:
                how = "is the judge that chose these images"
            elif f"{other.engine} {other.engine_version}" == engine:
                how = "looks with the same engine as the judge that chose these images"
            elif f"{other.method} {other.method_version}" == method:
                how = "has the same rule as the judge that chose these images"
            else:
                continue
            lines.append(
                f"{title(name)}, which scores “{study.title}”, {how}: a generator trained on them learns "
                "to please it. Look at people’s answers or at another judge."
            )
    return lines


def of_generators(
    people: People, reference: Reference, judge: JudgeScores, names: Sequence[str]
) -> list[str]:
    """Where the judge is off by more than the band on a generator whose images are in the set."""
    if reason := why_no_points(people, judge):
        return [f"Nothing tells by how much the judge is off on these generators: {reason}."]
    value = reference.yes if people.scale.is_yes_no else reference.mean
    lines, few = [], []
    for code, name in enumerate(people.generator_names):
        if name not in names:
            continue
        there = (people.generators == code) & ~np.isnan(value) & ~np.isnan(judge.scores)
        if there.sum() < enough.IMAGES:
            few.append(name)
            continue
        draw = draw_of(people.prompts[there], Options())
        found = draw.difference_of_means(value[there], judge.scores[there], scale=100)
        if not isinstance(found, Undefined) and abs(found.value) > BAND:
            told = with_interval("net_deviation", est(found))
            lines.append(
                f"{title(judge.name)} is off by {told} on {name}: more than {BAND:g} points either way."
            )
    if few:
        lines.append(
            f"Too few labels ({enough.IMAGES} needed) to tell whether the judge is right on "
            f"{', '.join(few)}."
        )
    return lines


def of_draws(people: People) -> list[str]:
    if people.chances is None:
        return []
    return [
        "The labelled images were drawn with unequal chances; precision and weights are of these images "
        "as they are, not of all."
    ]
