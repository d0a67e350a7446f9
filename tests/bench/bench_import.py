"""Importing against its baselines: `make bench-import`.

Pictures: all that an import does with a 1024 x 1024 PNG (hash, check, strip, thumbnail, store, row)
against Pillow only decoding the same files: in one process, times the number of cores; and in a
process for each core at once, which shows how much the cores get in each other's way. Labels:
all that an import does with the rows of a CSV against a bare `sqlite3` executemany of the same rows.
That is measured twice: of the rows that come of the CSV into the same tables with the same indexes,
and of the rows as they stand in the CSV into one plain table without key, index or check. The second
says what all that a study must be sure of costs: each answer stands in three tables and is found by
six indexes. Exports: all that `export_labels` does with them, in each format, against a bare
`csv.writer` over the same query; how soon the first row is there, and how much memory it takes, each
in a process of its own.

Beside the time on the clock stands the processor time, of the decoders too: on a machine that
others use as well, the clock counts their work too. Hashing alone takes a third of Pillow's time
where the processor has no instructions for SHA-256, so its time is printed as well.

The sizes are smaller than ten thousand pictures and a million rows unless `--full` is given: both
are streams, so time grows in proportion, and the peak memory is printed to show that it does not.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import multiprocessing
import os
import resource
import sqlite3
import struct
import sys
import tempfile
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from PIL import Image as Picture

from tests.bench.sizes import sized

CORES = 2
SIDE = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="10,000 pictures and 1,000,000 rows")
    parser.add_argument("--pictures", type=int, default=sized(200, 4))
    parser.add_argument("--rows", type=int, default=sized(200_000, 300))
    given = parser.parse_args()
    if given.full:
        given.pictures, given.rows = 10_000, 1_000_000
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JURYBOX_VAR"] = folder
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        pictures(Path(folder), given.pictures)
        labels(Path(folder), given.rows)
        exports(Path(folder), given.rows)


def pictures(folder: Path, count: int) -> None:
    from judges.intake import bring_in
    from jurybox_formats.registry import Source

    print(f"Pictures: {count} PNG files of {SIDE} x {SIDE}, {CORES} cores")
    made = _photographs(folder / "photographs", count)
    with (folder / "images.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image_id", "prompt_id", "prompt", "generator", "file"])
        writer.writerows([n, f"p{n}", "a wave", "sea", path.name] for n, path in enumerate(made))
    source = Source(folder / "images.csv", made[0].parent)
    # Half before, half after: a busy machine is busy for both. Some hundreds say how fast it is.
    some = made[:: max(1, count // 200)]
    decoded = [_decode(some, 1), _decode(some, CORES)]
    _use_memory(folder / "used", sum(path.stat().st_size for path in made))
    began, began_cpu, before = time.perf_counter(), _processor_time(), _memory()
    outcome = bring_in.import_study(slug="pictures", format="tidy", source=source)
    ours, ours_cpu = time.perf_counter() - began, _processor_time() - began_cpu
    decoded += [_decode(some, 1), _decode(some, CORES)]
    assert (outcome.images, outcome.rejected) == (count, [])
    alone, alone_cpu = (sum(times) / 2 / len(some) for times in zip(*decoded[::2], strict=True))
    at_once = (decoded[1][0] + decoded[3][0]) / 2 / len(some)
    _line("Pillow, decoding only, one process", 1 / alone, "pictures/s")
    _line(f"Pillow, decoding only, {CORES} processes", 1 / at_once, "pictures/s")
    _line("ours, imported", count / ours, "pictures/s")
    _line("ratio to cores x Pillow in one process", count / ours * alone / CORES, "(goal 0.8)")
    _line(f"ratio to Pillow in {CORES} processes", count / ours * at_once, "")
    _line("Pillow, processor time", 1000 * alone_cpu, "ms a picture")
    _line("ours, processor time", 1000 * ours_cpu / count, "ms a picture")
    _line("ratio of processor time", alone_cpu * count / ours_cpu, "(goal 0.8)")
    _line("of ours, SHA-256", 1000 * _hashing(some), "ms a picture")
    _line("peak memory", _memory(), f"MB ({before:.0f} before)")
    began = time.perf_counter()
    again = bring_in.import_study(slug="pictures", format="tidy", source=source)
    assert again.changes == 0
    _line("imported again, unchanged", count / (time.perf_counter() - began), "pictures/s")


def _decode(files: list[Path], processes: int) -> tuple[float, float]:
    """Seconds on the clock and of the processor; starting the processes is not counted."""
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_decode_one, files[:8]))
        began = time.perf_counter()
        used = sum(pool.map(_decode_one, files, chunksize=2))
        return time.perf_counter() - began, used


def _decode_one(path: Path) -> float:
    began = time.process_time()
    with Picture.open(io.BytesIO(path.read_bytes())) as picture:
        picture.load()
    return time.process_time() - began


def _hashing(files: list[Path]) -> float:
    contents = [path.read_bytes() for path in files[:20]]
    began = time.process_time()
    for content in contents:
        hashlib.sha256(content)
    return (time.process_time() - began) / len(contents)


def _processor_time() -> float:
    """Of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _use_memory(path: Path, size: int) -> None:
    """A virtual machine is lent its memory at the first touch, which takes 3 ms for each picture's
    place in the cache of files. That is no one's work here: what the import writes goes to memory
    that was written before."""
    block = b"\1" * 2**20
    with path.open("wb") as file:
        for _ in range(min(size, 2**32) // len(block) + 1):
            file.write(block)
    path.unlink()


def _photographs(folder: Path, count: int) -> list[Path]:
    """Made in a process of its own: what that needs of memory is none of ours."""
    maker = multiprocessing.get_context("spawn").Process(target=_make, args=(folder, count))
    maker.start()
    maker.join()
    return sorted(folder.glob("*.png"))


def _make(folder: Path, count: int) -> None:
    """Waves with a camera's grain, about 1.8 MB as PNG. Sixteen pictures, each copy with another
    text inside, as generators write their prompt: other bytes, and something to strip."""
    import numpy as np

    folder.mkdir()
    draws = np.random.default_rng(0)
    y, x = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    kinds = []
    for n in range(min(count, 16)):
        waves = [np.sin((x * 7 + n) * (k + 1)) + np.cos(y * 5 * (k + 2) + n) for k in range(3)]
        grain = draws.normal(0, 4, (SIDE, SIDE, 3))
        pixels = (np.stack(waves, -1) * 50 + 128 + grain).clip(0, 255).astype(np.uint8)
        out = io.BytesIO()
        Picture.fromarray(pixels).save(out, "PNG")
        kinds.append(out.getvalue())
    for n in range(count):
        text = b"parameters\0a wave, steps: 20, seed: %d" % n
        chunk = struct.pack(">I", len(text)) + b"tEXt" + text
        chunk += struct.pack(">I", zlib.crc32(chunk[4:]))
        whole = kinds[n % len(kinds)]
        # Before the last chunk, which is twelve bytes long.
        (folder / f"{n:06d}.png").write_bytes(whole[:-12] + chunk + whole[-12:])


def labels(folder: Path, count: int) -> None:
    from annotations.models import Study
    from judges.intake import bring_in
    from jurybox_formats.registry import Source

    images = -(-count // 15)
    print(f"Labels: {count:,} rows, 3 raters and 5 questions about {images:,} images, SQLite")
    with (folder / "many.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image_id", "prompt_id", "prompt", "generator"])
        writer.writerows(
            [f"i{n:07d}", f"p{n % 500}", f"wave {n % 500}", "sea"] for n in range(images)
        )
    bring_in.import_study(slug="labels", format="tidy", source=Source(folder / "many.csv"))
    questions = ("aligned", "quality", "likert", "mood", "taste")
    with (folder / "labels.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["image_id", "rater", "question", "value"])
        for n in range(count):
            image, rest = divmod(n, 15)
            person, question = divmod(rest, 5)
            writer.writerow([f"i{image % images:07d}", f"r{person}", questions[question], 1])
    study = Study.objects.get(slug="labels")
    before = _memory()
    began, began_cpu = time.perf_counter(), time.process_time()
    outcome = bring_in.import_labels(study=study, source=Source(folder / "labels.csv"))
    ours, ours_cpu = time.perf_counter() - began, time.process_time() - began_cpu
    assert (outcome.answers, outcome.rejected) == (count, []), outcome.rejected[:3]
    memory = _memory()
    (same, same_cpu), (plain, plain_cpu) = _bare(folder)
    _line("ours, imported", count / ours, "rows/s")
    _line("bare executemany, same tables and indexes", count / same, "rows/s")
    _line("ratio", same / ours, "(goal 0.25)")
    _line("ratio of processor time", same_cpu / ours_cpu, "(goal 0.25)")
    _line("bare executemany, one plain table", count / plain, "rows/s")
    _line("ratio", plain / ours, "(for the record)")
    _line("ratio of processor time", plain_cpu / ours_cpu, "(for the record)")
    _line("peak memory", memory, f"MB ({before:.0f} before)")
    began = time.perf_counter()
    again = bring_in.import_labels(study=study, source=Source(folder / "labels.csv"))
    assert (again.changes, again.unchanged) == (0, count)
    _line("imported again, unchanged", count / (time.perf_counter() - began), "rows/s")


Took = tuple[float, float]


def _bare(folder: Path) -> tuple[Took, Took]:
    """What a bare executemany takes for the rows that the import has written."""
    written = sqlite3.connect(folder / "bench.sqlite3")
    tables = ("annotations_annotation", "annotations_assignment", "annotations_answer")
    # Tables before the indexes on them.
    schema = written.execute(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name IN (?, ?, ?) "
        "ORDER BY type DESC",
        tables,
    ).fetchall()
    rows = {name: written.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    written.close()
    same = _executemany(folder / "same.sqlite3", [sql for (sql,) in schema], rows)
    del rows
    with (folder / "labels.csv").open(newline="") as file:
        plain_rows = list(csv.reader(file))[1:]
    plain = _executemany(
        folder / "plain.sqlite3",
        ["CREATE TABLE label (image_id TEXT, rater TEXT, question TEXT, value REAL)"],
        {"label": plain_rows},
    )
    return same, plain


def _executemany(path: Path, schema: list[str], rows: dict[str, list]) -> Took:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=OFF")
    for statement in schema:
        connection.execute(statement)
    began, began_cpu = time.perf_counter(), time.process_time()
    for name, values in rows.items():
        marks = ", ".join("?" * len(values[0]))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", values)
    connection.commit()
    took = time.perf_counter() - began, time.process_time() - began_cpu
    connection.close()
    return took


FORMATS = ("csv", "jsonl", "parquet", "label_studio")
# What an export asks, all of it at once.
LABELS = """
    SELECT i.key, a.annotator_id, w.question, w.value, w.text, t."index", f.slug || ' v' || f.version,
        a.seconds, a.submitted_at
    FROM annotations_answer w JOIN annotations_annotation a ON a.id = w.annotation_id
        JOIN annotations_image i ON i.id = a.image_id
        JOIN annotations_formversion f ON f.id = a.form_id
        LEFT JOIN annotations_atom t ON t.id = w.atom_id
    WHERE a.study_id = (SELECT id FROM annotations_study WHERE slug = 'labels')
        AND a.state = 'counted'
    ORDER BY i.key, a.id, w.question, t."index"
"""


def exports(folder: Path, count: int) -> None:
    print(f"Exports: the same {count:,} rows, SQLite")
    bare, *_ = _apart(_bare_export, folder)
    _line("bare csv.writer, the same query", count / bare, "rows/s")
    for format in FORMATS:
        took, first, before, memory = _apart(_export, folder, format)
        _line(f"ours, {format}", count / took, "rows/s")
        _line("ratio", bare / took, "")
        _line("first row after", 1000 * first, "ms")
        _line("peak memory", memory, f"MB ({before:.0f} before; goal 200)")


def _apart(work, *given) -> tuple[float, ...]:
    """In a process of its own: what this one has used of memory is none of it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def _bare_export(folder: Path) -> tuple[float, ...]:
    connection = sqlite3.connect(folder / "bench.sqlite3")
    began = time.perf_counter()
    with (folder / "bare.csv").open("w", newline="") as file:
        csv.writer(file).writerows(connection.execute(LABELS))
    return (time.perf_counter() - began,)


def _export(folder: Path, format: str) -> tuple[float, ...]:
    import django

    django.setup()
    from annotations.exports import files
    from annotations.exports import labels as label_export
    from annotations.exports.label_studio import label_studio
    from annotations.models import Study

    study = Study.objects.get(slug="labels")
    # Libraries are no part of it.
    if format == "parquet":
        import pyarrow.parquet  # noqa: F401
    before, began = _memory(), time.perf_counter()
    next(iter(label_export.label_rows(study)))
    first, began = time.perf_counter() - began, time.perf_counter()
    rows, out = label_export.label_rows(study), folder / f"out.{format}"
    if format == "parquet":
        files.write_parquet(out, rows, label_export.COLUMNS)
    elif format == "label_studio":
        files.write_lines(out, label_studio(study, rows))
    else:
        lines = {"csv": label_export.as_csv, "jsonl": label_export.as_jsonl}[format]
        files.write_lines(out, lines(rows))
    return time.perf_counter() - began, first, before, _memory()


def _memory() -> float:
    """The most that this process has used. What `getrusage` says of a child on Linux includes its
    parent's, up to the moment when it became another program."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(
            int(line.split()[1]) / 2**10
            for line in status.read_text().splitlines()
            if line.startswith("VmHWM")
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def _line(what: str, value: float, unit: str) -> None:
    shown = f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
    print(f"  {what:46s} {shown:>12s} {unit}", flush=True)


if __name__ == "__main__":
    main()
