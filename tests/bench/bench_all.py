"""Every goal of work on one machine in one table: `make bench-all`, or `ONLY="starts report"` for some.

Each benchmark runs as it does by itself, one after the other; a row is read off the lines that it prints.
“Before” was measured on two quiet cores before work on these goals began; the anchor is what others need
for the same, or the least that the task itself takes. Nothing here fails for being slow: the table says
by how much a goal is missed. A line that is not found is told as such, and that ends with status 1.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.bench.labelling_server import Installation, children_of
from tests.bench.sizes import sized

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    work: str
    line: str  # a pattern; its first group is the figure
    unit: str
    before: str
    goal: float
    anchor: str = ""
    more_is_better: bool = False


def main() -> int:
    wanted = sys.argv[1:] or list(BENCHES)
    began = time.monotonic()
    print(f"{platform.node()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    print("| work | now | before | anchor | goal | |\n|---|---|---|---|---|---|", flush=True)
    complete = True
    for name in wanted:
        run, rows = BENCHES[name]
        printed = run()
        for row in rows:
            found = re.search(row.line, printed, re.MULTILINE)
            figure = float(found[1].replace(",", "")) if found else None
            complete &= figure is not None
            print(describe_row(row, figure), flush=True)
        if not all(re.search(row.line, printed, re.MULTILINE) for row in rows):
            print(printed[-3000:], file=sys.stderr)
    print(f"load {os.getloadavg()[0]:.1f}, {(time.monotonic() - began) / 60:.0f} minutes")
    return 0 if complete else 1


def describe_row(row: Row, figure: float | None) -> str:
    now, verdict = "no such line", "not measured"
    if figure is not None:
        now = f"{figure:,g} {row.unit}"
        times = row.goal / figure if row.more_is_better else figure / row.goal
        verdict = "reached" if times <= 1 else f"missed: {times:.2f} ×"
    goal = f"{'≥' if row.more_is_better else '≤'} {row.goal:,g} {row.unit}"
    cells = (row.work, now, row.before, row.anchor, goal, verdict)
    return f"| {' | '.join(cells)} |"


def run_module(name: str, *arguments: str) -> str:
    return output_of([sys.executable, "-m", f"tests.bench.{name}", *arguments])


def run_browser_test(*words: str) -> str:
    return output_of([sys.executable, "-m", "pytest", "-q", "-s", "-n", "0", "-m", "", *words])


def output_of(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else done.stdout + done.stderr


def measure_starts() -> str:
    """Processor seconds and peak memory of two commands that only say how they are used."""
    commands = {"help": ["manage.py", "help"], "audit": ["-m", "jurybox", "audit", "--help"]}
    lines = []
    for name, words in commands.items():
        cpu, memory = min(cost_of([sys.executable, *words]) for _ in range(sized(3, 1)))
        lines += [f"{name}: {cpu:.2f} s", f"{name}: {memory:.0f} MB"]
    return "\n".join(lines)


def cost_of(command: list[str]) -> tuple[float, float]:
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 2**10


def measure_resting() -> str:
    """Memory of the web server after some answers, and of a worker that has nothing to do."""
    from tests.bench.bench_labelling import crowd

    with Installation("sqlite", images=sized(1000, 40), overlap=3, people=8) as there:
        crowd(there, there.cookies, sized(50, 2))
        assert there.server is not None
        web = own_memory(there.server.pid)
        worker = subprocess.Popen(
            [sys.executable, "manage.py", "worker"],
            cwd=ROOT,
            env=there.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            time.sleep(sized(40, 8))
            resting = own_memory(worker.pid)
        finally:
            worker.terminate()
            worker.wait(timeout=60)
    return f"web: {web:.0f} MB\nworker: {resting:.0f} MB"


def own_memory(pid: int) -> float:
    """MB of this process and all below it; what processes share is shared out among them."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    kilobytes = next(int(line.split()[1]) for line in rollup.splitlines() if line[:4] == "Pss:")
    return kilobytes / 2**10 + sum(own_memory(child) for child in children_of(pid))


def measure_report() -> str:
    """Of 100,000 images and twelve judges."""
    printed = run_module("large_report", str(sized(12_500, 20)))
    try:
        found = json.loads(printed.splitlines()[-1])
    except (ValueError, IndexError):
        return printed
    first, one = found["first"], found["one"]
    return "\n".join(
        (
            f"report: {first['cpu']:.2f} s",
            f"report: {first['peak'] / 2**20:.0f} MB",
            f"one answer: {one['cpu']:.2f} s",
        )
    )


