"""As many cases as a night has time for: `python -m tests.hostile.fuzz [cases in all] [seed]`.

Another seed draws other cases; the same one draws the same again.
"""

from __future__ import annotations

import os
import sys
from time import monotonic

import pytest

PROPERTIES = 53
STEADY = ("-p", "no:cacheprovider")


class Counts:
    """Prints how many cases each property met, behind the runner's own words."""

    def __init__(self) -> None:
        self.met = 0

    def pytest_terminal_summary(self, terminalreporter) -> None:
        from tests.hostile.test_fuzz import CASES

        self.met = sum(CASES.values())
        terminalreporter.section("cases")
        for name, count in sorted(CASES.items()):
            terminalreporter.line(f"{count:>9,}  {name}")
        terminalreporter.line(f"{self.met:>9,}  in all, {len(CASES)} properties")


def main(wanted: int = 100_000, seed: int = 1) -> int:
    os.environ["FUZZ_CASES"] = str(-(-wanted // PROPERTIES))
    counts, began = Counts(), monotonic()
    status = pytest.main(
        ["tests/hostile/test_fuzz.py", "-q", *STEADY, f"--hypothesis-seed={seed}"],
        plugins=[counts],
    )
    print(f"seed {seed}, {monotonic() - began:.0f} s")
    if status == 0 and counts.met < wanted:
        print(f"Only {counts.met:,} of {wanted:,} cases were tried.")
        return 1
    return int(status) or drawn_by_themselves(wanted, seed)


def drawn_by_themselves(wanted: int, seed: int) -> int:
    """As many values again, over the options of all judges, and over the forms of all pages; each says itself what
    it met."""
    os.environ |= {"FUZZ_OPTIONS": str(wanted), "FUZZ_FORMS": str(wanted), "FUZZ_SEED": str(seed)}
    status = 0
    for file, test in (("test_judge_options", "whatever"), ("test_forms_fuzz", "drawn")):
        began = monotonic()
        found = pytest.main([f"tests/hostile/{file}.py", "-k", test, "-q", "-s", *STEADY])
        print(f"{file}: seed {seed}, {monotonic() - began:.0f} s")
        status = status or int(found)
    return status


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
