import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

TESTS = """
from pathlib import Path

def test_fails_by_chance():
    seen = Path("seen")
    if not seen.exists():
        seen.touch()
        raise AssertionError

def test_passes():
    with open("passes", "a") as file:
        file.write("1")
"""
FAILS = "\ndef test_fails():\n    raise AssertionError\n"


def _run(folder: Path, tests: str) -> tuple[int, list[str]]:
    (folder / "test_it.py").write_text(tests)
    listed = folder / "second tries"
    listed.touch()
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "SECOND_TRIES": str(listed),
    }
    command = [sys.executable, "-m", "tests.run", "-q", "test_it.py"]
    code = subprocess.run(command, cwd=folder, env=environment, capture_output=True).returncode
    return code, listed.read_text().splitlines()


def test_what_failed_runs_once_more_and_is_listed_when_it_passes_then(tmp_path):
    assert _run(tmp_path, TESTS) == (0, ["test_it.py::test_fails_by_chance"])
    assert (tmp_path / "passes").read_text() == "1"


def test_what_fails_twice_fails_the_run(tmp_path):
    assert _run(tmp_path, TESTS + FAILS) == (1, ["test_it.py::test_fails_by_chance"])
