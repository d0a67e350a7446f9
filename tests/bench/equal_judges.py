"""How often a table of judges side by side accuses one of being behind the best where all are equal:
`python -m tests.bench.equal_judges`.

Twelve judges see the same images, each with its own noise, and the table picks its best. Below: how often
one that is worse by so much AUROC is found, where the other eleven are equal.
"""

from __future__ import annotations

import argparse
import os
import sys

import django
import numpy as np

from tests.bench.sizes import reached, sized

JUDGES, IMAGES = 12, 4
WORSE = 2.5
GOAL = 0.05
STATISTICS = "auroc", "percent_agreement"


def accused(
    prompts: int, random: np.random.Generator, *, verdicts: bool, worse: float
) -> list[set[str]]:
    """Who is said to be behind the best, by each statistic; `worse`: by so many deviations more noise
    has the first."""
    # With models behind them, so not before Django is set up.
    from audit.reports.compare_judges import best_of, comparison, decided_differences
    from audit.reports.options import Options
    from audit.reports.reference import Series
    from audit.reports.slices import agreement
    from jurybox_stats.multiplicity import LEVEL

    prompt = np.repeat(np.arange(prompts), IMAGES)
    quality = random.normal(size=prompts)[prompt] + random.normal(size=prompt.size)
    yes = (quality + 0.5 * random.normal(size=prompt.size) > 0) * 1.0
    options, judges = Options(), {}
    for number in range(JUDGES):
        noise = 1.5 + (worse if number == 0 else 0.0)
        score = quality + noise * random.normal(size=prompt.size)
        verdict = (score > 0) * 1.0
        read = verdict if verdicts else score
        judges[f"judge {number}"] = Series(yes, yes, read, verdict, prompt, no_points="")
    best = best_of({name: agreement(series, options) for name, series in judges.items()})
    assert best is not None
    found = comparison(
        best,
        {
            name: decided_differences(series, judges[best], options)
            for name, series in judges.items()
            if name != best
        },
    )
    return [
        {name for name, row in found["judges"].items() if row[by].get("p_holm", 1.0) <= LEVEL}
        for by in STATISTICS
    ]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--tables", type=int, default=sized(200, 2))
    tables = arguments.parse_args().tables
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    missed = 0
    for prompts in sized((60, 300), (60,)):
        for verdicts in (False, True):
            random = np.random.default_rng([prompts, verdicts])
            equal, unequal = (
                [accused(prompts, random, verdicts=verdicts, worse=worse) for _ in range(tables)]
                for worse in (0.0, WORSE)
            )
            for by, name in enumerate(STATISTICS):
                false = np.mean([bool(table[by]) for table in equal])
                found = np.mean(["judge 0" in table[by] for table in unequal])
                # Two standard errors of the count are no miss.
                met = false <= GOAL + 2 * np.sqrt(GOAL * (1 - GOAL) / tables)
                missed += not met
                print(
                    f"{prompts:>4} prompts, {'verdicts' if verdicts else 'scores':<9}{name:<18} accuses "
                    f"somebody {false:.3f} (goal {GOAL}) {'met' if met else 'MISSED'}; "
                    f"finds the worse one {found:.3f}",
                    flush=True,
                )
    print(f"{tables} tables of {JUDGES} judges each: {missed} missed")
    return 0 if reached(not missed) else 1


if __name__ == "__main__":
    sys.exit(main())
