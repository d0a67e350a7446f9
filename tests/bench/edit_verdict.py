"""How often a judge of edits is told as what it is: `python -m tests.bench.edit_verdict`.

150 edits by five generators, three people, four judges that are known to see all or a part of it, in worlds drawn
anew. Each is scored through the engines' protocol and read off the app's own report.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable

from tests.bench.sizes import reached, sized
from tests.bench.whole_report import database_of_its_own

GOAL = 0.95
EDITS = 150


def main(show: Callable[[str], None] = print) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worlds", type=int, default=sized(20, 1))
    worlds = arguments.parse_args().worlds
    with database_of_its_own():
        right, held = counted(worlds, sized(EDITS, 50), show)
    from tests.bench.edit_worlds import JUDGES, QUESTIONS

    missed = 0
    for judge, (_, _, follows) in JUDGES.items():
        for question in QUESTIONS:
            share = right[judge, question] / worlds
            missed += share < GOAL or held[judge, question] > 0
            what = "follows people" if question in follows else "does not follow people"
            show(
                f"{judge:<22}{question:<6}{what:<24}{share:>6.2f}  goal ≥ {GOAL}  "
                f"said to hold though not following {held[judge, question]}"
            )
    show(f"{missed} missed")
    return 0 if reached(not missed) else 1


def counted(
    worlds: int, edits: int, show: Callable[[str], None]
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """In how many worlds each judge was told rightly; and how often as holding what it cannot see."""
    from audit.reports.make import make_report
    from audit.reports.options import Options
    from audit.words.drift_state import HOLDS, state_of
    from jurybox_judging import catalogue
    from jurybox_stats.instrument.following import AGAINST, FOLLOWING
    from tests.bench import edit_worlds
    from tests.bench.edit_worlds import JUDGES, QUESTIONS, name_of

    catalogue.JUDGES.update(edit_worlds.entries())
    right: Counter[tuple[str, str]] = Counter()
    held: Counter[tuple[str, str]] = Counter()
    for seed in range(worlds):
        study = edit_worlds.planted(f"world-{seed}", count=edits, seed=seed)
        edit_worlds.score_all(study)
        for question in QUESTIONS:
            body = make_report(study=study, options=Options(question=question)).body
            for judge, (_, _, follows) in JUDGES.items():
                found = body["judges"][name_of(judge, question)]
                wanted = FOLLOWING if question in follows else AGAINST
                right[judge, question] += found["follows"]["state"] in wanted
                against = question not in follows
                held[judge, question] += against and state_of(found) == HOLDS
        show(f"world {seed + 1} of {worlds}: {right.total()} of {8 * (seed + 1)} told rightly")
    return right, held


if __name__ == "__main__":
    sys.exit(main())
