"""How long somebody who labels waits while something large goes on beside them.

One annotator answers, with a breath between, while a command runs in a process of its own; the
longest answer counts. On SQLite also the longest wait for the write lock, which hardly depends on
what else the machine is doing: a second connection takes it again and again, as an answer does.
"""

from __future__ import annotations

import fcntl
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from tests.bench.labelling_crowd import Annotator
from tests.bench.labelling_server import Installation


def commands(folder: Path, images: int) -> Iterator[tuple[str, list[str]]]:
    labels, scores, more = folder / "labels.csv", folder / "scores.csv", folder / "more"
    rows = (
        f"i{n},rater {n % 3},{name},1" for n in range(images) for name in ("aligned", "quality")
    )
    _write(labels, "image_id,rater,question,value", rows)
    _write(scores, "image_id,judge,score", (f"i{n},a judge,1" for n in range(images)))
    more.mkdir()
    _write(more / "generators.csv", "generator,release_date", ["another,2024-01-01"])
    _write(more / "prompts.csv", "prompt_id,prompt", (f"n{n},word {n}" for n in range(images)))
    files = (f"n{n},n{n},word {n},another," for n in range(images))
    _write(more / "images.csv", "image_id,prompt_id,prompt,generator,file", files)
    study = ["import_study", "bench", "--format", "tidy", str(more)]
    yield "an import of scores", ["import_scores", "bench", str(scores)]
    yield "a dry run of labels", ["import_labels", "bench", str(labels), "--dry-run"]
    yield "an import of labels", ["import_labels", "bench", str(labels)]
    yield "a dry run of images", [*study, "--dry-run"]
    yield "an import of images", study
    yield "a backup", ["backup", str(folder / "all.backup")]
    yield "a report", ["report", "bench"]
    yield "an export", ["export_labels", "bench", "--out", str(folder / "out.csv")]


def longest_waits(there: Installation, words: list[str]) -> tuple[list[float], list[float], float]:
    """Milliseconds of each answer and of each wait for the write lock, and the command's seconds."""
    over = threading.Event()
    one = Annotator(there.port, there.cookies[0])
    one.open()
    locks: list[float] = []
    threads = [_until(over, lambda: one.form and one.send(), 0.02)]
    if there.database == "sqlite":
        threads.append(_until(over, _taker(there.folder / "bench.sqlite3", locks), 0.005))
    began = time.perf_counter()
    done = there.manage(*words)
    took = time.perf_counter() - began
    over.set()
    for thread in threads:
        thread.join()
    if done.returncode or one.refused:
        raise SystemExit(f"{words}: {done.stderr[-1000:]} {one.refused[:3]}")
    return one.sends, locks, took


def _taker(file: Path, waits: list[float]) -> Callable[[], object]:
    def take() -> None:
        with (
            Path(f"{file}-line").open("a") as line,
            closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as database,
        ):
            began = time.perf_counter()
            fcntl.flock(line, fcntl.LOCK_EX)
            database.execute("BEGIN IMMEDIATE")
            waits.append(1000 * (time.perf_counter() - began))
            database.execute("ROLLBACK")

    return take


def _until(over: threading.Event, work: Callable[[], object], pause: float) -> threading.Thread:
    def again() -> None:
        while not over.wait(pause):
            work()

    thread = threading.Thread(target=again)
    thread.start()
    return thread


def _write(file: Path, head: str, rows: Iterable[str]) -> None:
    file.write_text("\n".join([head, *rows, ""]))