BENCHES: dict[str, tuple[Callable[[], str], tuple[Row, ...]]] = {
    "starts": (
        measure_starts,
        (
            Row("`manage.py help`, processor", r"^help: ([\d.]+) s", "s", "2.0", 0.7),
            Row("`manage.py help`, memory", r"^help: (\d+) MB", "MB", "209", 90),
            Row("`jurybox audit --help`, processor", r"^audit: ([\d.]+) s", "s", "1.3", 0.5),
            Row("`jurybox audit --help`, memory", r"^audit: (\d+) MB", "MB", "209", 90),
        ),
    ),
    "resting": (
        measure_resting,
        (
            Row("web, all processes", r"^web: (\d+)", "MB", "640–668", 300, "Label Studio 331"),
            Row("worker that rests", r"^worker: (\d+)", "MB", "434", 200),
        ),
    ),
    "answers": (
        lambda: run_module("bench_labelling", "--quick"),
        (
            Row(
                "answer to next form, SQLite",
                r"^sqlite, 8 annotators: server CPU per answer +([\d.]+) ms",
                "ms",
                "2.5–2.6",
                2.0,
                "doccano 17, Label Studio 68",
            ),
            Row(
                "the same without JavaScript",
                r"^sqlite, 8 people without JavaScript: CPU of an answer +([\d.]+) ms",
                "ms",
                "6.3",
                4.0,
            ),
            Row(
                "200 people at once, SQLite, p95",
                r"^sqlite, 200 people at once: [\d/s]+ +p95 (\d+) ms",
                "ms",
                "1,044",
                700,
            ),
            Row(
                "answer to next form, PostgreSQL, web",
                r"^postgres, 8 annotators: server CPU per answer +([\d.]+) ms",
                "ms",
                "4.3–6.0 with the database's",
                4.0,
            ),
            Row(
                "200 people at once, PostgreSQL, p95",
                r"^postgres, 200 people at once: [\d/s]+ +p95 (\d+) ms",
                "ms",
                "1,211",
                700,
            ),
        ),
    ),
    "report": (
        measure_report,
        (
            Row("report of 100,000 × 12", r"^report: ([\d.]+) s", "s", "28.6", 4, "1.4 to read"),
            Row("report, peak memory", r"^report: (\d+) MB", "MB", "618", 400),
            Row("one answer more", r"^one answer: ([\d.]+) s", "s", "23", 2.5),
        ),
    ),
    "pages": (
        lambda: run_module("bench_growth", "--postgres", ""),
        tuple(
            Row(f"{page}, the first time", rf"^{page}, cold: ([\d.]+) ms", "ms", before, 100)
            for page, before in (
                ("people", "840"),
                ("disagreements", "570"),
                ("decide", "180"),
                ("export", "130"),
                ("slices", "120"),
                ("leaderboard", "100"),
            )
        ),
    ),
    "label page": (
        lambda: run_browser_test("tests/browser/test_speed.py", "-k", "weighs"),
        (
            Row("label page, sent", r"^first labelling page: ([\d.]+) kB", "kB", "174", 100),
            Row("label page, requests", r"^first labelling page: .* (\d+) requests", "", "20", 12),
        ),
    ),
    "phone": (
        lambda: run_browser_test("tests/browser/test_summary.py"),
        (
            Row(
                "Summary on a slow phone, largest paint",
                r"largest paint on a slow phone: ([\d.]+) s",
                "s",
                "16–49",
                2.5,
            ),
        ),
    ),
    "imports": (
        lambda: run_module("bench_import"),
        (
            Row(
                "pictures imported, of what Pillow decodes",
                r"^ *ratio of processor time +([\d.]+) +\(goal 0.8\)",
                "",
                ".69",
                0.85,
                more_is_better=True,
            ),
            Row(
                "rows of labels, of executemany",
                r"^ *ratio of processor time +([\d.]+) +\(goal 0.25\)",
                "",
                ".39",
                0.6,
                more_is_better=True,
            ),
            Row(
                "rows exported",
                r"^ *ours, csv +([\d,.]+) rows/s",
                "a second",
                "77,000",
                200_000,
                more_is_better=True,
            ),
        ),
    ),
}


if __name__ == "__main__":
    raise SystemExit(main())
