"""The generators as people and as each judge rank them, in a report."""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports.bootstrap import est
from audit.reports.options import Options
from audit.reports.pairing import People
from audit.reports.reference import Series
from jurybox_stats.decisions import rankings
from jurybox_stats.decisions.rankings import Rankings, Tables
from jurybox_stats.estimate import Undefined


def tables_of(people: People, series: Series) -> Tables | Undefined:
    both = ~np.isnan(series.score) & ~np.isnan(series.level)
    if not both.any():
        return Undefined("no image has what this number needs", 0)
    return rankings.tables(
        series.level[both], series.score[both], people.generators[both], people.prompts[both]
    )


def soft_pairwise_accuracy(found: Tables | Undefined, people: People) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return est(found)
    return {**est(rankings.soft_pairwise(found)), **_columns_of(found, people)}


def _columns_of(found: Tables, people: People) -> dict[str, int]:
    """What the generators share: prompts, or families, whose prompts count together."""
    return {"families" if people.clusters else "prompts": found.prompts}


def ranking(judges: dict[str, Any], options: Options) -> dict[str, Any]:
    """Top level of a report: for each judge whether its ranking is another one than people's."""
    return {"resamples": options.resamples, "judges": judges}


def ranking_of_judge(people: People, found: Tables | Undefined, options: Options) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return est(found)
    names = people.generator_names
    made: Rankings = rankings.rankings(
        found,
        resamples=options.resamples,
        seed=options.seed,
        scale=100.0 if people.scale.in_points else 1.0,
    )
    return {
        "n": len(found.generators),
        **_columns_of(found, people),
        "kendall_tau_b": est(made.tau),
        "kendall_tau_b_over_both": est(made.tau_over_both),
        "swapped_pairs": est(made.swapped),
        "swaps": [
            {
                "by_people": names[swap.first],
                "by_judge": names[swap.second],
                "people": est(swap.people),
                "judge": est(swap.judge),
            }
            for swap in made.swaps
        ],
        "by_people": [names[code] for code in made.by_people],
        "by_judge": [names[code] for code in made.by_judge],
        "left_out": [
            name for code, name in enumerate(names) if code not in found.generators.tolist()
        ],
    }
