"""Runs pytest: `python -m tests.run ARGUMENTS`. Where SECOND_TRIES names a file, tests that failed
run once more, and that file lists those that passed then: each is a defect to mend.

A second run of pytest and not a plug-in that repeats inside the first one: that one asked its
controller over a socket before each test, which cost 40 ms a test.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# So many do not fail by chance.
MOST_SECOND_TRIES = 30
TESTS_FAILED = 1


def run_pytest(arguments: list[str], environment: dict[str, str] | None = None) -> int:
    listed_in = os.environ.get("SECOND_TRIES")
    command = [sys.executable, "-m", "pytest", *arguments]
    if not listed_in:
        return subprocess.run(command, env=environment, check=False).returncode
    with TemporaryDirectory() as cache:
        command += ["-o", f"cache_dir={cache}"]
        code = subprocess.run(command, env=environment, check=False).returncode
        failed = _failed_tests(cache)
        if code != TESTS_FAILED or not failed or len(failed) > MOST_SECOND_TRIES:
            return code
        command += ["--last-failed", "--last-failed-no-failures", "none"]
        code = subprocess.run(command, env=environment, check=False).returncode
        passed = sorted(failed - _failed_tests(cache)) if code in (0, TESTS_FAILED) else []
    with open(listed_in, "a", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in passed)
    return code


def _failed_tests(cache: str) -> set[str]:
    path = Path(cache) / "v" / "cache" / "lastfailed"
    return set(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else set()


if __name__ == "__main__":
    raise SystemExit(run_pytest(sys.argv[1:]))
