"""The demo with 60 % of its labels hidden, and a study of 1,000,000 images by three judges:
`python -m tests.bench.hidden_labels`.

The assisted score of each generator, from the labels that are left, beside the mean of all labels.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.bench.sizes import reached, sized
from tests.bench.whole_report import database_of_its_own

HIDDEN = 0.6


@dataclass(frozen=True, slots=True)
class Hidden:
    everywhere: float  # seeds in which the interval of each generator holds the mean of all labels
    each: float  # intervals that hold it
    narrower: float  # the width of people alone over the assisted one's
    undefined: int


def hidden(paired: Any, seeds: int) -> Hidden:
    from audit.reports import human_scores
    from audit.reports.options import Options
    from audit.reports.reference import Reference

    people = paired.people
    options = Options().with_scale_cut(people.scale)
    full = Reference.from_people(people, options).yes
    held, widths, undefined = [], [], 0
    for seed in range(seeds):
        gone = np.random.default_rng(seed).permutation(people.images.size)
        ratings = people.ratings.copy()
        ratings[:, gone[: round(HIDDEN * gone.size)]] = np.nan
        seen = replace(people, ratings=ratings)
        reference = Reference.from_people(seen, options)
        life = []
        for code in range(len(people.generator_names)):
            here = people.generators == code
            told = human_scores.human_score_assisted(seen, paired.judges, reference.values, here)
            if "undefined" in told:
                undefined += 1
                continue
            life.append(told["low"] <= 100 * np.nanmean(full[here]) <= told["high"])
            alone = told["alone"]
            widths.append((alone["high"] - alone["low"], told["high"] - told["low"]))
        held.append(life)
    alone, with_help = np.array(widths).T
    return Hidden(
        float(np.mean([all(life) for life in held])),
        float(np.mean([one for life in held for one in life])),
        float(alone.mean() / with_help.mean()),
        undefined,
    )


def demo_study(*, prompts: int, generators: int, size: int) -> Any:
    """The demo with its judges' scores, as a report reads it."""
    from django.core.management import call_command

    from audit import demo
    from audit.reports.pairing import pair

    study = demo.build_demo(prompts=prompts, generators=generators, size=size, seed=7)
    for name in demo.JUDGES:
        call_command("run_judge", "demo", name, "--wait", verbosity=0)
    return pair(study=study, question="aligned")


def million() -> tuple[int, float, float]:
    """The images, processor seconds, and the peak of memory in bytes an image."""
    from jurybox_stats import assisted

    random = np.random.default_rng(5)
    prompts = np.repeat(np.arange(sized(125_000, 500)), 8)
    ease = random.normal(size=prompts.size)
    people = np.where(random.random(prompts.size) < 0.01, (ease > 0) * 1.0, np.nan)
    judges = ease + random.normal(size=(3, prompts.size))
    began = time.process_time()
    assisted.mean(people, judges, prompts)
    took = time.process_time() - began
    tracemalloc.start()
    assisted.mean(people, judges, prompts)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return prompts.size, took, peak / prompts.size


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seeds", type=int, default=sized(200, 2))
    seeds = arguments.parse_args().seeds
    with database_of_its_own():
        from audit import demo

        found = hidden(
            demo_study(prompts=demo.PROMPTS, generators=demo.GENERATORS, size=demo.SIZE), seeds
        )
    met = found.everywhere >= 0.93
    print(
        f"the demo with 60 % of its labels hidden, {seeds} seeds: all intervals hold the mean of all "
        f"labels in {found.everywhere:.3f} of seeds (goal 0.93, {'met' if met else 'MISSED'}), "
        f"{found.each:.3f} of all intervals do; people alone are {found.narrower:.2f} times as wide; "
        f"{found.undefined} undefined"
    )
    images, took, memory = million()
    quick = took <= 3
    print(
        f"{images:,} images by 3 judges: {took:.2f} s of one core (goal 3, "
        f"{'met' if quick else 'MISSED'}), at most {memory:.0f} bytes an image"
    )
    return 0 if reached(met and quick) else 1


if __name__ == "__main__":
    sys.exit(main())
