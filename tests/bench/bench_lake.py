"""The lake at full size: 20,000,000 answers written, checked, read and reported on, without a database.

    python -m tests.bench.bench_lake [IMAGES [RATERS]] [--quick]

1,000,000 images of 125,000 prompts and 8 generators, 20 people, 2 judges; each month its file. The rows are
made with numpy and go through the lake's own writer; each step is a process of its own, with its
seconds, processor seconds and largest memory.
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

from tests.bench.sizes import sized

GENERATORS, MONTHS, JUDGES = 8, 12, 2
PART = 100_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("images", type=int, nargs="?", default=1_000_000)
    arguments.add_argument("raters", type=int, nargs="?", default=20)
    arguments.add_argument("--quick", action="store_true", help="20,000 images")
    arguments.add_argument("--step", help=argparse.SUPPRESS)
    arguments.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.step:
        _child(asked)
        return
    images = sized(20_000 if asked.quick else asked.images, 400)
    print(f"{images:,} images, {images * asked.raters:,} answers, {JUDGES * images:,} scores")
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        for step in ("write", "check", "read", "report"):
            command = [
                sys.executable,
                "-m",
                "tests.bench.bench_lake",
                str(images),
                str(asked.raters),
            ]
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
    began, cpu = time.perf_counter(), time.process_time()
    told = STEPS[asked.step](asked.folder, asked.images, asked.raters)
    print(
        f"{time.perf_counter() - began:8.1f} s {time.process_time() - cpu:8.1f} s of CPU "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:>6,} MiB  {told}"
    )


def write(folder: Path, images: int, raters: int) -> str:
    import numpy as np

    from audit.lake.files import Lake

    rng = np.random.default_rng(7)
    lake = Lake(folder / "bench")
    keys = np.array([f"i{n:07}" for n in range(images)], dtype=object)
    prompts = max(images // GENERATORS, 1)
    of_prompt = np.arange(images) // GENERATORS % prompts
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
    share = -(-images // MONTHS)
    for month in range(MONTHS):
        with lake.file("answers", f"answers/2026-{month + 1:02}.parquet") as file:
            for at in range(month * share, min((month + 1) * share, images), PART // raters * 10):
                end = min(at + PART // raters * 10, (month + 1) * share, images)
                count = (end - at) * raters
                right = np.repeat(truth[at:end], raters)
                said = np.where(rng.random(count) < 0.9, right, ~right).astype(float)
                file.add(
                    [
                        np.repeat(keys[at:end], raters),
                        [f"rater {n:02}" for n in range(raters)] * (end - at),
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
    for number in range(JUDGES):
        noise = rng.normal(scale=0.2 + 0.2 * number, size=images)
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
                for number in range(JUDGES)
            ],
            "drawn_unequally": False,
        }
    )
    size = sum(one["bytes"] for one in lake.files)
    return f"{size // 2**20:,} MiB in {len(lake.files)} files"


ASKED = [{"name": "aligned", "kind": "choice", "choices": [{"value": 1}, {"value": 0}]}]


def check(folder: Path, images: int, raters: int) -> str:
    from audit.lake.files import checked_files

    rows = sum(one["rows"] for one in checked_files(folder / "bench")[0]["files"])
    return f"{rows:,} rows, each file's hash"


def read(folder: Path, images: int, raters: int) -> str:
    from audit.lake.read import LakeStudy

    paired = LakeStudy(folder / "bench").pair("aligned")
    assert paired.people.annotations == images * raters
    return f"{paired.people.ratings.size:,} ratings"


def report(folder: Path, images: int, raters: int) -> str:
    from audit.lake.read import LakeStudy
    from audit.reports.make import Computation
    from audit.reports.options import Options
    from audit.reports.progress import Progress

    body = Computation(LakeStudy(folder / "bench"), Options(), Progress()).body
    (folder / "report.json").write_text(json.dumps(body))
    auroc = body["judges"]["judge-0"]["overall"]["auroc"]
    return f"AUROC of judge-0 {auroc['value']:.4f} ({auroc['low']:.4f} to {auroc['high']:.4f})"


STEPS = {"write": write, "check": check, "read": read, "report": report}


if __name__ == "__main__":
    main()
