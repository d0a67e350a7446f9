"""One judge's part of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from audit.reports import rankings, slices
from audit.reports.curves import curves
from audit.reports.decisions import alt_test, decisions
from audit.reports.drift import drift, orders
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, People
from audit.reports.reference import Reference, Series, series_of
from audit.reports.sharing.parts import Step, key_of
from audit.stats import enough, thresholds
from audit.stats.estimate import Undefined
from audit.stats.resampling.cluster_order import by_content
from audit.stats.resampling.kinds import Kinds

# Of the statistics of a slice in a stored part: a hash of all that they were computed of.
READ = "read"
# The people with the most answers; a longer table would not be read.
PEOPLE = 24


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of it: what it is called, how it is computed and how often it says that it got further."""

    name: str
    compute: Callable[[Step], Any]
    steps: int = 1


class JudgeReport:
    """`earlier` gives what an earlier report has computed of a cut, empty where there is none; `made_with` is
    a hash of what every number rests on besides the items."""

    def __init__(
        self,
        paired: Paired,
        judge: JudgeScores,
        reference: Reference,
        options: Options,
        earlier: Callable[[str], dict[str, Any]] = lambda cut: {},
        made_with: str = "",
    ) -> None:
        self.earlier, self.made_with = earlier, made_with
        self.people = paired.people
        self.judge = judge
        self.options = options
        self.reference = reference
        verdicts, self.threshold = self._verdicts()
        self.series: Series = series_of(self.people, judge, reference, verdicts)
        self.tables = rankings.tables_of(self.people, self.series)

    def facts(self) -> dict[str, Any]:
        date = self.judge.release_date
        return {
            **self.judge.facts,
            "release_date": date.isoformat() if date else None,
            "threshold": self.threshold,
        }

    @cached_property
    def overall(self) -> dict[str, Any]:
        return slices.statistics(self.series, self.options, self.kinds)

    @cached_property
    def kinds(self) -> Kinds | None:
        return slices.kinds_of(self.series)

    @cached_property
    def cuts(self) -> list[Cut]:
        """What is computed apart from the rest; the longest first, after what others ask for."""
        sliced = {
            "by_tag": slices.by_tag,
            "by_atomicity": slices.by_atomicity,
            "by_variant": slices.by_variant,
        }
        return [
            Cut("overall", lambda step: _and(step, self.overall)),
            *(
                Cut(name, partial(self._cut, name, cut), sum(1 for _ in cut(self.people)))
                for name, cut in sliced.items()
            ),
            Cut("over_time", self._over_time, len(self.people.generator_names)),
            Cut("decisions", lambda step: _and(step, self._decisions())),
            Cut("closer", lambda step: _and(step, self._closer())),
        ]

    @staticmethod
    def body(cuts: Mapping[str, Any]) -> dict[str, Any]:
        """Of what each cut tells."""
        over_time, closer = cuts["over_time"], cuts["closer"]
        sliced = {"by_generator": over_time["by_generator"]}
        sliced |= {name: cuts[name] for name in ("by_tag", "by_atomicity", "by_variant")}
        for name, by_slice in sliced.items():
            sliced[name] = {
                slice_name: {key: value for key, value in stats.items() if key != READ}
                for slice_name, stats in by_slice.items()
            }
        return {
            "overall": {**cuts["overall"], **cuts["decisions"]},
            **sliced,
            "by_unanimity": closer["by_unanimity"],
            "by_atom_kind": closer["by_atom_kind"],
            "by_person": closer["by_person"],
            "drift": over_time["drift"],
            "follows": over_time["follows"],
            "curves": closer["curves"],
        }

    def _cut(self, name: str, cut: Callable[[People], slices.Slices], step: Step) -> dict[str, Any]:
        """The slices of a cut, each with how far it lies from the judge's own average."""
        by_slice = self._by_slices(cut, self.earlier(name), step)
        return {
            name: self.own_average.with_distance(by_slice[name], where)
            for name, where in cut(self.people)
        }

    def _by_slices(
        self, cut: Callable[[People], slices.Slices], earlier: Mapping[str, Any], step: Step
    ) -> dict[str, Any]:
        by_name = {}
        known = {stats[READ]: stats for stats in earlier.values() if READ in stats}
        for name, where in cut(self.people):
            # A slice that holds every image (one variant, one tag) is not computed twice.
            by_name[name] = dict(self.overall) if where.all() else self._of_slice(where, known)
            step()
        return by_name

    def _of_slice(self, where: np.ndarray, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """Most new answers are about images of other slices: what was computed of the same items is
        the same."""
        series = self.series.series_where(where)
        read = key_of(self.made_with, series)
        if read in known:
            return slices.without_distance(known[read])
        kinds = self.kinds.kinds_where(where) if self.kinds else None
        return slices.statistics(series, self.options, kinds) | {READ: read}

    @cached_property
    def own_average(self) -> slices.OwnAverage:
        return slices.OwnAverage(self.series)

    def _over_time(self, step: Step) -> dict[str, Any]:
        # What generators tell is drift, and tested there.
        earlier = self.earlier("over_time").get("by_generator", {})
        by_generator = self._by_slices(slices.by_generator, earlier, step)
        found = drift(self.people, self.judge, self.series, by_generator, self.options)
        if found.get("beyond"):
            found["alt_test"] = self._stands_in(found["steps"][found["likeliest"]]["generators"])
        return {
            "by_generator": by_generator,
            "drift": found,
            "follows": orders(self.people, self.series, self.options),
        }

    def _stands_in(self, generators: list[str]) -> dict[str, Any]:
        """For a person, on the generators since it may have drifted."""
        people = self.people
        codes = [people.generator_names.index(name) for name in generators]
        where = np.isin(people.generators, codes)
        return alt_test(people, self.series, self.threshold, self.options, where)

    def _decisions(self) -> dict[str, Any]:
        return decisions(self.people, self.series, self.threshold, self.tables, self.options)

    def _closer(self) -> dict[str, Any]:
        """What needs no ranks of many images."""
        return {
            # Two slices of half the images each: their ranks would take as long as everything else.
            "by_unanimity": {
                name: self.own_average.with_distance(
                    slices.agreement(self.series.series_where(where), self.options), where
                )
                for name, where in slices.by_unanimity(self.people)
            },
            "by_atom_kind": self._by_atom_kind(),
            "by_person": self._by_person(),
            "curves": curves(self.series, self.options),
        }

    def _by_atom_kind(self) -> dict[str, Any]:
        atoms, kinds = slices.atoms(self.judge), self.judge.atom_kinds
        average = slices.OwnAverage(atoms) if kinds.size else None
        found = {}
        for kind in sorted(set(kinds)):
            stats = slices.statistics(atoms.series_where(kinds == kind), self.options)
            found[kind] = average.with_distance(stats, kinds == kind) if average else stats
        return found

    def _by_person(self) -> dict[str, Any]:
        """The judge compared with each person alone: it may agree with some more than with others."""
        people = self.people
        given = (~np.isnan(people.ratings)).sum(axis=1)
        most = sorted(range(len(given)), key=lambda row: (-given[row], people.raters[row]))
        chosen = sorted(row for row in most[:PEOPLE] if given[row] >= enough.IMAGES)
        return {
            people.name_of(row): slices.agreement(
                slices.of_person(self.series, self.reference, people.ratings[row]), self.options
            )
            for row in chosen
        }

    def _verdicts(self) -> tuple[np.ndarray, dict[str, Any] | None]:
        """The judge's yes or no for each image; and the threshold, for a judge that gives only scores."""
        judge, given = self.judge, self.options.threshold
        both = ~np.isnan(judge.scores) & ~np.isnan(self.reference.yes)
        if given is not None:
            verdicts = np.where(np.isnan(judge.scores), np.nan, (judge.scores >= given) * 1.0)
            return verdicts, {"from": [given], "chosen": "given"}
        if judge.has_verdicts:
            return judge.verdicts, None
        verdicts = np.full(len(judge.scores), np.nan)
        chosen = thresholds.cross_validated(
            self.reference.yes[both],
            judge.scores[both],
            groups=by_content(
                self.people.prompts_by_content[both], self.reference.yes[both], judge.scores[both]
            ),
            folds=5,
            seed=self.options.seed,
        )
        if isinstance(chosen, Undefined):
            return verdicts, {"from": [], "chosen": f"none: {chosen.reason}"}
        verdicts[both] = chosen.verdicts
        return verdicts, {
            "from": list(chosen.by_fold),
            "chosen": "5-fold cross-validation over prompts",
        }


def _and(step: Step, told: dict[str, Any]) -> dict[str, Any]:
    step()
    return told
