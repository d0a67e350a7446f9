"""No test looks at a clock: how long something takes is the machine's affair."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import waiting

HERE = Path(__file__).parent
CLOCKS = {"sleep", "monotonic", "perf_counter", "process_time", "thread_time", "monotonic_ns"}
# Benchmarks and mutations measure, and these are run by hand and print what they took.
MAY_LOOK = {
    HERE / "waiting.py",
    HERE / "jurybox" / "trial.py",
    HERE / "jurybox" / "extras_trial.py",
    HERE / "hostile" / "fuzz.py",
}


def looks_at_a_clock(source: str) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr in CLOCKS
        and isinstance(node.value, ast.Name)
        and node.value.id == "time"
        or isinstance(node, ast.ImportFrom)
        and node.module == "time"
    ]


def test_no_test_looks_at_a_clock():
    found = [
        f"{path.relative_to(HERE)}:{line}"
        for path in sorted(HERE.rglob("*.py"))
        if path not in MAY_LOOK
        and not {"bench", "chaos", "mutations"} & set(path.relative_to(HERE).parts)
        for line in looks_at_a_clock(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line", ["time.sleep(1)", "from time import sleep", "x = time.monotonic()"]
)
def test_a_look_at_a_clock_is_found(line):
    assert looks_at_a_clock(f"import time\n{line}\n") == [2]


def test_what_never_holds_is_an_error_that_names_it():
    with pytest.raises(AssertionError, match="the end of time did not happen within 0 s"):
        waiting.wait_until(lambda: False, "the end of time", patience=0)


def test_a_port_is_given_to_one_process_only():
    code = "from tests.waiting import reserve_port; print(reserve_port())"
    mine = waiting.reserve_port()
    # A process that begins to look at the same place.
    code = f"import os; os.getpid = lambda: {os.getpid()}; {code}"
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    assert int(other.stdout) != mine
    assert {mine, int(other.stdout)} <= set(waiting.PORTS)


def test_code_that_never_ends_is_ended():
    with pytest.raises(TimeoutError), waiting.processor_seconds(0.05):
        while True:
            pass
