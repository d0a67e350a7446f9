"""How well judges correlate with people's mean rating, over all images of all generators in one row:
GenAI-Bench's Table 2 and Table 7, and what `t2v_metrics` prints.

Pairwise accuracy has its ties calibrated, again for each skill.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from audit.exhibits import Table
from audit.paper_tables.study import Audited
from audit.paper_tables.table import make_row, make_table, scaled
from audit.statistic_names import STATISTICS
from jurybox_stats import ranking, ties
from jurybox_stats.estimate import Estimate, Result, Undefined

Statistic = Callable[[np.ndarray, np.ndarray], Result]
CALIBRATED = STATISTICS["pairwise_accuracy_calibrated"].heading


def genai_bench(audited: Audited) -> Sequence[Table]:
    columns: dict[str, Statistic] = {
        CALIBRATED: calibrated,
        "Pearson": ranking.pearson,
        "Kendall": ranking.kendall_tau_b,
    }
    tags = audited.paired.people.tags
    skills = sorted({tag for of_image in tags for tag in of_image})
    of_skill = {
        skill: np.array([skill in of_image for of_image in tags], dtype=bool) for skill in skills
    }
    listed = [_table("GenAI-Bench, Table 2: judges and people’s ratings, × 100", audited, columns)]
    if skills:
        rows = [
            make_row(name, tuple(_number(audited, judge, calibrated, of_skill[s]) for s in skills))
            for name, judge in audited.judges
        ]
        heads = tuple(skills)
        listed.append(
            make_table(
                "GenAI-Bench, Table 7: pairwise accuracy, ties calibrated, by skill, × 100",
                "judge",
                heads,
                tuple(rows),
                1,
            )
        )
    return listed


def t2v(audited: Audited) -> Sequence[Table]:
    columns: dict[str, Statistic] = {
        "Pearson": ranking.pearson,
        "Spearman": ranking.spearman,
        "Kendall": ranking.kendall_tau_b,
        CALIBRATED: calibrated,
    }
    return [_table("T2V: judges and people’s ratings, × 100", audited, columns)]


def calibrated(people: np.ndarray, scores: np.ndarray) -> Result:
    best = ties.calibrate(people, scores)
    if isinstance(best, Undefined):
        return best
    return Estimate(best.accuracy, None, None, people.size)


def _table(title: str, audited: Audited, columns: dict[str, Statistic]) -> Table:
    everything = np.ones(len(audited.place), dtype=bool)
    rows = [
        make_row(name, tuple(_number(audited, judge, of, everything) for of in columns.values()))
        for name, judge in audited.judges
    ]
    return make_table(title, "judge", tuple(columns), tuple(rows), 1)


def _number(audited: Audited, judge, statistic: Statistic, where: np.ndarray) -> Result:
    people = audited.paired.people.mean
    both = where & ~np.isnan(people) & ~np.isnan(judge.scores)
    if int(both.sum()) < 2:
        return Undefined("fewer than two images have both", int(both.sum()))
    return scaled(statistic(people[both], judge.scores[both]), 100.0)
