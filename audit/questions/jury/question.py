"""Is a jury of this study's judges better than the best of them?"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext, gettext_noop

from annotations.errors import Refused
from annotations.models import Prompt, Study
from annotations.stored_answers.question import Question, choose
from audit.reports import freshness
from audit.reports.bootstrap import est
from audit.reports.make import Computation
from audit.reports.options import Options, sign
from audit.reports.pairing import Database
from audit.reports.progress import Progress
from judges.names import runs_by_name
from jurybox_stats import enough
from jurybox_stats.decisions import panel
from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.comparison import jackknifed
from jurybox_stats.instrument.sides import newest_third
from jurybox_stats.over_time.courses import Change
from jurybox_stats.series import Codes, Floats

LEVEL = 0.05
STACK, MEAN, CLASSES = "stack", "mean", "dawid-skene"
WAYS = {
    STACK: gettext_noop("weights fitted to people"),
    MEAN: gettext_noop("mean of all members"),
    CLASSES: gettext_noop("verdicts, by Dawid and Skene"),
}
SUGGESTED, ALL = "", "all"
INTERVAL = "Student’s t on the jackknife of the prompts that test, at 5 % shared by all juries that were tried"
UNEQUAL = (
    "Labels were drawn with unequal chances here. A jury is tuned on labels that were drawn alike."
)
ONE_DATE = "there are no labelled generators of two release dates"


def _ways(study: Study, body: Mapping[str, Any]) -> Mapping[str, str]:
    return {way: gettext(words) for way, words in WAYS.items()}


@dataclass(frozen=True, slots=True)
class Parameters:
    """Members by their names, with commas between; “all”; or none for those that are suggested."""

    way: str = choose(gettext_noop("combined by"), _ways, STACK)
    members: str = SUGGESTED

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise Refused(f"“{self.way}” is no way to combine judges: {', '.join(WAYS)}.")


@dataclass(frozen=True)
class Bench:
    """Every judge that may sit in a jury, beside people, on the images that people have decided."""

    names: tuple[str, ...]
    scores: Floats  # judges x images
    verdicts: Floats
    yes: Floats
    people: Floats
    prompts: Codes
    tuning: np.ndarray
    generators: Codes
    newest: np.ndarray  # of the generators
    older: np.ndarray
    generator_names: tuple[str, ...]

    @classmethod
    def from_study(cls, computed: Computation, study: Study) -> Bench:
        people = computed.seen
        series = {
            name: judge.series
            for name, judge in computed.judges.items()
            if "made_for" not in judge.judge.facts
        }
        if len(series) < 2:
            raise Refused(f"A jury needs two judges with scores; this study has {len(series)}.")
        first = next(iter(series.values()))
        there = ~np.isnan(first.yes) & ~np.isnan(first.level)
        scores = np.stack([one.score for one in series.values()])
        there &= ~np.isnan(scores).all(axis=0)
        own = [
            one.verdict if computed.judges[name].judge.has_verdicts else one.verdict * np.nan
            for name, one in series.items()
        ]
        keys = sorted(Prompt.objects.filter(study=study).order_by().values_list("key", flat=True))
        halves = np.array([tunes(key) for key in keys], dtype=bool)
        size = np.bincount(people.generators[there], minlength=len(people.generator_names))
        dated = np.array([day is not None for day in people.release_dates]) & (size > 0)
        days = np.array([day.toordinal() for day in people.release_dates if day is not None])
        newest = np.zeros(size.size, dtype=bool)
        newest[dated] = newest_third(days[dated[: days.size]])
        return cls(
            tuple(series),
            scores[:, there],
            np.stack(own)[:, there],
            first.yes[there],
            first.level[there],
            people.prompts[there],
            halves[people.prompts[there]],
            people.generators[there],
            newest,
            dated & ~newest,
            people.generator_names,
        )

    def suggest(self) -> panel.Suggestion:
        tuning = self.tuning
        return panel.suggest(
            self.scores[:, tuning], self.yes[tuning], self.people[tuning], self.prompts[tuning]
        )

    def test(
        self, members: list[int], way: str, tuning: np.ndarray, where: np.ndarray
    ) -> panel.Tested | Undefined:
        return panel.test_once(
            self.scores[members][:, where],
            self.yes[where],
            self.people[where],
            self.prompts[where],
            tuning[where],
            panel.TUNES[way],
            verdicts=self.verdicts[members][:, where] if way == CLASSES else None,
        )


def bench_of(study: Study) -> tuple[Computation, Bench]:
    judges = {run.judge.name for run in runs_by_name(study).values() if not run.judge.is_jury}
    # Without juries: one that is used changes no other.
    options = Options(judges=tuple(sorted(judges)))
    computed = Computation(Database(study), options, Progress())
    if computed.weighs:
        raise Refused(UNEQUAL)
    bench = Bench.from_study(computed, study)
    testing = int((~bench.tuning).sum())
    if testing < enough.IMAGES:
        raise Refused(f"No jury can be tested yet: {enough.too_few(testing).reason}.")
    return computed, bench


def jury(study: Study, parameters: Parameters) -> dict[str, Any]:
    computed, bench = bench_of(study)
    members, tried = _members(bench, parameters)
    everywhere = np.ones(bench.yes.size, dtype=bool)
    tested = bench.test(members, parameters.way, bench.tuning, everywhere)
    if isinstance(tested, Undefined):
        raise Refused(f"No jury can be tested yet: {tested.reason}.")
    level = 1 - LEVEL / tried
    names = [bench.names[one] for one in members]
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "question": computed.question,
        "way": parameters.way,
        "suggested": not parameters.members and len(members) < len(bench.names),
        "tried": tried,
        "best": names[tested.best],
        "in_order": {"jury": tested.order, "best": tested.best_order},
        "gain": _points(tested.gain, level),
        "newest": _newest(bench, members, parameters.way, level),
        "prompts": {
            "tuning": int(np.unique(bench.prompts[bench.tuning]).size),
            "testing": int(np.unique(bench.prompts[~bench.tuning]).size),
        },
        "judges": _judges(bench, members, tested.panel),
        "tuned": {
            **_tuned(tested.panel, names, parameters.way),
            "in_peoples_unit": tested.panel.is_chance and computed.paired.people.scale.is_yes_no,
        },
        "together": _together(bench),
        "signature": sign(
            hashlib.sha256(computed.paired.digest.encode()).hexdigest(),
            INTERVAL,
        ),
    }


def _members(bench: Bench, parameters: Parameters) -> tuple[list[int], int]:
    """Their places, and how many juries were tried to find them; all judges where none adds to the best."""
    everybody = [*range(len(bench.names))]
    if parameters.members == ALL:
        return everybody, 1
    wanted = [name.strip() for name in parameters.members.split(",") if name.strip()]
    if not wanted:
        suggestion = bench.suggest()
        chosen = sorted(suggestion.members)
        return (chosen if len(chosen) > 1 else everybody), suggestion.tried
    for name in wanted:
        if name not in bench.names:
            raise Refused(
                f"“{name}” cannot sit in a jury here. These can: {', '.join(bench.names)}."
            )
    if len(set(wanted)) < 2:
        raise Refused("A jury needs two members.")
    return sorted({bench.names.index(name) for name in wanted}), 1


def _points(gain: Change, level: float) -> dict[str, Any]:
    interval = gain.interval(level)
    assert interval.low is not None and interval.high is not None
    ends = {"value": interval.value, "low": interval.low, "high": interval.high}
    return {**{end: 100.0 * value for end, value in ends.items()}, "n": interval.n}


def _newest(bench: Bench, members: list[int], way: str, level: float) -> dict[str, Any]:
    """The same jury, tuned on all older generators and tested on the newest."""
    new, old = bench.newest[bench.generators], bench.older[bench.generators]
    if not new.any() or not old.any():
        return Undefined(ONE_DATE, int(new.sum())).as_dict()
    if new.sum() < enough.IMAGES:
        return enough.too_few(int(new.sum())).as_dict()
    tested = bench.test(members, way, old, new | old)
    if isinstance(tested, Undefined):
        return tested.as_dict()
    names = [bench.generator_names[code] for code in np.flatnonzero(bench.newest)]
    return {
        **_points(tested.gain, level),
        "generators": names,
        "best": bench.names[members[tested.best]],
    }


def _order_of(bench: Bench, judge: int, where: np.ndarray) -> Any:
    rows = panel.rows_of_order(
        bench.people[where], bench.scores[judge, where], bench.prompts[where]
    )
    return jackknifed(rows[~np.isnan(rows)], int(where.sum())).as_share()


def _judges(bench: Bench, members: list[int], tuned: panel.Panel) -> list[dict[str, Any]]:
    """All that could sit in it, with the weight of those that do."""
    testing = ~bench.tuning
    weights = dict(zip(members, tuned.weights.tolist(), strict=True))
    return [
        {
            "judge": name,
            "is_member": at in weights,
            **({"weight": weights[at]} if at in weights else {}),
            "in_order": est(_order_of(bench, at, testing)),
        }
        for at, name in enumerate(bench.names)
    ]


def _together(bench: Bench) -> dict[str, dict[str, Any]]:
    """How far the errors of each two judges are the same; each pair stands at both."""
    shares: dict[str, dict[str, Any]] = {name: {} for name in bench.names}
    for a, b in combinations(range(len(bench.names)), 2):
        shared = panel.errors_together(
            bench.scores[a], bench.scores[b], bench.people, bench.prompts
        )
        first, second = bench.names[a], bench.names[b]
        shares[first][second] = shares[second][first] = est(shared)
    return shares


def tunes(key: str) -> bool:
    """Whether a prompt tunes juries; the others test them. By its key alone, so that it never changes sides."""
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 0


def _tuned(tuned: panel.Panel, members: Sequence[str], way: str) -> dict[str, Any]:
    """The jury as options of a judge, members by their names in the study."""
    return {
        "way": way,
        "is_chance": tuned.is_chance,
        "intercept": tuned.intercept,
        "members": {
            name: {"weight": float(weight), "mean": float(mean), "spread": float(spread)}
            for name, weight, mean, spread in zip(
                members, tuned.weights, tuned.means, tuned.spreads, strict=True
            )
        },
    }


JURY = Question(
    name="jury",
    compute=jury,
    parameters=Parameters,
    facts=lambda study, _: freshness.rows_now(study),
)
QUESTIONS = (JURY,)
