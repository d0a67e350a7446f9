"""A judge read twice: by a line on people's scale and by cuts on their latent one, after who labelled what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.cuts import CutReading, read_by_cuts
from jurybox_stats.instrument.latent import Latent, StepAnswers, read_people
from jurybox_stats.instrument.moments import Answers, Moments, mid_ranks, moments
from jurybox_stats.instrument.severity import OTHERS, Mix, severities
from jurybox_stats.instrument.sides import Generators, beside_people, generators_of, newest_third
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


class ReadPeople:
    """What people say of some images, read once for all judges of these."""

    def __init__(
        self,
        voices: Voices,
        generators: Codes,
        prompts: Codes,
        dates: np.ndarray,
        *,
        assumed: bool = False,
    ) -> None:
        """`dates`: a code for each generator, ascending. `assumed`: people are read as if they were exact."""
        self.voices, self.generators, self.prompts = voices, generators, prompts
        self.dates, self.assumed = np.asarray(dates), assumed

    def read(self, score: Floats, *, as_ranks: bool, span: float = 1.0) -> Readings:
        """A judge of the same images."""
        read = mid_ranks(score) if as_ranks else score
        sums = self._moments(read, self._people_moments[0])
        line = beside_people(self._people_moments[1], sums)
        if self.assumed:
            return Readings(sums, line, None, None, self.mix)
        others, shifts = self._shifts
        line = replace(line, people=self._usual)
        cuts = read_by_cuts(
            score, self._latent, self.generators, self.prompts, span=span, shifts=shifts
        )
        return Readings(sums, line, cuts, others, self.mix)

    def _moments(self, score: Floats, people: Moments | None = None) -> Moments:
        count = len(self.dates)
        return moments(score, self.voices.answers, self.generators, self.prompts, count, people)

    @cached_property
    def _people_moments(self) -> tuple[Moments, Generators]:
        """Beside a judge that always says 0."""
        sums = self._moments(np.zeros(self.generators.size))
        return sums, generators_of(sums, noise_together=True)

    @cached_property
    def mix(self) -> Mix:
        count, ratings = len(self.dates), self.voices.ratings
        rows = [np.bincount(self.generators[~np.isnan(row)], minlength=count) for row in ratings]
        return Mix(np.array(rows, dtype=np.int64).reshape(len(rows), count))

    @cached_property
    def _latent(self) -> list[Latent | Undefined]:
        steps, count = self.voices.steps, len(self.dates)
        return read_people(steps, self.generators, self.prompts, count, noise_together=True)

    @cached_property
    def _usual(self) -> Floats:
        """Of the line: what people of the usual severity would have answered."""
        line = self._people_moments[1]
        for step, shift in zip(self._latent, self._shifts[1], strict=True):
            if isinstance(step, Latent) and shift is not None:
                line = _without_severity(line, step, shift)
        return line.people

    @cached_property
    def _shifts(self) -> tuple[OtherPeople | None, list[Floats | None]]:
        """By how much people's zero lies higher on each generator, for each step."""
        ratings, dates, mix = self.voices.ratings, self.dates, self.mix
        nothing: list[Floats | None] = [None] * len(self._latent)
        sides = [side for side in (newest_third(dates), dates == dates.max()) if not side.all()]
        newest = max(sides, key=lambda side: mix.changes(~side, side), default=dates < 0)
        share = mix.changes(~newest, newest)
        if share <= OTHERS:
            return None, nothing
        answered = ~np.isnan(ratings)
        shifts, compared = nothing.copy(), True
        for place, step in enumerate(self._latent):
            if isinstance(step, Latent):
                yes = answered & (ratings >= step.threshold)
                found = severities(yes, answered & ~yes, self.prompts)
                compared &= found.compare(mix, ~newest, newest)
                shifts[place] = found.shift(mix)
        return OtherPeople(share, compared), shifts if compared else nothing


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
    """One judge alone."""
    people = ReadPeople(voices, generators, prompts, dates, assumed=assumed)
    return people.read(score, as_ranks=as_ranks, span=span)


def _without_severity(line: Generators, step: Latent, shift: Floats) -> Generators:
    """What people of the usual severity would have answered on average."""
    usual = scipy.special.ndtr((step.mu + shift) / step.spread)
    moved = np.where(step.images > 0, usual - step.yes, 0.0)
    people = line.people + line.images * step.width * moved
    return replace(line, people=np.asfortranarray(people))
