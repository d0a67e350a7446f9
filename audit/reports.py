"""Paired series -> statistics -> one stored report with its signature.

The structure of `body` is a contract (README, "The report as JSON"): scripts read it by name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Any

import numpy as np
from django.db.models import Count, Max
from django.utils import timezone

from annotations.errors import Refused
from annotations.models import Annotation, Study
from audit import VERSION, alarms
from audit.models import Report
from audit.pairing import JudgeScores, Paired, People, pair, questions_of
from audit.stats import thresholds
from audit.stats.estimate import Result, Undefined
from audit.stats.intervals import Resamples
from judges.models import Score

RESAMPLES = 2000
SEED = 0
POSITIVE_AT = 4.0
# While a run is going, reports may take at most this share of the time.
SHARE_OF_TIME = 0.1


@dataclass(frozen=True, slots=True)
class Options:
    """What a report was asked for. The defaults are what every page shows."""

    question: str | None = None
    judges: tuple[str, ...] | None = None
    seed: int = SEED
    resamples: int = RESAMPLES
    positive_at: float = POSITIVE_AT
    threshold: float | None = None

    def changed(self) -> dict[str, Any]:
        """Only what differs from the defaults, so that {} is the report that everybody sees."""
        usual = Options()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in self.__dataclass_fields__
            if (value := getattr(self, name)) != getattr(usual, name)
        }


def make_report(
    *, study: Study, options: Options | None = None, user_id: int | None = None
) -> Report:
    """Compute and keep. The same data and options give the same body, and no second row."""
    options = options or Options()
    began = time.perf_counter()
    seen = stamp(study)
    body, digest = compute(study, options)
    newest = Report.objects.filter(study=study, options=options.changed()).first()
    if newest is not None and newest.body == body:
        # Nothing that counts has changed; only the stamp needs to follow.
        Report.objects.filter(pk=newest.pk).update(stamp=seen)
        return newest
    return Report.objects.create(
        study=study,
        body=body,
        data=digest,
        options=options.changed(),
        stamp=seen,
        seconds=time.perf_counter() - began,
        made_for_id=user_id,
    )


def refresh_report(*, study: Study) -> Report | None:
    """Bring the report that everybody sees up to date, unless it is, or was a moment ago."""
    if not study.runs.exists():
        return None
    newest = Report.objects.filter(study=study, options={}).first()
    if newest is not None:
        if newest.stamp == stamp(study):
            return newest
        rest = timedelta(seconds=newest.seconds / SHARE_OF_TIME)
        going = study.runs.filter(state="running").exists()
        if going and timezone.now() - newest.created_at < rest:
            return newest
    try:
        return make_report(study=study)
    except Refused:
        return None


def stamp(study: Study) -> str:
    """A cheap sign of the labels and scores a report rests on: it moves when they do."""
    labels = study.annotations.filter(state=Annotation.State.COUNTED).aggregate(
        n=Count("pk"), last=Max("submitted_at")
    )
    scores = Score.objects.filter(run__study=study).aggregate(n=Count("pk"), last=Max("pk"))
    return json.dumps([labels["n"], labels["last"], scores["n"], scores["last"]], default=str)


def compute(study: Study, options: Options) -> tuple[dict[str, Any], str]:
    """The body of a report and the hash of the data it rests on."""
    question = _question(study, options)
    paired = pair(study=study, question=question, judges=options.judges)
    for name in options.judges or ():
        if all(judge.facts["name"] != name for judge in paired.judges):
            raise Refused(f"“{name}” has no scores in this study.")
    people = paired.people
    reference = Reference.of(people, options)
    judges = {
        judge.name: _JudgeReport(paired, judge, reference, options) for judge in paired.judges
    }
    body = {
        "study": study.slug,
        "simulated": study.simulated or people.simulated,
        "question": question,
        "scale": people.scale.kind,
        "signature": {
            "version": VERSION,
            "seed": options.seed,
            "resamples": options.resamples,
            "interval": "95 %, percentiles of a bootstrap that draws whole prompts",
            "consensus": reference.rule,
            "form": sorted(people.forms),
            "judges": {name: report.judge.fingerprint for name, report in judges.items()},
            "judge_facts": {name: report.facts() for name, report in judges.items()},
            "data": paired.digest,
        },
        "people": _people(people, options),
        "generators": [
            {
                "name": name,
                "release_date": date.isoformat() if date else None,
                "images": int((people.generators == code).sum()),
                "human_score": _est(reference.level(people.generators == code)),
            }
            for code, (name, date) in enumerate(
                zip(people.generator_names, people.release_dates, strict=True)
            )
        ],
        "judges": {name: report.body() for name, report in judges.items()},
        "missing": {
            "labels": int((~people.has_labels).sum()),
            "undecided": int((people.has_labels & np.isnan(reference.yes)).sum()),
            "scores": {
                name: {
                    "absent": int((np.isnan(j.scores) & ~j.failed).sum()),
                    "failed": int(j.failed.sum()),
                }
                for name, j in ((judge.name, judge) for judge in paired.judges)
            },
        },
    }
    # Through JSON, so that what is printed, stored and shown is one and the same.
    return json.loads(json.dumps(body, allow_nan=False)), paired.digest


@dataclass(frozen=True, slots=True)
class Reference:
    """What people together say of each image: a yes/no for kappa and AUROC, a mean for ranks."""

    people: People
    options: Options
    yes: np.ndarray
    mean: np.ndarray
    rule: str

    @classmethod
    def of(cls, people: People, options: Options) -> Reference:
        if people.scale.is_yes_no:
            rule = "majority for yes/no (a draw has no reference), mean over people for ranks"
            return cls(people, options, people.majority, people.mean, rule)
        graded = np.where(np.isnan(people.mean), np.nan, (people.mean >= options.positive_at) * 1.0)
        rule = f"mean over people; yes from a mean of {options.positive_at:g}"
        return cls(people, options, graded, people.mean, rule)

    def level(self, where: np.ndarray) -> Result:
        """The human score: points for a yes/no, the mean rating otherwise."""
        value = self.yes if self.people.scale.is_yes_no else self.mean
        where = where & ~np.isnan(value)
        draw = _draw(self.people.prompts[where], self.options)
        return draw.mean(value[where], scale=100.0 if self.people.scale.is_yes_no else 1.0)


@dataclass(frozen=True, slots=True)
class Series:
    """One judge beside the people, item by item: images, or single atoms."""

    yes: np.ndarray
    mean: np.ndarray
    score: np.ndarray
    verdict: np.ndarray
    prompts: np.ndarray
    # Why scores and answers cannot be subtracted; empty when they can.
    no_points: str

    def at(self, where: np.ndarray) -> Series:
        return Series(
            self.yes[where],
            self.mean[where],
            self.score[where],
            self.verdict[where],
            self.prompts[where],
            self.no_points,
        )


def statistics(series: Series, options: Options) -> dict[str, Any]:
    """STATS of the contract: everything that is said of a judge on one slice."""
    both = series.at(~np.isnan(series.score) & ~np.isnan(series.mean))
    decided = both.at(~np.isnan(both.yes))
    draw = _draw(decided.prompts, options)
    ranks = draw if len(decided.yes) == len(both.yes) else _draw(both.prompts, options)
    yes, score, verdict = decided.yes, decided.score, decided.verdict
    people, scores, prompts = both.mean, both.score, both.prompts
    if series.no_points:
        human = ranks.mean(people)
        judge = ranks.mean(scores)
        deviation: Result = Undefined(series.no_points, len(scores))
    else:
        human = draw.mean(yes, scale=100.0)
        judge = draw.mean(score, scale=100.0)
        deviation = draw.difference_of_means(yes, score, scale=100.0)
    no_verdict = Undefined("the judge gives no verdicts and no threshold could be chosen", len(yes))
    ruled = bool(len(verdict)) and not np.isnan(verdict).any()
    return {
        "n": len(both.yes),
        "human_score": _est(human),
        "judge_score": _est(judge),
        "net_deviation": _est(deviation),
        "auroc": _est(draw.auroc(yes, score)),
        "cohen_kappa": _est(draw.cohen_kappa(yes, verdict) if ruled else no_verdict),
        "percent_agreement": _est(draw.percent_agreement(yes, verdict) if ruled else no_verdict),
        "kendall_tau_b": _est(ranks.kendall_tau_b(people, scores)),
        "spearman": _est(ranks.spearman(people, scores)),
        "pearson": _est(ranks.pearson(people, scores)),
        "pairwise_accuracy": _est(ranks.pairwise_accuracy(people, scores)),
        "pairwise_accuracy_calibrated": _est(ranks.pairwise_accuracy_calibrated(people, scores)),
        "pairwise_accuracy_by_prompt": _est(
            ranks.pairwise_accuracy(people, scores, groups=prompts)
        ),
        "pairwise_accuracy_by_prompt_calibrated": _est(
            ranks.pairwise_accuracy_calibrated(people, scores, groups=prompts)
        ),
    }


class _JudgeReport:
    def __init__(
        self, paired: Paired, judge: JudgeScores, reference: Reference, options: Options
    ) -> None:
        self.people = paired.people
        self.judge = judge
        self.options = options
        self.reference = reference
        verdicts, self.threshold = self._verdicts()
        self.series = Series(
            yes=reference.yes,
            mean=reference.mean,
            score=judge.scores,
            verdict=verdicts,
            prompts=self.people.prompts,
            no_points=_no_points(self.people, judge.scores),
        )

    def facts(self) -> dict[str, Any]:
        date = self.judge.release_date
        return {
            **self.judge.facts,
            "release_date": date.isoformat() if date else None,
            "threshold": self.threshold,
        }

    def body(self) -> dict[str, Any]:
        people, judge = self.people, self.judge
        known = np.unique(people.atomicity[~np.isnan(people.atomicity)])
        tags = sorted({tag for tags in people.tags for tag in tags})
        by_generator = self._slices(
            (name, people.generators == code) for code, name in enumerate(people.generator_names)
        )
        return {
            "overall": statistics(self.series, self.options),
            "by_generator": by_generator,
            "by_tag": self._slices(
                (tag, np.array([tag in tags for tags in people.tags], dtype=bool)) for tag in tags
            ),
            "by_atomicity": self._slices((f"{n:g}", people.atomicity == n) for n in known),
            "by_variant": self._slices(
                (variant, people.variants == variant) for variant in sorted(set(people.variants))
            ),
            "by_atom_kind": {
                kind: statistics(self._atoms(judge.atom_kinds == kind), self.options)
                for kind in sorted(set(judge.atom_kinds))
            },
            "drift": self._drift(by_generator),
        }

    def _slices(self, slices: Iterable[tuple[str, np.ndarray]]) -> dict[str, Any]:
        return {name: statistics(self.series.at(where), self.options) for name, where in slices}

    def _atoms(self, where: np.ndarray) -> Series:
        judge = self.judge
        score = judge.atom_scores[where]
        return Series(
            yes=judge.atom_labels[where],
            mean=judge.atom_labels[where],
            score=score,
            verdict=(score >= 0.5) * 1.0,
            prompts=judge.atom_prompts[where],
            no_points=_outside(score),
        )

    def _drift(self, by_generator: dict[str, Any]) -> dict[str, Any]:
        people, judge, both = self.people, self.judge, self._both
        names = np.array(people.generator_names, dtype=object)[people.generators]
        dates = dict(zip(people.generator_names, people.release_dates, strict=True))
        if self.series.no_points:
            slope: Result = Undefined(self.series.no_points, int(both.sum()))
        else:
            slope = _draw(people.prompts[both], self.options).slope_per_year(
                self.reference.yes[both], judge.scores[both], names[both], dates
            )
        dated = [
            (name, stats["net_deviation"])
            for name, stats in by_generator.items()
            if dates[name] is not None
        ]
        alarm = alarms.drift_alarm(slope=_est(slope), deviations=dated)
        found = {
            "slope_points_per_year": _est(slope),
            "alarm": alarm.raised,
            "reason": alarm.reason,
        }
        first = alarms.left_since(dated)
        if alarm.raised and first is not None:
            left = both & np.isin(names, [name for name, _ in dated[first:]])
            found["since"] = dates[dated[first][0]].isoformat()
            found["net_deviation_since"] = _est(
                _draw(people.prompts[left], self.options).difference_of_means(
                    self.reference.yes[left], judge.scores[left], scale=100.0
                )
            )
        return found

    @property
    def _both(self) -> np.ndarray:
        return ~np.isnan(self.judge.scores) & ~np.isnan(self.reference.yes)

    def _verdicts(self) -> tuple[np.ndarray, dict[str, Any] | None]:
        """The judge's yes or no for each image, and from which score on where it says none."""
        judge, given, both = self.judge, self.options.threshold, self._both
        if given is not None:
            verdicts = np.where(np.isnan(judge.scores), np.nan, (judge.scores >= given) * 1.0)
            return verdicts, {"from": [given], "chosen": "given"}
        if judge.has_verdicts:
            return judge.verdicts, None
        verdicts = np.full(len(judge.scores), np.nan)
        chosen = thresholds.cross_validated(
            self.reference.yes[both],
            judge.scores[both],
            groups=self.people.prompts[both],
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


def _question(study: Study, options: Options) -> str:
    questions = questions_of(study)
    if options.question is not None and options.question not in questions:
        known = ", ".join(questions) or "none yet"
        raise Refused(f"Nobody answered a question “{options.question}”. Answered: {known}.")
    return options.question or (questions or [study.form.questions[0]["name"]])[0]


def _people(people: People, options: Options) -> dict[str, Any]:
    """How far people agree with one another, over the images that several of them rated."""
    draw = _draw(people.prompts, options)
    first, second, where = _rater_pairs(people.ratings)
    return {
        "images": int(people.has_labels.sum()),
        "annotations": people.annotations,
        "raters": len(people.raters),
        "unanimous": _est(draw.unanimity(people.ratings)),
        "percent_agreement": _est(
            _draw(people.prompts[where], options).percent_agreement(first, second)
        ),
        "krippendorff_alpha": {
            level: _est(draw.krippendorff_alpha(people.ratings, level))
            for level in ("nominal", "ordinal", "interval")
        },
    }


def _rater_pairs(ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every two answers to the same image, and the image they belong to."""
    first, second, where = [], [], []
    for a, b in combinations(range(len(ratings)), 2):
        both = np.flatnonzero(~np.isnan(ratings[a]) & ~np.isnan(ratings[b]))
        first.append(ratings[a, both])
        second.append(ratings[b, both])
        where.append(both)
    if not where:
        return np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
    return np.concatenate(first), np.concatenate(second), np.concatenate(where)


def _no_points(people: People, scores: np.ndarray) -> str:
    if not people.scale.is_yes_no:
        return "people answered on another scale than the judge's scores"
    return _outside(scores)


def _outside(scores: np.ndarray) -> str:
    given = scores[~np.isnan(scores)]
    if given.size and (given.min() < 0 or given.max() > 1):
        return "the judge's scores do not lie between 0 and 1, so they are not points"
    return ""


def _draw(prompts: np.ndarray, options: Options) -> Resamples | NothingToDraw:
    if not len(prompts):
        return NothingToDraw()
    return Resamples(prompts, resamples=options.resamples, seed=options.seed)


class NothingToDraw:
    """A draw from no images at all: each of its statistics is undefined, and says so."""

    def __getattr__(self, name: str) -> Callable[..., Undefined]:
        return lambda *args, **options: Undefined("no image has what this number needs", 0)


def _est(result: Result) -> dict[str, Any]:
    return result.as_dict()
