"""Chooses a training set and keeps it with its signature: the same data and question give the same one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import transaction

from annotations.errors import Refused
from annotations.models import Study
from audit.models import TrainingSet
from audit.reports.bootstrap import draw_of, est
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, People, pair
from audit.reports.reference import Reference, why_no_points
from audit.statistic_names import BAND
from audit.training.candidates import TrainingOptions, eligible
from audit.training.choose import Pool, choose
from audit.words.numbers import with_interval
from audit.words.report import title
from judges.names import runs_by_name
from jurybox_judging.methods.gors import effective_size
from jurybox_stats import enough
from jurybox_stats.estimate import Undefined

# A pair is trained on where so many more of a hundred people answered yes to one than to the other.
MARGIN = 0.5
# How many images next to the threshold are kept, for people to confirm some of them.
NEAR = 300


@transaction.atomic
def freeze(*, study: Study, asked: TrainingOptions, by: Any = None) -> TrainingSet:
    body, rows = select(study, asked)
    sha256 = body["signature"]["sha256"]
    made, _ = TrainingSet.objects.get_or_create(
        study=study,
        sha256=sha256,
        defaults={"asked": asked.as_dict(), "body": body, "rows": rows, "made_by": by},
    )
    return made


def select(study: Study, asked: TrainingOptions) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What was taken and why, and a row for each image that was taken or that people labelled."""
    asked.refuse_unfit()
    question = question_of(study, Options(question=asked.question or None))
    paired = pair(study=study, question=question)
    judge = _judge(paired, asked.judge)
    evaluation = studies_of(asked.evaluation)
    people = paired.people
    reference = Reference.from_people(people, Options().with_scale_cut(people.scale))
    found = eligible(study, people, judge.scores, evaluation)
    places = found.places
    facts = [found.facts[place] for place in places.tolist()]
    positive = people.ratings >= reference.options.positive_at
    pool = Pool(
        keys=[each["image"] for each in facts],
        prompts=people.each_prompt[places],
        clusters=people.prompts[places],
        metadata=[each["metadata"] for each in facts],
        scores=judge.scores[places],
        yes=reference.yes[places],
        said_yes=positive.sum(axis=0)[places] if len(people.raters) else np.zeros(len(places), int),
        answered=(~np.isnan(people.ratings)).sum(axis=0)[places]
        if len(people.raters)
        else np.zeros(len(places), int),
    )
    chosen = choose(pool, asked)
    weights = {candidate.image: candidate.weight for candidate in chosen.selection.taken}
    pairs = _pairs(pool, facts, weights)
    rows = _rows(pool, facts, weights, pairs)
    taken = [row for row in rows if row["weight"]]
    names = {code: each["prompt"] for code, each in zip(pool.prompts.tolist(), facts, strict=True)}
    generators = sorted({row["generator"] for row in taken})
    body = {
        "study": study.slug,
        "title": study.title,
        "question": question,
        "rule": asked.rule,
        "threshold": chosen.threshold,
        "images": len(people.images),
        "eligible": len(facts),
        "taken": len(taken),
        "prompts": len({row["prompt"] for row in taken}),
        "without": sorted(names[code] for code in chosen.selection.without),
        "dropped": dict(sorted((found.dropped + chosen.dropped).items())),
        "effective_size": effective_size([row["weight"] for row in taken]),
        "mean_weight": float(np.mean([row["weight"] for row in taken])),
        "precision": chosen.precision,
        "generators": {name: sum(row["generator"] == name for row in taken) for name in generators},
        "pairs": pairs,
        "near": _near(pool, chosen.above),
        "simulated": study.simulated or people.simulated,
        "warnings": [
            *chosen.notes,
            *of_judge(judge, evaluation, rule=asked.rule),
            *of_generators(people, reference, judge, generators),
            *of_draws(people),
        ],
    }
    body["signature"] = {
        "judge": judge.name,
        "fingerprint": judge.fingerprint,
        "data": paired.digest,
        "reference": reference.rule,
        "sha256": _digest(asked, judge, body, rows),
    }
    return body, rows


def _judge(paired: Paired, name: str) -> JudgeScores:
    for judge in paired.judges:
        if judge.name == name:
            return judge
    known = ", ".join(judge.name for judge in paired.judges) or "none yet"
    raise Refused(f"“{name[:120]}” is no judge of this study. It has: {known}.")


def studies_of(slugs: tuple[str, ...]) -> list[Study]:
    found = {study.slug: study for study in Study.objects.filter(slug__in=slugs)}
    for slug in slugs:
        if slug not in found:
            raise Refused(f"There is no study “{slug[:80]}”.")
    return [found[slug] for slug in sorted(found)]


def _rows(
    pool: Pool,
    facts: list[dict[str, Any]],
    weights: dict[Any, float],
    pairs: list[dict[str, str]],
) -> list[dict[str, Any]]:
    in_pairs = {pair[side] for pair in pairs for side in ("better", "worse")}
    rows = []
    for place, each in enumerate(facts):
        key, yes = each["image"], float(pool.yes[place])
        if key not in weights and key not in in_pairs and np.isnan(yes):
            continue
        rows.append(
            {
                "image": key,
                "sha256": each["sha256"],
                "prompt": each["prompt"],
                "text": each["text"],
                "generator": each["generator"],
                "weight": float(weights.get(key, 0.0)),
                "score": float(pool.scores[place]),
                "people_yes": int(pool.said_yes[place]),
                "people_n": int(pool.answered[place]),
                "people": None if np.isnan(yes) else bool(yes),
            }
        )
    return rows


def _pairs(
    pool: Pool, facts: list[dict[str, Any]], weights: dict[Any, float]
) -> list[dict[str, str]]:
    """One of each prompt: the image with the most yes against the one with the fewest; where nobody
    labelled, one that was taken against the one with the lowest score that was not."""
    of_prompt: dict[int, list[int]] = {}
    for place, code in enumerate(pool.prompts.tolist()):
        of_prompt.setdefault(code, []).append(place)
    pairs = []
    for code in sorted(of_prompt):
        places = of_prompt[code]
        said = [place for place in places if pool.answered[place]]
        if said:
            share = {p: float(pool.said_yes[p] / pool.answered[p]) for p in said}
            best = min(said, key=lambda p: (-share[p], pool.keys[p]))
            worst = min(said, key=lambda p: (share[p], pool.keys[p]))
            fits, source = share[best] - share[worst] >= MARGIN, "people"
        else:
            best = min(places, key=lambda p: (-pool.scores[p], pool.keys[p]))
            worst = min(places, key=lambda p: (pool.scores[p], pool.keys[p]))
            fits = pool.keys[best] in weights and pool.keys[worst] not in weights
            source = "judge"
        if fits:
            better, worse = facts[best]["image"], facts[worst]["image"]
            pairs.append({"better": better, "worse": worse, "source": source})
    return pairs


def _near(pool: Pool, above: np.ndarray | None) -> list[str]:
    """The images next to the threshold, on both sides, the nearest first: known from scores alone."""
    if above is None:
        return []
    known = np.flatnonzero(~np.isnan(above)).tolist()
    known.sort(key=lambda place: (abs(above[place]), pool.keys[place]))
    return [pool.keys[place] for place in known[:NEAR]]


def _digest(
    asked: TrainingOptions, judge: JudgeScores, body: dict[str, Any], rows: list[dict[str, Any]]
) -> str:
    facts = [asked.as_dict(), judge.fingerprint, body["threshold"], body["pairs"], rows]
    return hashlib.sha256(
        json.dumps(facts, ensure_ascii=False, sort_keys=True, allow_nan=False).encode()
    ).hexdigest()


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
