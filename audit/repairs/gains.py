"""What repairing gained above another try: repaired − control, paired, with prompts as clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db.models import Count
from django.utils.translation import gettext_noop

from annotations.models import Image, Study
from audit.models import Finding
from audit.repairs.enforce import CONTROL, REPAIRED
from audit.reports.bootstrap import draw_of, est
from audit.reports.make import question_of
from audit.reports.options import Options, sign
from audit.reports.pairing import Paired, pair
from audit.reports.reference import Reference, why_no_points
from jurybox_stats.estimate import Undefined

FIRST = 12  # repaired images on a page
INTERVAL = "95 %, by prompts"
NONE = gettext_noop("no image has been repaired yet")


def triples(study: Study) -> list[dict[str, str]]:
    """The keys of each image, its repair and its control, where all three are there."""
    made: dict[str, dict[str, str]] = {}
    rows = Image.objects.filter(study=study, metadata__has_key="parent").order_by("key")
    for key, metadata in rows.values_list("key", "metadata"):
        made.setdefault(str(metadata["parent"]), {})[str(metadata.get("arm"))] = key
    there = set(Image.objects.filter(study=study, key__in=list(made)).values_list("key", flat=True))
    return [
        {"old": parent, REPAIRED: arms[REPAIRED], CONTROL: arms[CONTROL]}
        for parent, arms in sorted(made.items())
        if parent in there and {REPAIRED, CONTROL} <= arms.keys()
    ]


def findings_by_state(study: Study) -> dict[str, int]:
    rows = Finding.objects.filter(study=study).order_by().values_list("state")
    return dict.fromkeys(Finding.State.values, 0) | dict(rows.annotate(Count("pk")))


def gains(study: Study) -> dict[str, Any]:
    """By people and by each judge: the gain, and how far each arm is above the old image. Points where
    scores lie between 0 and 1, else in the units of the score."""
    found = triples(study)
    paired = pair(study=study, question=question_of(study, Options()))
    people = paired.people
    reference = Reference.from_people(people, Options().with_scale_cut(people.scale))
    place = {key: number for number, key in enumerate(people.images.tolist())}
    arms = {
        arm: np.array([place[each[arm]] for each in found], dtype=np.int64)
        for arm in ("old", REPAIRED, CONTROL)
    }
    said = reference.yes if people.scale.is_yes_no else reference.mean
    rows = [
        {
            "by": "people",
            "judge": "",
            **_gain_body(said, arms, people.prompts, people.scale.in_points),
        }
    ]
    searched = set(Finding.objects.filter(study=study).order_by().values_list("judge", flat=True))
    for judge in paired.judges:
        points = not why_no_points(people, judge)
        row = _gain_body(judge.scores, arms, people.prompts, points)
        rows.append({"by": judge.name, "judge": judge.name, "found": judge.name in searched, **row})
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "question": people.question,
        "repaired": len(found),
        "first": found[:FIRST],
        "rows": rows,
        "real": _real(study, paired),
        "signature": sign_gains(paired, reference),
    }


def sign_gains(paired: Paired, reference: Reference) -> dict[str, Any]:
    judges = {judge.name: judge.fingerprint for judge in paired.judges}
    return {**sign(paired.digest, INTERVAL), "judges": judges, "rule": reference.rule}


def _gain_body(
    values: np.ndarray, arms: dict[str, np.ndarray], prompts: np.ndarray, points: bool
) -> dict[str, Any]:
    compared = {
        "gain": (REPAIRED, CONTROL),
        "repaired": (REPAIRED, "old"),
        "control": (CONTROL, "old"),
    }
    told: dict[str, Any] = {"in_points": points}
    for name, (one, other) in compared.items():
        told[name] = _difference(values, prompts, arms[one], arms[other], 100.0 if points else 1.0)
    return told


def _difference(
    values: np.ndarray, prompts: np.ndarray, one: np.ndarray, other: np.ndarray, scale: float
) -> dict[str, Any]:
    if not one.size:
        return est(Undefined(NONE, 0))
    known = ~np.isnan(values[one]) & ~np.isnan(values[other])
    if not known.any():
        return est(Undefined("neither has been judged on the same images", 0))
    draw = draw_of(prompts[one][known], Options())
    return est(draw.difference_of_means(values[one][known], values[other][known], scale=scale))


def _real(study: Study, paired: Paired) -> dict[str, Any]:
    """The share of findings that people confirmed, of those that they looked at."""
    place = {key: number for number, key in enumerate(paired.people.images.tolist())}
    rows = Finding.objects.filter(study=study).exclude(state=Finding.State.OPEN).order_by("pk")
    said = list(rows.values_list("image__key", "state"))
    if not said:
        return est(Undefined("nobody has confirmed a finding yet", 0))
    real = np.array([float(state == Finding.State.REAL) for _, state in said])
    codes = paired.people.prompts[[place[key] for key, _ in said]]
    return est(draw_of(codes, Options()).mean(real))
