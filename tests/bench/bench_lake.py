"""The lake at full size: 20,000,000 answers written, checked, read and reported on, without a database.

    python -m tests.bench.bench_lake [IMAGES [RATERS]] [--judges 12] [--labelled 0.1] [--quick]

1,000,000 images of 125,000 prompts and 8 generators, 20 people, 2 judges; each month its file. With
`--labelled` people answer only for a share of the prompts. The rows are made with numpy and go through the
lake's own writer; each step is a process of its own, with its seconds, processor seconds and largest
memory. `select` is what DuckDB alone takes to sum the scores by generator.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.bench.sizes import sized

GENERATORS, MONTHS = 8, 12
PART = 100_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("images", type=int, nargs="?", default=1_000_000)
    arguments.add_argument("raters", type=int, nargs="?", default=20)
    arguments.add_argument("--judges", type=int, default=2)
    arguments.add_argument("--labelled", type=float, default=1.0, help="share of the prompts")
    arguments.add_argument("--quick", action="store_true", help="20,000 images")
    arguments.add_argument("--step", help=argparse.SUPPRESS)
    arguments.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.step:
        _child(asked)
        return
    asked.images = sized(20_000 if asked.quick else asked.images, 400)
    answers = int(_labelled(asked).sum()) * asked.raters
    print(f"{asked.images:,} images, {answers:,} answers, {asked.judges * asked.images:,} scores")
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        for step in STEPS:
            sizes = [str(asked.images), str(asked.raters)]
            sizes += ["--judges", str(asked.judges), "--labelled", str(asked.labelled)]
            command = [sys.executable, "-m", "tests.bench.bench_lake", *sizes]
            command += ["--step", step, "--folder", folder]
            done = subprocess.run(
                command,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
                env={
                    **os.environ,
                    "JURYBOX_VAR": folder,
                    "DJANGO_SETTINGS_MODULE": "tests.settings",
                },
            )
            print(f"{step:<8}{done.stdout.strip()}", flush=True)


def _child(asked: argparse.Namespace) -> None:
    import django

    django.setup()
    # On the disk: tests keep their temporary files in memory.
    tempfile.tempdir = str(asked.folder)
    began, cpu = time.perf_counter(), time.process_time()
    told = STEPS[asked.step](asked)
    print(
        f"{time.perf_counter() - began:8.1f} s {time.process_time() - cpu:8.1f} s of CPU "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:>6,} MiB  {told}"
    )


def _of_prompt(images: int) -> np.ndarray:
    return np.arange(images) // GENERATORS % max(images // GENERATORS, 1)


def _labelled(asked: argparse.Namespace) -> np.ndarray:
    """Whether people answer for an image: for all of a prompt, or for none."""
    every = round(1 / asked.labelled)
    return _of_prompt(asked.images) % every == 0


def write(asked: argparse.Namespace) -> str:
    from audit.series.lake_files import Lake

    images, raters = asked.images, asked.raters
    rng = np.random.default_rng(7)
    lake = Lake(asked.folder / "bench")
    keys = np.array([f"i{n:07}" for n in range(images)], dtype=object)
    prompts = max(images // GENERATORS, 1)
    of_prompt = _of_prompt(images)
    with lake.file("images", "images.parquet") as file:
        for at in range(0, images, PART):
            here = slice(at, at + PART)
            some = range(at, min(at + PART, images))
            names = [f"generator {n % GENERATORS}" for n in some]
            variants = [("original", "rewritten")[n // 4 % 2] for n in some]
            file.add([keys[here], [f"p{n:06}" for n in of_prompt[here]], names, variants])
    with lake.file("prompts", "prompts.parquet") as file:
        rows = range(prompts)
        tags = [[f"tag {n % 6}"] for n in rows]
        file.add(
            [[f"p{n:06}" for n in rows], [f"prompt {n}" for n in rows], tags, [n % 8 for n in rows]]
        )
    with lake.file("generators", "generators.parquet") as file:
        import datetime

        rows = range(GENERATORS)
        dates = [datetime.date(2018 + n, 1, 1) for n in rows]
        file.add([[f"generator {n}" for n in rows], dates, [""] * GENERATORS])
    truth = rng.normal(size=prompts)[of_prompt] + rng.normal(size=images) > -0.3
    labelled = np.flatnonzero(_labelled(asked))
    for month, of_month in enumerate(np.array_split(labelled, MONTHS)):
        with lake.file("answers", f"answers/2026-{month + 1:02}.parquet") as file:
            for at in range(0, len(of_month), PART // raters * 10):
                some = of_month[at : at + PART // raters * 10]
                count = len(some) * raters
                right = np.repeat(truth[some], raters)
                said = np.where(rng.random(count) < 0.9, right, ~right).astype(float)
                file.add(
                    [
                        np.repeat(keys[some], raters),
                        [f"rater {n:02}" for n in range(raters)] * len(some),
                        ["geneval-audit v1"] * count,
                        ["aligned"] * count,
                        [None] * count,
                        said,
                        [None] * count,
                        [None] * count,
                        np.full(count, np.datetime64(f"2026-{month + 1:02}-15T12:00:00", "us")),
                        [None] * count,
                    ]
                )
    for number in range(asked.judges):
        noise = rng.normal(scale=0.2 + 0.2 * (number % 6), size=images)
        score = np.clip(0.3 + 0.4 * truth + noise, 0, 1).round(4)
        with lake.file("scores", f"scores/{number}.parquet") as file:
            file.add([keys, score, [None] * images, [0] * images])
        with lake.file("atom-scores", f"atom-scores/{number}.parquet"):
            pass
    lake.finish(
        {
            "study": {"slug": "bench", "title": "Bench", "simulated": True, "questions": ASKED},
            "simulated_people": [f"rater {n:02}" for n in range(raters)],
            "judges": [
                {
                    "name": f"judge-{number}",
                    "fingerprint": f"bench-{number}",
                    "facts": {"name": f"judge-{number}", "options": {}, "number": number},
                    "release_date": None,
                    "stopped": "",
                }
                for number in range(asked.judges)
            ],
            "drawn_unequally": False,
        }
    )
    size = sum(one["bytes"] for one in lake.files)
    return f"{size // 2**20:,} MiB in {len(lake.files)} files"


ASKED = [{"name": "aligned", "kind": "choice", "choices": [{"value": 1}, {"value": 0}]}]


def check(asked: argparse.Namespace) -> str:
    from audit.series.lake_files import checked_files

    rows = sum(one["rows"] for one in checked_files(asked.folder / "bench")[0]["files"])
    return f"{rows:,} rows, each file's hash"


def select(asked: argparse.Namespace) -> str:
    import duckdb

    lake = asked.folder / "bench"
    rows = duckdb.sql(
        f"SELECT generator, count(*), sum(value) FROM '{lake}/scores/*.parquet' "
        f"JOIN '{lake}/images.parquet' USING (image_id) GROUP BY generator"
    ).fetchall()
    return f"{sum(n for _, n, _ in rows):,} scores of {len(rows)} generators"


def read(asked: argparse.Namespace) -> str:
    from audit.series.lake import LakeStudy

    people = LakeStudy(asked.folder / "bench").pair("aligned").people
    return f"{people.annotations:,} answers"


def report(asked: argparse.Namespace) -> str:
    from audit.reports.make import Computation
    from audit.reports.options import Options
    from audit.reports.progress import Progress
    from audit.series.lake import LakeStudy

    body = Computation(LakeStudy(asked.folder / "bench"), Options(), Progress()).body
    (asked.folder / "report.json").write_text(json.dumps(body))
    auroc = body["judges"]["judge-0"]["overall"]["auroc"]
    return f"AUROC of judge-0 {auroc['value']:.4f} ({auroc['low']:.4f} to {auroc['high']:.4f})"


STEPS = {"write": write, "check": check, "select": select, "read": read, "report": report}


if __name__ == "__main__":
    main()
