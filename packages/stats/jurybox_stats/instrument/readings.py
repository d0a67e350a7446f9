"""A judge read twice: by a line on people's scale and by cuts on their latent one, after who labelled what."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.cuts import CutReading, read_by_cuts
from jurybox_stats.instrument.latent import Latent, StepAnswers, read_people
from jurybox_stats.instrument.moments import Answers, Moments, mid_ranks, moments
from jurybox_stats.instrument.severity import OTHERS, Mix, severities
from jurybox_stats.instrument.sides import Generators, generators_of, newest_third
from jurybox_stats.series import Codes, Floats


@dataclass(frozen=True, slots=True)
class Voices:
    """Everybody's answers to each image: `ratings` are people x images."""

    answers: Answers
    steps: StepAnswers
    ratings: Floats

    def where(self, here: np.ndarray) -> Voices:
        return Voices(
            self.answers.answers_where(here), self.steps.where(here), self.ratings[:, here]
        )


@dataclass(frozen=True, slots=True)
class OtherPeople:
    """The newer generators were labelled by others. `compared`: whether enough images were answered by
    people of both sides, so that their severities are known and taken out."""

    share: float
    compared: bool


@dataclass(frozen=True, slots=True)
class Readings:
    """`cuts`: None where single answers stand for people's average. `others`: None where the same people
    labelled all generators."""

    sums: Moments
    line: Generators
    cuts: CutReading | Undefined | None
    others: OtherPeople | None
    mix: Mix


def read_twice(
    score: Floats,
    voices: Voices,
    generators: Codes,
    prompts: Codes,
    dates: np.ndarray,
    *,
    as_ranks: bool,
    span: float = 1.0,
    assumed: bool = False,
) -> Readings:
    """`dates`: a code for each generator, ascending. `assumed`: people are read as if they were exact."""
    count = len(dates)
    read = mid_ranks(score) if as_ranks else score
    sums = moments(read, voices.answers, generators, prompts, count)
    line = generators_of(sums, noise_together=True)
    mix = _mix(voices.ratings, generators, count)
    if assumed:
        return Readings(sums, line, None, None, mix)
    latent = read_people(voices.steps, generators, prompts, count, noise_together=True)
    others, shifts = _shifts(voices, latent, mix, prompts, np.asarray(dates))
    for step, shift in zip(latent, shifts, strict=True):
        if isinstance(step, Latent) and shift is not None:
            line = _without_severity(line, step, shift)
    cuts = read_by_cuts(score, latent, generators, prompts, span=span, shifts=shifts)
    return Readings(sums, line, cuts, others, mix)


def _mix(ratings: Floats, generators: Codes, count: int) -> Mix:
    rows = [np.bincount(generators[~np.isnan(row)], minlength=count) for row in ratings]
    return Mix(np.array(rows, dtype=np.int64).reshape(len(rows), count))


def _shifts(
    voices: Voices,
    latent: list[Latent | Undefined],
    mix: Mix,
    prompts: Codes,
    dates: np.ndarray,
) -> tuple[OtherPeople | None, list[Floats | None]]:
    """By how much people's zero lies higher on each generator, for each step."""
    nothing: list[Floats | None] = [None] * len(latent)
    sides = [side for side in (newest_third(dates), dates == dates.max()) if not side.all()]
    newest = max(sides, key=lambda side: mix.changes(~side, side), default=dates < 0)
    share = mix.changes(~newest, newest)
    if share <= OTHERS:
        return None, nothing
    answered = ~np.isnan(voices.ratings)
    shifts, compared = nothing, True
    for place, step in enumerate(latent):
        if isinstance(step, Latent):
            yes = answered & (voices.ratings >= step.threshold)
            found = severities(yes, answered & ~yes, prompts)
            compared &= found.compare(mix, ~newest, newest)
            shifts[place] = found.shift(mix)
    if not compared:
        return OtherPeople(share, False), [None] * len(latent)
    return OtherPeople(share, True), shifts


def _without_severity(line: Generators, step: Latent, shift: Floats) -> Generators:
    """What people of the usual severity would have answered on average."""
    usual = scipy.special.ndtr((step.mu + shift) / step.spread)
    moved = np.where(step.images > 0, usual - step.yes, 0.0)
    people = line.people + line.images * step.width * moved
    return replace(line, people=np.asfortranarray(people))
