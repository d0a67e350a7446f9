"""One judge's part of a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audit.reports import leaderboard, slices
from audit.reports.curves import curves
from audit.reports.decisions import decisions
from audit.reports.drift import drift
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, Paired
from audit.reports.reference import Reference, Series, series_of
from audit.stats import enough, thresholds
from audit.stats.estimate import Undefined
from audit.stats.resampling.cluster_order import by_content

# The people with the most answers; a longer table would not be read.
PEOPLE = 24


class JudgeReport:
    def __init__(
        self, paired: Paired, judge: JudgeScores, reference: Reference, options: Options
    ) -> None:
        self.people = paired.people
        self.judge = judge
        self.options = options
        self.reference = reference
        verdicts, self.threshold = self._verdicts()
        self.series: Series = series_of(self.people, judge, reference, verdicts)
        self.tables = leaderboard.tables_of(self.people, self.series)

    def facts(self) -> dict[str, Any]:
        date = self.judge.release_date
        return {
            **self.judge.facts,
            "release_date": date.isoformat() if date else None,
            "threshold": self.threshold,
        }

    def body(self, step: Callable[[], None]) -> dict[str, Any]:
        people = self.people
        overall = slices.statistics(self.series, self.options)
        step()

        def of(cut: slices.Slices) -> dict[str, Any]:
            by_name = {}
            for name, where in cut:
                # A slice that holds every image (one variant, one tag) is not computed twice.
                everything = where.all()
                series = self.series.at(where)
                by_name[name] = (
                    dict(overall) if everything else slices.statistics(series, self.options)
                )
                step()
            return by_name

        by_generator = of(slices.by_generator(people))
        return {
            "overall": {
                **overall,
                **decisions(self.people, self.series, self.threshold, self.tables, self.options),
            },
            "by_generator": by_generator,
            "by_tag": of(slices.by_tag(people)),
            "by_atomicity": of(slices.by_atomicity(people)),
            "by_variant": of(slices.by_variant(people)),
            # Two slices of half the images each: their ranks would take as long as everything else.
            "by_unanimity": {
                name: slices.agreement(self.series.at(where), self.options)
                for name, where in slices.by_unanimity(people)
            },
            "by_atom_kind": {
                kind: slices.statistics(slices.atoms(self.judge, kind), self.options)
                for kind in sorted(set(self.judge.atom_kinds))
            },
            "by_person": self._by_person(),
            "drift": drift(people, self.judge, self.series, by_generator, self.options),
            "curves": curves(self.series, self.options),
        }

    def parts(self) -> int:
        """How many steps `body` takes."""
        return 1 + sum(
            sum(1 for _ in cut(self.people))
            for cut in (
                slices.by_generator,
                slices.by_tag,
                slices.by_atomicity,
                slices.by_variant,
            )
        )

    def _by_person(self) -> dict[str, Any]:
        """The judge compared with each person alone: it may agree with some more than with others."""
        people = self.people
        given = (~np.isnan(people.ratings)).sum(axis=1)
        most = sorted(range(len(given)), key=lambda row: (-given[row], people.raters[row]))
        chosen = sorted(row for row in most[:PEOPLE] if given[row] >= enough.IMAGES)
        return {
            people.raters[row]: slices.agreement(
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
                self.people.prompts[both], self.reference.yes[both], judge.scores[both]
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
