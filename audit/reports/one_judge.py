"""One judge's part of a report."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from audit.reports import rankings, slices
from audit.reports.curves import curves
from audit.reports.decisions import alt_test, decisions
from audit.reports.drift import PeopleInDrift, beside_releases, drift, orders
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired, People
from audit.reports.progress import Progress
from audit.reports.reference import Reference, Series, series_of
from jurybox_stats import enough, thresholds
from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.sums.cells import Members

# The people with the most answers; a longer table would not be read.
PEOPLE = 24
# The slices of a judge, each with all statistics.
CUTS = {
    "by_generator": slices.by_generator,
    "by_tag": slices.by_tag,
    "by_atomicity": slices.by_atomicity,
    "by_variant": slices.by_variant,
}


class EveryJudge:
    """What is the same for every judge of a report: people's side of drift, and where the slices are."""

    def __init__(self, people: People) -> None:
        self.people, self.in_drift = people, PeopleInDrift(people)

    @cached_property
    def slices(self) -> list[tuple[str, str, np.ndarray]]:
        """The slices of each cut."""
        return [(cut, *found) for cut, find in CUTS.items() for found in find(self.people)]

    @cached_property
    def parts(self) -> list[tuple[str, str, np.ndarray]]:
        """A slice that holds every image (one variant, one tag) is not computed twice."""
        return [row for row in self.slices if not row[2].all()]

    @cached_property
    def wheres(self) -> list[np.ndarray]:
        everything = np.ones(len(self.people.images), dtype=bool)
        return [everything, *(where for *_, where in self.parts)]

    @cached_property
    def members(self) -> Members:
        return slices.members_of(self.people.prompts, self.wheres)

    @cached_property
    def hold_whole_prompts(self) -> list[bool]:
        prompts = self.people.prompts
        size = int(prompts.max(initial=-1)) + 1
        images = np.bincount(prompts, minlength=size)
        held = (np.bincount(prompts[where], minlength=size) for where in self.wheres)
        return [bool(((here == 0) | (here == images)).all()) for here in held]


class JudgeReport:
    """`everywhere`: the judge on all images, where `paired` leaves some out."""

    # How often `body` says that it got further.
    STEPS = 4

    def __init__(
        self,
        paired: Paired,
        judge: JudgeScores,
        reference: Reference,
        options: Options,
        everywhere: JudgeScores | None = None,
        every: EveryJudge | None = None,
    ) -> None:
        self.people = paired.people
        self.judge, self.everywhere = judge, everywhere or judge
        self.every = every or EveryJudge(paired.people)
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

    def body(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a report says of it; and its ranking of the generators, which stands elsewhere."""
        people, series, options = self.people, self.series, self.options
        average = slices.OwnAverage(series)
        overall, by_cut = self._cuts(average)
        progress.step()
        found = drift(
            self.every.in_drift,
            self.judge,
            series,
            by_cut["by_generator"],
            beside_releases(people, self.judge, series, options),
        )
        if found.get("beyond"):
            found["alt_test"] = self._stands_in(found["steps"][found["likeliest"]]["generators"])
        progress.step()
        tables = rankings.tables_of(people, series)
        decided = decisions(people, self.everywhere, series, self.threshold, tables, options)
        progress.step()
        by_unanimity = dict(slices.by_unanimity(people))
        body = {
            "overall": {**overall, **decided},
            **by_cut,
            # Two slices of half the images each: their ranks would take as long as everything else.
            "by_unanimity": dict(
                zip(
                    by_unanimity,
                    average.of_slices([*by_unanimity.values()], options, slices.UNRANKED),
                    strict=True,
                )
            ),
            "by_atom_kind": self._by_atom_kind(),
            "by_person": self._by_person(),
            "drift": found,
            "follows": orders(people, series, options),
            "curves": curves(series, options),
        }
        ranking = rankings.ranking_of_judge(people, tables, options)
        progress.step()
        return body, ranking

    def _cuts(self, average: slices.OwnAverage) -> tuple[dict[str, Any], dict[str, Any]]:
        """Of all items, and of the slices of each cut, compared with the average."""
        every = self.every
        judge = slices.SlicedJudge(self.series, every.wheres, self.options, every.members)
        stats = judge.statistics(slices.COMPARING)
        by_cut: dict[str, Any] = {
            cut: {name: dict(stats[0]) for of, name, _ in every.slices if of == cut} for cut in CUTS
        }
        for at, (cut, name, where) in enumerate(every.parts, start=1):
            # What generators tell is drift, and tested there.
            if cut == "by_generator":
                by_cut[cut][name] = stats[at]
            elif every.hold_whole_prompts[at]:
                by_cut[cut][name] = judge.with_average(stats, at)
            else:
                by_cut[cut][name] = average.with_distance(stats[at], where)
        return stats[0], by_cut

    def _stands_in(self, generators: list[str]) -> dict[str, Any]:
        """For a person, on the generators since it may have drifted."""
        people = self.people
        codes = [people.generator_names.index(name) for name in generators]
        where = np.isin(people.generators, codes)
        return alt_test(people, self.series, self.threshold, self.options, where)

    def _by_atom_kind(self) -> dict[str, Any]:
        atoms, kinds = slices.atoms(self.judge), self.judge.atom_kinds
        names = sorted(set(kinds))
        if not names:
            return {}
        found = slices.OwnAverage(atoms).of_slices([kinds == kind for kind in names], self.options)
        return dict(zip(names, found, strict=True))

    def _by_person(self) -> dict[str, Any]:
        """The judge compared with each person alone: it may agree with some more than with others."""
        people = self.people
        given = (~np.isnan(people.ratings)).sum(axis=1)
        most = sorted(range(len(given)), key=lambda row: (-given[row], people.raters[row]))
        chosen = sorted(row for row in most[:PEOPLE] if given[row] >= enough.IMAGES)
        if not chosen:
            return {}
        series, where = slices.of_people(self.series, self.reference, people.ratings[chosen])
        found = slices.of_slices(series, where, self.options, slices.UNRANKED)
        return dict(zip(map(people.name_of, chosen), found, strict=True))

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
