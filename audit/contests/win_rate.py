"""How often one generator wins against another over all prompts that both have: from people's votes on some pairs
of their images, with the help of judges' scores of all.

A unit is two images of one prompt, one by each; what people say of it is the mean of their votes, a tie being
half a win, and a judge says by how much the one's score is above the other's. The judges are control
variates (`jurybox_stats.assisted`): one that is of no use gets no weight.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import PairVote, Study
from annotations.pairs.votes import MATCH
from audit import VERSION
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, People, pair
from jurybox_stats import assisted
from jurybox_stats.assisted import Assisted
from jurybox_stats.estimate import Undefined
from jurybox_stats.series import Codes, Floats

WON = {"first": 1.0, "second": 0.0, "both": 0.5, "neither": 0.5}
# Beyond this, images of one prompt make more pairs than anybody would want to read.
MOST = 1_000_000


def win_rate(
    study: Study, first: str, second: str, *, judges: Sequence[str] = (), question: str = MATCH
) -> dict[str, Any]:
    if first == second:
        raise Refused("A rate is of one generator against another, not one and itself.")
    paired = pair(study=study, question=question_of(study, Options()))
    people = paired.people
    ones, others = _units(people, first, second)
    said, votes, undrawn = _mean_votes(study, people, question, ones, others)
    chosen, left_out = _choose_judges(paired, judges, ones, others)
    features = [judge.scores[ones] - judge.scores[others] for judge in chosen]
    prompts = people.prompts[ones]
    found = _estimate(said, features, prompts)
    body: dict[str, Any] = {
        "study": study.slug,
        "simulated": study.simulated or people.simulated,
        "question": question,
        "first": first,
        "second": second,
        "pairs": int(ones.size),
        "prompts": int(np.unique(people.each_prompt[ones]).size),
        "voted": int((~np.isnan(said)).sum()),
        "votes": votes,
        "undrawn": undrawn,
        "left_out": left_out,
    }
    if isinstance(found, Undefined):
        told: dict[str, Any] = {
            "win_rate": found.as_dict(),
            "alone": found.as_dict(),
            "worth": None,
            "judges": {},
        }
    else:
        told = {
            "win_rate": _plain(found),
            "alone": found.alone.as_dict(),
            "worth": found.effective_labels,
            "judges": {
                judge.name: weight for judge, weight in zip(chosen, found.weights, strict=False)
            },
        }
    facts = [said.tolist(), [feature.tolist() for feature in features], prompts.tolist()]
    text = json.dumps(facts).encode()
    told["signature"] = {
        "version": VERSION,
        "interval": "95 %, with prompts as clusters",
        **({"clusters": people.clusters} if people.clusters else {}),
        "rule": "people’s votes with judges’ score differences as control variates; a tie is half a win",
        "judges": {judge.name: judge.fingerprint for judge in chosen},
        "data": hashlib.sha256(paired.digest.encode() + text).hexdigest(),
    }
    return json.loads(json.dumps(body | told, allow_nan=False))


def _estimate(said: Floats, features: list[Floats], prompts: Codes) -> Assisted | Undefined:
    """Without a judge, votes alone."""
    given = np.array(features) if features else np.zeros((1, said.size))
    return assisted.mean(said, given, prompts)


def _plain(found: Assisted) -> dict[str, Any]:
    """A share lies between 0 and 1, and so does its interval."""
    low, high = (None if e is None else min(1.0, max(0.0, e)) for e in (found.low, found.high))
    return {"value": min(1.0, max(0.0, found.value)), "low": low, "high": high, "n": found.n}


def _units(people: People, first: str, second: str) -> tuple[Codes, Codes]:
    names = list(people.generator_names)
    for name in (first, second):
        if name not in names:
            raise Refused(
                f"The study has no generator “{name[:80]}”. Generators: {', '.join(names[:20])}."
            )
    by_prompt: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    codes = names.index(first), names.index(second)
    for place, (prompt, generator) in enumerate(
        zip(people.each_prompt.tolist(), people.generators.tolist(), strict=True)
    ):
        if generator in codes:
            by_prompt[prompt][codes.index(generator)].append(place)
    ends = [(one, other) for a, b in by_prompt.values() for one in a for other in b]
    if not ends:
        raise Refused(f"No prompt has images by both {first} and {second}.")
    if len(ends) > MOST:
        raise Refused(f"{first} and {second} make more than {MOST:,} pairs of images.")
    ones, others = np.array(ends, dtype=np.int64).T
    return ones, others


def _mean_votes(
    study: Study, people: People, question: str, ones: Codes, others: Codes
) -> tuple[Floats, int, int]:
    """The mean vote on each unit, nan without one; votes; voted pairs that no chance has drawn."""
    keys = people.images.tolist()
    place = {(keys[a], keys[b]): n for n, (a, b) in enumerate(zip(ones, others, strict=True))}
    rows = PairVote.objects.filter(study=study, question=question, current=True)
    rows = rows.exclude(value=PairVote.Value.CANNOT_TELL).order_by()
    total, count = np.zeros(ones.size), np.zeros(ones.size)
    undrawn = set()
    for one, other, value, chance in rows.values_list(
        "pair__first__key", "pair__second__key", "value", "pair__chance"
    ).iterator(chunk_size=5000):
        won = WON[value]
        number = place.get((one, other))
        if number is None:
            number, won = place.get((other, one)), 1 - won
        if number is None:
            continue
        total[number] += won
        count[number] += 1
        if chance is None:
            undrawn.add(number)
    said = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return said, int(count.sum()), len(undrawn)


def _choose_judges(
    paired: Paired, names: Sequence[str], ones: Codes, others: Codes
) -> tuple[list[JudgeScores], list[str]]:
    """Judges with a score of every image; those that were named, or all."""
    known = {judge.name: judge for judge in paired.judges}
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none yet"
            raise Refused(f"“{name[:120]}” is no judge of this study. It has: {listed}.")
    images = np.union1d(ones, others)
    wanted = [known[name] for name in names] if names else list(paired.judges)
    whole = [judge for judge in wanted if not np.isnan(judge.scores[images]).any()]
    return whole, [judge.name for judge in wanted if judge not in whole]
