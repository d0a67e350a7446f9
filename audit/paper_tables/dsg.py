"""DSG: the mean score of each generator, and each judge's correlation with people's ratings.

As the paper counts, an item without answers scores 0: an image without a score, of a generator whose
images a judge has scored for the larger part; and an item of a split of which the generator has most
others. Reports leave both out instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from annotations.models import Image, Prompt
from audit.exhibits import Table
from audit.paper_tables.study import Audited
from audit.paper_tables.table import make_row, make_table, mean
from audit.reports.pairing import JudgeScores
from jurybox_formats.sets.dsg import absent_of_splits
from jurybox_stats import ranking
from jurybox_stats.estimate import Result, Undefined


def tables(audited: Audited) -> Sequence[Table]:
    names = audited.paired.people.images
    scores = {name: _with_absent(audited, judge) for name, judge in audited.judges}
    notes = tuple(
        f"{name}: {int(absent.sum())} images without answers count 0, as in the paper: "
        f"{', '.join(names[absent][:5].tolist())}{', …' if absent.sum() > 5 else ''}"
        for name, (_, absent) in scores.items()
        if absent.any()
    )
    items = list(
        Prompt.objects.filter(study=audited.study).order_by().values_list("key", flat=True)
    )
    lacking = {name: _not_made(audited, name, items) for name, _ in audited.generators}
    by_generator = [
        make_row(
            generator,
            tuple(
                _mean(values[here & ~np.isnan(values)], len(lacking[generator]))
                for values, _ in scores.values()
            ),
        )
        for generator, here in audited.generators
    ]
    notes += tuple(
        f"{generator}: {len(absent)} items without an image count 0, as in the paper: "
        f"{', '.join(absent[:5])}{', …' if len(absent) > 5 else ''}"
        for generator, absent in lacking.items()
        if absent
    )
    people = audited.paired.people.mean
    correlations = [
        make_row(
            name,
            (_correlate(ranking.spearman, people, v), _correlate(ranking.kendall_tau_b, people, v)),
        )
        for name, (v, _) in scores.items()
    ]
    return [
        make_table(
            "DSG: mean score by generator",
            "generator",
            tuple(scores),
            tuple(by_generator),
            3,
            notes,
        ),
        make_table(
            "DSG: correlation with people’s mean rating",
            "judge",
            ("Spearman ρ", "Kendall τ"),
            tuple(correlations),
            3,
            notes,
        ),
    ]


def _mean(values: np.ndarray, absent: int) -> Result:
    nothing = "no image was scored"
    return mean([*values.tolist(), *[0.0] * absent], nothing) if values.size else mean([], nothing)


def _not_made(audited: Audited, generator: str, items: list[str]) -> list[str]:
    made = Image.objects.filter(study=audited.study, generator__name=generator).order_by()
    return absent_of_splits(items, set(made.values_list("prompt__key", flat=True)))


def _with_absent(audited: Audited, judge: JudgeScores) -> tuple[np.ndarray, np.ndarray]:
    """The scores with 0 for absent ones, and which these are. A judgement that failed is no answer of
    the judge and stays without a score."""
    absent = np.zeros(judge.scores.size, dtype=bool)
    for _, here in audited.generators:
        none = here & np.isnan(judge.scores) & ~judge.failed
        if 2 * int(none.sum()) < int(here.sum()):
            absent |= none
    return np.where(absent, 0.0, judge.scores), absent


def _correlate(statistic, people: np.ndarray, scores: np.ndarray) -> Result:
    both = ~np.isnan(people) & ~np.isnan(scores)
    if not both.any():
        return Undefined("no image has both a rating and a score", 0)
    return statistic(people[both], scores[both])
