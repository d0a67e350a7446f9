"""Paired series -> statistics -> one stored report with its signature.

The structure of `body` is a contract (docs/reports.md, "The report as JSON"): scripts read it by name.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from django.db import transaction

from annotations.errors import Refused
from annotations.models import Study
from annotations.versions import start_reading_labels
from audit import VERSION
from audit.models import Report
from audit.reports import freshness, gallery, human_scores, rankings, slices, states, summary
from audit.reports.bootstrap import INTERVAL, est
from audit.reports.compare_judges import (
    best_of,
    comparison,
    decided_differences,
    human_ceiling,
    ranked_differences,
)
from audit.reports.one_judge import EveryJudge, JudgeReport
from audit.reports.options import RESAMPLES, SEED, Options
from audit.reports.pairing import Database, Paired, Source, questions_of
from audit.reports.people_agreement import of_generator, people_of
from audit.reports.progress import Progress
from audit.reports.reference import Reference, Series, why_no_classes
from audit.reports.slices import by_generator
from jurybox_stats import enough
from jurybox_stats.over_time import drift

__all__ = ["RESAMPLES", "SEED", "Options"]

# Of a report's body. Reports stored without it are of schema 1: percentiles of a bootstrap throughout;
# those of 2 know an alarm, but no states of drift; those of 3 do not say what a judge may decide;
# those of 4 read verdicts, scores and ratings in three ways, and no judge as an instrument; those of 5
# compare slices with people and not with the judge's own average; those of 6 have no balanced accuracy, no
# average precision, no calibration error, and nothing that is for ratings alone; those of 8 have no verdict
# of a judge, which is decided where they are read.
SCHEMA = 9
# The options that a page can be opened with: such a report has a gallery, too.
CHOSEN = {"question", "positive_at", "consensus"}
# How many missing images a report names; it only counts the others.
NAMED = 20


def make_report(
    *,
    study: Study,
    options: Options | None = None,
    user_id: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Compute and store. The same data and options give the same body and no second row."""
    options = options or Options()
    began = time.perf_counter()
    stamp_before = start_reading_labels(study.pk)
    rows_before = freshness.rows(study, SCHEMA)
    changed = options.changed_options()
    newest = Report.objects.filter(study=study, options=changed).first()
    if newest is not None and (newest.stamp, newest.rows) == (stamp_before, rows_before):
        return newest
    computed = Computation(Database(study), options, progress or Progress())
    if newest is not None and computed.is_told_in(newest.body):
        # No number can have changed: the newest report only gets the new stamp.
        newest.stamp, newest.rows = stamp_before, rows_before
        newest.save(update_fields=["stamp", "rows"])
        return newest
    # All that takes time, before the database is locked: people label meanwhile.
    body = computed.body
    report = Report(
        study=study,
        body=body,
        summary=summary.summarize_body(body),
        data=computed.paired.digest,
        options=changed,
        stamp=stamp_before,
        rows=rows_before,
        made_for_id=user_id,
    )
    columns = []
    if changed.keys() <= CHOSEN:
        series = computed.series()
        columns = gallery.packed(study.pk, computed.paired, computed.reference, series)
    report.seconds = time.perf_counter() - began
    with transaction.atomic():
        report.save()
        if columns:
            gallery.keep(report, columns)
    return report


def compute(study: Study, options: Options) -> tuple[dict[str, Any], str]:
    """The body of a report and the hash of its data."""
    computed = Computation(Database(study), options, Progress())
    return computed.body, computed.paired.digest


