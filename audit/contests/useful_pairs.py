"""Which pairs people should compare next: those that tell most under the leaderboard as it stands, mixed
with others. Half of the chances are as useful as a vote would be, half the same for all.

How useful a pair is follows from its two generators alone, never from anybody's vote on its images: among
the pairs of two generators every prompt has the same chance, so their strengths stay what they would be. What is
counted over comparisons is not: pairs whose outcome is open are harder for a judge.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from django.db import transaction

from annotations.errors import StudyRefused
from annotations.models import Generator, PairDraw, Study
from annotations.pairs import draws
from annotations.pairs.votes import MATCH
from audit.contests.read import from_pairs
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import pair
from jurybox_stats import assisted
from jurybox_stats.contests.board import PROMPTS
from jurybox_stats.contests.fit import fit
from jurybox_stats.contests.information import worth
from jurybox_stats.contests.votes import TIE
from jurybox_stats.draws import drawn_sample
from jurybox_stats.estimate import Undefined
from jurybox_stats.series import Floats

FIRST = "Draw pairs at random first, and let people compare them."


@transaction.atomic
def draw_informative(*, study: Study, per_prompt: int, seed: int = 0, by: Any = None) -> PairDraw:
    """As many as `per_prompt` of each prompt would be, wherever they tell most."""
    draws.check(study, per_prompt)
    names, told = informative(study)
    place = {name: number for number, name in enumerate(names)}
    generators = dict(Generator.objects.filter(study=study).values_list("pk", "name"))
    fresh = [one for _, new, _ in draws.candidates(study) for one in new]
    prompts = len({one.prompt for one in fresh})
    most = float(told.max())
    useful = np.array([_pair_gain(one, generators, place, told, most) for one in fresh])
    chances = assisted.inclusion(useful, min(per_prompt * prompts, len(fresh)))
    if isinstance(chances, Undefined):
        raise StudyRefused(f"Nothing was drawn: {chances.reason}.")
    number = PairDraw.objects.filter(study=study).count()
    taken = np.flatnonzero(drawn_sample.systematic(chances, [seed, number]))
    made = PairDraw(study=study, by=PairDraw.DrawRule.ADAPTIVE, per_prompt=per_prompt, seed=seed)
    chosen = [(fresh[one], float(chances[one])) for one in taken.tolist()]
    return draws.keep(made, chosen, random.Random(f"{seed} {number}"), note="", by=by)


def informative(study: Study) -> tuple[tuple[str, ...], Floats]:
    """The generators that the leaderboard knows, and what a vote between two of them would tell."""
    people = pair(study=study, question=question_of(study, Options())).people
    every = from_pairs(study, people, MATCH)
    votes = every.votes()
    found = fit(votes, ties="davidson" if (votes.said == TIE).any() else "none")
    if isinstance(found, Undefined):
        raise StudyRefused(f"Nothing tells yet which pairs tell most: {found.reason}. {FIRST}")
    if found.prompts < PROMPTS:
        raise StudyRefused(
            f"Nothing tells yet which pairs tell most: votes are on {found.prompts} {every.clusters}, "
            f"{PROMPTS} are needed. {FIRST}"
        )
    told = worth(found)
    if isinstance(told, Undefined):
        raise StudyRefused(f"Nothing tells yet which pairs tell most: {told.reason}. {FIRST}")
    return found.systems, told


def _pair_gain(
    one: draws.Candidate,
    generators: dict[int, str],
    place: dict[str, int],
    told: Floats,
    most: float,
) -> float:
    """Of a generator that nobody has voted on everything is open."""
    ends = [generators[pk] for pk in one.generators]
    if not set(ends) <= place.keys():
        return most
    return float(told[place[ends[0]], place[ends[1]]])
