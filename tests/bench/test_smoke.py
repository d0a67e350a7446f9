"""Every benchmark at its smallest sizes (`tests/bench/sizes.py`), so that none rots between two releases."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import needs

ROOT = Path(__file__).resolve().parents[2]
# Seconds that end one that hangs. A busy machine has needed half an hour for the longest of them.
PATIENCE = 4 * 3600


@dataclass(frozen=True)
class Smoke:
    module: str
    ends: tuple[str, ...]  # patterns of the lines that it prints when it is done
    arguments: tuple[str, ...] = ()
    needs: tuple[Callable[[], object], ...] = ()
    neural: bool = False


def redis_server() -> None:
    needs.needed(
        "redis", shutil.which("redis-server") is not None, "There is no redis-server here."
    )


BENCH = (
    Smoke("bench_all", (r"^load .* minutes$",), ("starts", "report", "imports")),
    Smoke("bench_contests", ("ten points for the left side are 0.201; found ",)),
    Smoke("bench_dashboards", (r"^export +\d",), ("--postgres", "")),
    Smoke("bench_flows", ("seven atoms, an image",)),
    Smoke("bench_growth", ("A worker counts 480 images again in ",), ("--postgres", "")),
    Smoke("bench_import", ("parquet",)),
    Smoke("bench_judge_lake", ("Ray is not here|equal to one process: True",)),
    Smoke("bench_judges", ("50 of 50 verdicts are those of the rules alone",), ("rules",)),
    Smoke("bench_judges_blip", ("they agree",), neural=True),
    Smoke("bench_judges_objects", ("with every mask drawn.* agree$",), neural=True),
    Smoke("bench_judges_questions", (r"^\d+ of \d+ rows met$",), neural=True),
    Smoke("bench_judges_rules", ("50 of 50 verdicts are those of the rules alone",)),
    Smoke("bench_judges_workers", ("stored looks, 160 images: one process",), neural=True),
    Smoke("bench_labelling", ("at the end; missed: ",), ("--database", "sqlite")),
    Smoke("bench_lake", ("^report .*AUROC of judge-0 ",)),
    Smoke("bench_million", ("600 images: .*given twice 0, .*lost 0",), ("--postgres", "")),
    Smoke("bench_partitions", ("Partitions are PostgreSQL's|by_study .* ms, p95 ",)),
    Smoke("bench_proxy", ("answers with a foreign byte +0 +goal 0 +met",), needs=(needs.nginx,)),
    Smoke("bench_siege", (r"^pages \d+, without one 0, processes that died 0$",)),
    Smoke("bench_stats", (r"^\d+ of \d+ rows met$",)),
    Smoke("card_worlds", (r"^\d+ missed$",)),
    Smoke("cause_worlds", ("^within ",)),
    Smoke("drawn_worlds", ("coverage .* of labels alone$",)),
    Smoke("planted_study", (r"^\d+ sentences, \d+ false: ",)),
    Smoke("edge_coverage", (r"^\d+ missed$",)),
    Smoke("edit_verdict", (r"^\d+ missed$",)),
    Smoke("equal_judges", (r": \d+ missed$",)),
    Smoke("hidden_labels", ("^4,000 images by 3 judges: ",)),
    Smoke("jury_worlds", (r"^ +60  two_halves ",), ("2",)),
    Smoke("large_report", ('"after": ',), ("20",)),
    Smoke("many_looks", ("^every look at labels 30 to ",)),
    Smoke("real_weights", ("rows measured; the others say not yet",), neural=True),
    Smoke("true_verdict", (r"^\d+ missed$",), ("--jobs", "2")),
    Smoke("whole_report", ('"images": 400, "prompts": 50, ',), ("400", "50")),
)
# What a benchmark starts, and what runs elsewhere.
PARTS = {
    "labelling_crowd": "bench_labelling",
    "labelling_study": "bench_labelling",
}
BESIDE = (
    Smoke("tests.chaos", ("^Survived.$",), ("--database", "sqlite"), (redis_server,)),
    Smoke(
        "tests.chaos.between_steps",
        (": as undisturbed$",),
        ("--database", "sqlite", "--kills", "1", "--operation", "erase"),
    ),
    Smoke("tests.hostile.fuzz", ("^options of judges: seed 1, ",), ("1200",)),
)


def test_every_benchmark_that_can_be_started_is_tried_here():
    there = {
        file.stem
        for file in Path(__file__).parent.glob("*.py")
        if '\nif __name__ == "__main__":' in file.read_text(encoding="utf-8")
    }
    assert there == {smoke.module for smoke in BENCH} | PARTS.keys()


def test_every_benchmark_of_the_makefile_is_tried_here():
    tried = {f"tests.bench.{smoke.module}" for smoke in BENCH} | {s.module for s in BESIDE}
    left_out = {f"tests.bench.{name}" for name in PARTS}
    wanted = re.findall(r"-m (tests\.(?:bench|chaos|hostile)\S*)", (ROOT / "Makefile").read_text())
    assert "tests.bench.bench_stats" in wanted
    assert set(wanted) <= tried | left_out


def _case(smoke: Smoke, module: str):
    marks = [pytest.mark.neural] if smoke.neural else []
    return pytest.param(smoke, module, marks=marks, id=smoke.module)


@pytest.mark.nightly("a benchmark at its smallest; what it measures has tests of its own")
@pytest.mark.parametrize(
    ("smoke", "module"),
    [
        *(_case(smoke, f"tests.bench.{smoke.module}") for smoke in BENCH),
        *(_case(smoke, smoke.module) for smoke in BESIDE),
    ],
)
def test_a_benchmark_runs_to_its_end_at_its_smallest_sizes(smoke, module, tmp_path):
    for needed in smoke.needs:
        needed()
    output = tmp_path / "output.txt"
    with output.open("w") as file:
        child = subprocess.Popen(
            [sys.executable, "-m", module, *smoke.arguments],
            cwd=ROOT,
            env=_environment(tmp_path),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = child.wait(PATIENCE)
        finally:
            # And whatever it has left behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
    lines = output.read_text(errors="replace").splitlines()
    last = lines[-15:]
    assert status == 0, "\n".join(last)
    for pattern in smoke.ends:
        assert any(re.search(pattern, line) for line in lines), "\n".join(last)


def _environment(folder: Path) -> dict[str, str]:
    """A database and a folder of its own; nothing of the tests' own settings."""
    left_out = {"FULL", "BENCH_ROWS", "BENCH_PARTS", "DJANGO_SETTINGS_MODULE", "CELERY_BROKER_URL"}
    left_out |= {"METRICS_TOKEN", "PYTEST_ADDOPTS"}
    own = {
        "SMALL": "1",
        "JURYBOX_VAR": str(folder / "var"),
        "DATABASE_URL": f"sqlite:///{folder / 'smoke.sqlite3'}",
        "TMPDIR": str(folder),
        "OMP_NUM_THREADS": "1",  # else they spin, and nothing here measures speed
    }
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {n: v for n, v in kept.items() if not n.startswith("PYTEST_XDIST")} | own