class Computation:
    """A report being made: the paired data, each judge's part, and the body."""

    def __init__(
        self,
        source: Source,
        options: Options,
        progress: Progress,
    ) -> None:
        self.answered = source.questions()
        self.question = _question(self.answered, source.asked, options)
        self.paired = source.pair(
            self.question, judges=options.judges, decided=options.consensus == "adjudicated"
        )
        for name in options.judges or ():
            if all(judge.facts["name"] != name for judge in self.paired.judges):
                raise Refused(f"“{name}” has no scores in this study.")
        self.options = options = options.with_scale_cut(self.paired.people.scale)
        people = self.paired.people
        if options.consensus == "dawid-skene" and (lacking := why_no_classes(people)):
            raise Refused(lacking)
        self.reference = Reference.from_people(people, options)
        # What statistics without weights may see: nothing where labels were drawn unequally.
        self.weighs = people.chances is not None
        self.seen = human_scores.silent(people) if self.weighs else people
        reference = Reference.from_people(self.seen, options) if self.weighs else self.reference
        every = EveryJudge(self.seen)
        self.judges = {
            judge.name: JudgeReport(
                replace(self.paired, people=self.seen),
                judge,
                reference,
                options,
                everywhere,
                every,
            )
            for judge, everywhere in zip(
                self.paired.judges, self.paired.everything.judges, strict=True
            )
        }
        self.progress = progress
        self.source = source

    @cached_property
    def facts(self) -> dict[str, Any]:
        return _as_stored(self._facts(self.source))

    @cached_property
    def text_answers(self) -> dict[str, Any]:
        return _as_stored(self.source.text_answers())

    def is_told_in(self, body: dict[str, Any]) -> bool:
        """Whether a stored body was made of the same data in the same way: then each number in it is
        the one that would come out again."""
        told = body.get("people", {})
        dates = [row["release_date"] for row in body.get("generators", ())]
        names = [row["name"] for row in body.get("generators", ())]
        people = self.paired.people
        return (
            all(body.get(name) == fact for name, fact in self.facts.items())
            and all(told.get(name) == fact for name, fact in self.text_answers.items())
            and names == list(people.generator_names)
            and dates == [date.isoformat() if date else None for date in people.release_dates]
        )

    @cached_property
    def body(self) -> dict[str, Any]:
        # Read now, beside the labels, and not when all else is computed.
        words = self.text_answers
        others = max(0, len(self.judges) - 1)
        self.progress.expect(len(self.judges) * JudgeReport.STEPS + others + 2)
        told = {name: judge.body(self.progress) for name, judge in self.judges.items()}
        judged = {name: body for name, (body, _) in told.items()}
        of_people = {
            **people_of(self.seen, self.options),
            "ceiling": human_ceiling(self.seen, self.options),
            **words,
        }
        self.progress.step()
        compared = self._comparison(judged)
        made_for = {
            name: judge.judge.facts["made_for"]
            for name, judge in self.judges.items()
            if "made_for" in judge.judge.facts
        }
        states.set_aside_others(judged, made_for, self.question, self.answered)
        states.settle(judged, of_people["ceiling"])
        slices.corrected(judged)
        ranked = {name: ranking for name, (_, ranking) in told.items()}
        ranking = rankings.ranking(ranked, self.options)
        self.progress.step()
        if self.weighs:
            judged, of_people, compared, ranking = map(
                human_scores.refused, (judged, of_people, compared, ranking)
            )
            self._fill_in(judged, of_people)
        return _as_stored(
            {
                **self.facts,
                "people": of_people,
                "generators": self._generators(),
                "judges": judged,
                "comparison": compared,
                "ranking": ranking,
            }
        )

    def _comparison(self, judged: Mapping[str, Any]) -> dict[str, Any]:
        """Of each other judge with the best one."""
        best = best_of({name: body["overall"] for name, body in judged.items()})
        differences = {}
        for name in self.judges:
            if best and name != best:
                mine, theirs = self.judges[name].series, self.judges[best].series
                differences[name] = {
                    **decided_differences(mine, theirs, self.options),
                    **ranked_differences(mine, theirs, self.options),
                }
                self.progress.step()
        return comparison(best, differences)

    def _silent_by_generator(self) -> tuple[int, ...]:
        """How many images the arrays leave out."""
        left_out = self.seen.left_out
        return left_out.by_generator if left_out else (0,) * len(self.seen.generator_names)

    def _facts(self, source: Source) -> dict[str, Any]:
        """What is known before a number is computed."""
        people, options = self.paired.people, self.options
        return {
            "schema": SCHEMA,
            "study": source.slug,
            "simulated": source.simulated or people.simulated,
            "question": self.question,
            "questions": self.answered,
            "scale": people.scale.kind,
            "range": [people.scale.low, people.scale.high],
            "in_points": people.scale.in_points,
            "positive_at": None if people.scale.is_yes_no else options.positive_at,
            "signature": self._signature(options),
            "missing": _missing(self.paired, self.reference),
            **({"drawn": human_scores.facts(people)} if self.weighs else {}),
        }

    def series(self) -> dict[str, Series]:
        """Each judge beside people's answers, image by image, for the lists of disagreements."""
        yes, mean = self.reference.yes, self.reference.mean
        return {
            name: replace(judge.series, yes=yes, mean=mean) for name, judge in self.judges.items()
        }

    def _fill_in(self, judged: dict[str, Any], of_people: dict[str, Any]) -> None:
        """What has a weighted form, and what is no statistic."""
        people, everything = self.paired.people, np.ones(len(self.paired.people.images), dtype=bool)
        of_people["images"] = int(people.has_labels.sum())
        of_people["mean"] = est(human_scores.weighted(people, people.mean, everything))
        for name, body in judged.items():
            judge = self.judges[name].judge
            body["overall"] |= human_scores.levels(people, judge, self.reference, everything)
            for generator, here in by_generator(people):
                body["by_generator"][generator] |= human_scores.levels(
                    people, judge, self.reference, here
                )

    def _signature(self, options: Options) -> dict[str, Any]:
        everybody = self.paired.everything.people
        return {
            "version": VERSION,
            "seed": options.seed,
            "resamples": options.resamples,
            "interval": INTERVAL,
            **({"clusters": clusters} if (clusters := everybody.clusters) else {}),
            "drift": states.RULE,
            "consensus": self.reference.rule,
            "form": sorted(self.paired.people.forms),
            "judges": {name: part.judge.fingerprint for name, part in self.judges.items()},
            "judge_facts": {name: part.facts() for name, part in self.judges.items()},
            "data": self.paired.digest,
        }

    def _generators(self) -> list[dict[str, Any]]:
        people, everything = self.paired.people, self.paired.everything
        said = self.reference.values
        everywhere = people.left_out.spread(said) if people.left_out else said
        rows = []
        for code, name in enumerate(people.generator_names):
            date = people.release_dates[code]
            here, all_here = people.generators == code, everything.people.generators == code
            level = self.reference.level(here)
            seen_here, silent = self.seen.generators == code, self._silent_by_generator()[code]
            of_people = of_generator(self.seen, seen_here, self.options, silent)
            if self.weighs:
                level = human_scores.weighted(people, said, here)
                of_people = human_scores.refused(of_people)
                of_people["human_mean"] = est(human_scores.weighted(people, people.mean, here))
            rows.append(
                {
                    "name": name,
                    "release_date": date.isoformat() if date else None,
                    "images": int(all_here.sum()),
                    "human_score": est(level),
                    "human_score_assisted": human_scores.human_score_assisted(
                        everything.people, everything.judges, everywhere, all_here
                    ),
                    **of_people,
                    "saturated": drift.saturated(enough.required(level))
                    if people.scale.is_yes_no
                    else "open",
                }
            )
        return rows


