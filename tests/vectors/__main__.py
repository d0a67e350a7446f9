"""`python -m tests.vectors FILE.json …`: runs every case of a file of golden vectors through the
code. Which function is meant follows from the file's name. One line for each case that does not agree,
or cannot be run or compared, then one for the file; status 0 if all agree."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from tests.vectors import run


def main(files: list[str]) -> int:
    if not files:
        print("usage: python -m tests.vectors FILE.json …", file=sys.stderr)
        print(f"files: {', '.join(sorted(run.CHECKS))}", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a case may be named by anything
    all_agree = True
    for name in files:
        outcome = run.run(Path(name))
        print(*outcome.lines(), sep="\n", flush=True)
        all_agree &= outcome.agrees
    return 0 if all_agree else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
