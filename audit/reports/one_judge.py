"""One judge's part of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from audit.reports import rankings, slices
from audit.reports.curves import curves
from audit.reports.decisions import alt_test, decisions, decisions_of_means, decisions_of_most
from audit.reports.drift import RELEASES, beside_releases, drift, orders
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, People
from audit.reports.reference import Reference, Series, series_of
from audit.reports.sharing.parts import Step, key_of
from audit.reports.sharing.reused import (
    AVERAGE,
    READ,
    PeopleHashes,
    drop_hashes,
    drop_hashes_of_each,
    reuse,
)
from jurybox_stats import enough, thresholds
from jurybox_stats.decisions.rankings import Tables
from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.resampling.kinds import Kinds

# In the stored decisions: what follows from what most people say, and from what they say on average, and
# not from each answer.
OF_MOST, OF_MEANS = "of_most", "of_means"
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
    a hash of what every number rests on besides the items; `of_people`: the hashes of the reference;
    `everywhere`: the judge on all images, where `paired` leaves some out."""

    def __init__(
        self,
        paired: Paired,
        judge: JudgeScores,
        reference: Reference,
        options: Options,
        earlier: Callable[[str], dict[str, Any]] = lambda cut: {},
        made_with: str = "",
        of_people: PeopleHashes | None = None,
        everywhere: JudgeScores | None = None,
    ) -> None:
        self.earlier, self.made_with = earlier, made_with
        self.of_people = of_people or PeopleHashes(
            reference.yes, reference.mean, paired.people.prompts
        )
        self.people = paired.people
        self.judge, self.everywhere = judge, everywhere or judge
        self.options = options
        self.reference = reference
        verdicts, self.threshold = self._verdicts()
        self.series: Series = series_of(self.people, judge, reference, verdicts, self.everywhere)

    def facts(self) -> dict[str, Any]:
        date = self.judge.release_date
        return {
            **self.judge.facts,
            "release_date": date.isoformat() if date else None,
            "threshold": self.threshold,
        }

    @cached_property
    def overall(self) -> dict[str, Any]:
        compute = partial(slices.statistics, self.series, self.options, self.kinds)
        return reuse(self.earlier("overall"), self.read_of_means, compute)

    @cached_property
    def tables(self) -> Tables | Undefined:
        return rankings.tables_of(self.people, self.series)

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
            Cut("closer", self._last),
        ]

    @staticmethod
    def body(cuts: Mapping[str, Any]) -> dict[str, Any]:
        """Of what each cut tells."""
        over_time, closer = cuts["over_time"], cuts["closer"]
        sliced = {"by_generator": over_time["by_generator"]}
        sliced |= {name: cuts[name] for name in ("by_tag", "by_atomicity", "by_variant")}
        groups = OF_MOST, OF_MEANS
        decided = {key: value for key, value in cuts["decisions"].items() if key not in groups}
        return {
            "overall": {**drop_hashes(cuts["overall"]), **decided},
            **{name: drop_hashes_of_each(by_slice) for name, by_slice in sliced.items()},
            "by_unanimity": drop_hashes_of_each(closer["by_unanimity"]),
            "by_atom_kind": closer["by_atom_kind"],
            "by_person": drop_hashes_of_each(closer["by_person"]),
            "drift": drop_hashes(over_time["drift"]),
            "follows": drop_hashes(over_time["follows"]),
            "curves": drop_hashes(closer["curves"]),
        }

    def _cut(self, name: str, cut: Callable[[People], slices.Slices], step: Step) -> dict[str, Any]:
        """The slices of a cut, each with how far it lies from the judge's own average."""
        by_slice = self._by_slices(cut, self.earlier(name), step)
        return {
            name: self._with_distance(by_slice[name], where) for name, where in cut(self.people)
        }

    def _by_slices(
        self, cut: Callable[[People], slices.Slices], earlier: Mapping[str, Any], step: Step
    ) -> dict[str, Any]:
        by_name = {}
        known = _by_read(earlier)
        for name, where in cut(self.people):
            # A slice that holds every image (one variant, one tag) is not computed twice.
            by_name[name] = dict(self.overall) if where.all() else self._of_slice(where, known)
            step()
        return by_name

    def _of_slice(self, where: np.ndarray, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """Most new answers are about images of other slices: what was computed of the same items is
        the same."""

        def compute() -> dict[str, Any]:
            kinds = self.kinds.kinds_where(where) if self.kinds else None
            return slices.statistics(self.series.series_where(where), self.options, kinds)

        read = key_of(self.read_of_judge, self.of_people.hash_where(where))
        return reuse(known.get(read, {}), read, compute)

    def _agreement(
        self,
        of_people: str,
        find_series: Callable[[], Series],
        known: Mapping[str, dict[str, Any]],
    ) -> dict[str, Any]:
        """`of_people`: a hash of their part of the series."""
        read = key_of("agreement", self.read_of_judge, of_people)

        def compute() -> dict[str, Any]:
            return slices.agreement(find_series(), self.options)

        return reuse(known.get(read, {}), read, compute)

    def _with_distance(self, stats: dict[str, Any], where: np.ndarray) -> dict[str, Any]:
        """Nothing to do where the slice and all items are as they were."""
        if stats.get(AVERAGE) == self.read_of_most:
            return stats
        found = self.own_average.with_distance(slices.without_distance(stats), where)
        return found | {AVERAGE: self.read_of_most}

    @cached_property
    def read_of_judge(self) -> str:
        """A hash of all that the series hold of the judge, and of how they are read."""
        nothing = np.zeros(0)
        return key_of(
            self.made_with, replace(self.series, yes=nothing, mean=nothing, prompts=nothing)
        )

    @cached_property
    def read_of_means(self) -> str:
        """A hash of all that the series hold: an answer that says what everybody says leaves it as it was."""
        return key_of(self.read_of_judge, self.of_people.of_all)

    @cached_property
    def read_of_most(self) -> str:
        """A hash of the scores and of what most people say: of ratings, their mean."""
        if self.series.rated:
            return self.read_of_means
        return key_of(self.read_of_judge, self.of_people.of_most)

    @cached_property
    def own_average(self) -> slices.OwnAverage:
        return slices.OwnAverage(self.series)

    def _over_time(self, step: Step) -> dict[str, Any]:
        # What generators tell is drift, and tested there.
        earlier = self.earlier("over_time")
        by_generator = self._by_slices(slices.by_generator, earlier.get("by_generator", {}), step)
        found = drift(self.people, self.judge, self.series, by_generator, self._releases(earlier))
        if found.get("beyond"):
            found["alt_test"] = self._stands_in(found["steps"][found["likeliest"]]["generators"])
        return {
            "by_generator": by_generator,
            "drift": found,
            "follows": reuse(
                earlier.get("follows", {}),
                self._read_of_generators,
                partial(orders, self.people, self.series, self.options),
            ),
        }

    @cached_property
    def _read_of_generators(self) -> str:
        people = self.people
        of_generators = people.generators, people.generator_names, [*map(str, people.release_dates)]
        return key_of(self.read_of_most, *of_generators, str(self.judge.release_date))

    def _releases(self, earlier: Mapping[str, Any]) -> dict[str, Any]:
        people, read = self.people, self._read_of_generators
        compute = partial(beside_releases, people, self.judge, self.series, self.options)
        known = earlier.get("drift", {})
        return reuse({key: known[key] for key in (*RELEASES, READ) if key in known}, read, compute)

    def _stands_in(self, generators: list[str]) -> dict[str, Any]:
        """For a person, on the generators since it may have drifted."""
        people = self.people
        codes = [people.generator_names.index(name) for name in generators]
        where = np.isin(people.generators, codes)
        return alt_test(people, self.series, self.threshold, self.options, where)

    def _decisions(self) -> dict[str, Any]:
        people, series, threshold = self.people, self.series, self.threshold
        read = key_of(
            self.read_of_most, people.generators, people.generator_names, people.scale, threshold
        )

        def compute() -> dict[str, Any]:
            return decisions_of_most(
                people, self.everywhere, series, threshold, self.tables, self.options
            )

        earlier = self.earlier("decisions")
        of_most = reuse(earlier.get(OF_MOST, {}), read, compute)
        of_means = reuse(
            earlier.get(OF_MEANS, {}),
            # Which of the ratings reach the cut is not seen in their mean.
            key_of(
                self.read_of_means,
                people.hashes_of_ratings if series.rated else people.hash_of_means,
            ),
            partial(decisions_of_means, people, series, self.options),
        )
        return {
            **decisions(people, series, threshold, of_most, of_means, self.options),
            OF_MOST: of_most,
            OF_MEANS: of_means,
        }

    def _last(self, step: Step) -> dict[str, Any]:
        """What the cuts share takes more memory than the judge's scores: twelve judges' would not fit."""
        found = _and(step, self._closer())
        for shared in ("own_average", "tables", "kinds"):
            self.__dict__.pop(shared, None)
        return found

    def _closer(self) -> dict[str, Any]:
        """What needs no ranks of many images."""
        earlier = self.earlier("closer")
        unanimity = _by_read(earlier.get("by_unanimity", {}))
        return {
            # Two slices of half the images each: their ranks would take as long as everything else.
            "by_unanimity": {
                name: self._with_distance(
                    self._agreement(
                        self.of_people.hash_where(where),
                        partial(self.series.series_where, where),
                        unanimity,
                    ),
                    where,
                )
                for name, where in slices.by_unanimity(self.people)
            },
            "by_atom_kind": self._by_atom_kind(),
            "by_person": self._by_person(_by_read(earlier.get("by_person", {}))),
            "curves": reuse(
                earlier.get("curves", {}),
                self.read_of_most,
                partial(curves, self.series, self.options),
            ),
        }

    def _by_atom_kind(self) -> dict[str, Any]:
        atoms, kinds = slices.atoms(self.judge), self.judge.atom_kinds
        average = slices.OwnAverage(atoms) if kinds.size else None
        found = {}
        for kind in sorted(set(kinds)):
            stats = slices.statistics(atoms.series_where(kinds == kind), self.options)
            found[kind] = average.with_distance(stats, kinds == kind) if average else stats
        return found

    def _by_person(self, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """The judge compared with each person alone: it may agree with some more than with others."""
        people = self.people
        given = (~np.isnan(people.ratings)).sum(axis=1)
        most = sorted(range(len(given)), key=lambda row: (-given[row], people.raters[row]))
        chosen = sorted(row for row in most[:PEOPLE] if given[row] >= enough.IMAGES)
        return {
            people.name_of(row): self._agreement(
                people.hashes_of_ratings[row],
                partial(slices.of_person, self.series, self.reference, people.ratings[row]),
                known,
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
        if self.everywhere.has_verdicts:
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


def _by_read(earlier: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Earlier numbers by the hash of what they were computed of, whatever they were called."""
    return {stats[READ]: stats for stats in earlier.values() if READ in stats}