def _as_stored(told: dict[str, Any]) -> dict[str, Any]:
    """Through JSON, so that printed, stored and shown reports are the same to the last digit."""
    return json.loads(json.dumps(told, allow_nan=False))


def _missing(paired: Paired, reference: Reference) -> dict[str, Any]:
    everything, judges = paired.everything.people, paired.everything.judges
    unlabelled = ~everything.has_labels

    def first(where: np.ndarray) -> list[str]:
        return everything.images[np.flatnonzero(where)[:NAMED]].tolist()

    counts: dict[str, dict[str, int]] = {}
    named: dict[str, dict[str, list[str]]] = {}
    for judge in judges:
        failed = judge.failed
        gaps = {"absent": np.isnan(judge.scores) & ~failed, "failed": failed}
        counts[judge.name] = {kind: int(where.sum()) for kind, where in gaps.items()}
        named[judge.name] = {kind: first(where) for kind, where in gaps.items()}
    return {
        "labels": int(unlabelled.sum()),
        "undecided": int((paired.people.has_labels & np.isnan(reference.yes)).sum()),
        "scores": counts,
        # Answers that a model did not tell and that count 0: the scores are lower bounds.
        "assumed": {judge.name: judge.assumed for judge in judges if judge.assumed},
        "named": {"labels": first(unlabelled), "scores": named},
    }


def question_of(study: Study, options: Options) -> str:
    """The requested question, else the first that was answered."""
    return _question(questions_of(study), study.form.questions, options)


def _question(questions: list[str], of_form: Sequence[Mapping[str, Any]], options: Options) -> str:
    if options.question is not None and options.question not in questions:
        known = ", ".join(questions) or "none yet"
        raise Refused(f"Nobody answered a question “{options.question}”. Answered: {known}.")
    return options.question or (questions or [of_form[0]["name"]])[0]
