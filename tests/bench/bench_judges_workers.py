"""One worker process against two on the same run, by the clock and by processor time.

    python -m tests.bench.bench_judges_workers [--quick]

Two kinds of work: a transformer with random weights looks at every picture and GenEval's rules decide;
and the rules alone over stored looks, where SQLite's one writer at a time counts most. Each process has
one thread; told beside it: two processes with a thread for each core, as it was before they shared the
cores. Loading is not measured. The clock means something on a machine that does nothing else; by
processor time the ratio is what a free core for each process would give, apart from waiting.
Goal: 1.8 times as many images a second with two processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

from tests.bench import bench_judges_rules as rules
from tests.bench.sizes import reached, sized

GOAL = 1.8
SIDE, WIDTH, LAYERS, PATCH = 256, 192, 6, 16


class SmallTransformer:
    """Finds one thing in every picture, as sure as a transformer with random weights says."""

    identity = "tests:SmallTransformer"
    version = "1"
    classes = rules.CLASSES
    batch = 8
    facts: ClassVar[dict[str, str]] = {"checkpoint": "random weights"}
    _net: Any = None

    def load(self) -> None:
        if self._net is not None:
            return
        from jurybox_judging.engines.shared.torch_setup import prepare

        torch = prepare()
        torch.manual_seed(0)
        layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, batch_first=True)
        self._net = torch.nn.Sequential(
            torch.nn.Linear(3 * PATCH**2, WIDTH),
            torch.nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False),
        ).eval()

    def detect(self, images, classes=()):
        import numpy as np

        from jurybox_judging.engines.shared.torch_setup import prepare

        torch = prepare()
        across = SIDE // PATCH
        pixels = np.stack([np.asarray(image.convert("RGB")) for image in images])
        patches = pixels.reshape(-1, across, PATCH, across, PATCH, 3).swapaxes(2, 3)
        with torch.inference_mode():
            values = torch.from_numpy(patches.reshape(len(images), across**2, -1) / np.float32(255))
            sure = self._net(values).mean((1, 2)).sigmoid().tolist()
        return [
            [{"class": rules.CLASSES[0], "score": one, "box": [0.0, 0.0, 9.0, 9.0]}] for one in sure
        ]


ENGINES = {"pictures": SmallTransformer, "stored looks": rules.StoredDetector}


def main(quick: bool) -> bool:
    """In a database and a folder of its own, which go with it."""
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        os.environ["JURYBOX_VAR"] = folder
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "audit.settings"
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        count = sized(96 if quick else 1_024, 8)
        _register("stored looks")
        studies = {
            "pictures": _pictures(Path(folder), count),
            "stored looks": rules.stored(20 * count),
        }
        return all([_told(work, study) for work, study in studies.items()])


def _pictures(folder: Path, count: int) -> Any:
    import numpy as np
    from PIL import Image

    from annotations.models import Study
    from judges.intake import bring_in
    from jurybox_formats.registry import Source

    random = np.random.default_rng(0)
    asked = {"tag": "single_object", "include": [{"class": rules.CLASSES[0], "count": 1}]}
    rows = []
    for number in range(count):
        noise = random.integers(0, 256, (16, 16, 3), dtype=np.uint8)
        large = Image.fromarray(noise).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        large.save(folder / f"{number}.png")
        row = {"image_id": f"i{number}", "prompt_id": f"p{number}", "prompt": "a photo of a thing"}
        rows.append({**row, "generator": "one", "file": f"{number}.png", "metadata": asked})
    table = folder / "images.jsonl"
    table.write_text("\n".join(map(json.dumps, rows)))
    bring_in.import_study(slug="pictures", format="tidy", source=Source(table))
    return Study.objects.get(slug="pictures")


def _told(work: str, study: Any) -> bool:
    cores = len(os.sched_getaffinity(0))
    one, two = _measured(work, study, 1, 1), _measured(work, study, 2, 1)
    clock, spent = one["wall"] / two["wall"], 2 * one["cpu"] / two["cpu"]
    met = clock >= GOAL
    print(
        f"{work}, {study.images.count():,} images: one process {one['wall']:.2f} s "
        f"(CPU {one['cpu']:.2f}), two {two['wall']:.2f} s (CPU {two['cpu']:.2f} in all); {clock:.2f} × by "
        f"the clock, {spent:.2f} × by processor time; goal {GOAL} ×: {'met' if met else 'MISSED'}"
    )
    print(
        f"  in line for the write lock: one {one['waited']:.2f} s, two {two['waited']:.2f} s of "
        f"{2 * two['wall']:.2f} ({two['turns']:.0f} turns, "
        f"{1e3 * two['waited'] / max(1, two['turns']):.1f} ms each)"
    )
    if work == "pictures" and cores > 1:
        many = _measured(work, study, 2, cores)
        print(
            f"  two processes with {cores} threads each, as it was: {many['wall']:.2f} s "
            f"(CPU {many['cpu']:.2f})"
        )
    return reached(met)


def _measured(work: str, study: Any, processes: int, threads: int) -> dict[str, float]:
    """Seconds from the start to the last one's end; all other sums over the processes."""
    from judges.models import Look, Run
    from judges.runs import lifecycle

    _register(work)
    Run.objects.all().delete()
    if work == "pictures":
        Look.objects.filter(image__study=study).delete()
    run = lifecycle.start_run(study=study, name="bench", options={"threshold": rules.THRESHOLD})
    command = [sys.executable, "-m", "tests.bench.bench_judges_workers", "--work", work]
    workers = [
        subprocess.Popen(
            [*command, "--run", str(run.pk)],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    began = time.perf_counter()
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    told = [json.loads(worker.communicate()[0]) for worker in workers]
    wall = max(one["ended"] for one in told) - began
    run.refresh_from_db()
    assert (run.state, run.failed, run.scored) == ("finished", 0, study.images.count()), run.reason
    return {"wall": wall} | {key: sum(one[key] for one in told) for key in told[0]}


def _register(work: str) -> None:
    from jurybox_judging import catalogue
    from jurybox_judging.recipes.entry import Entry

    engine = ENGINES[work]
    catalogue.JUDGES["bench"] = Entry(
        "GenEval",
        "jurybox_judging.methods.geneval:GenEval",
        {"objects": (f"tests.bench.{_module(engine)}:{engine.__name__}", {})},
        {"self_test": False},
    )


def _module(engine: type) -> str:
    return "bench_judges_rules" if engine is rules.StoredDetector else "bench_judges_workers"


def work_off(work: str, run_pk: int) -> None:
    """In a process of its own: says when it is ready, waits for a line, then works to the end."""
    import django

    django.setup()
    from audit.installation.sqlite.base import DatabaseWrapper
    from judges.models import Run
    from judges.runs import score_chunk
    from jurybox_judging import registry

    _register(work)
    run = Run.objects.get(pk=run_pk)
    for engine in registry.build("bench", {"threshold": rules.THRESHOLD}).parts.values():
        engine.load()
    waits: list[float] = []
    wait_in_line = DatabaseWrapper._wait_in_line

    def timed(self: Any) -> None:
        began = time.perf_counter()
        wait_in_line(self)
        waits.append(time.perf_counter() - began)

    DatabaseWrapper._wait_in_line = timed
    print("ready", flush=True)
    sys.stdin.readline()
    cpu = time.process_time()
    score_chunk.work_off(run=run)
    spent = time.process_time() - cpu
    # The clock of all processes of a machine.
    print(
        json.dumps(
            {"ended": time.perf_counter(), "cpu": spent, "waited": sum(waits), "turns": len(waits)}
        )
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pictures")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--run", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        work_off(asked.work, asked.run)
    else:
        sys.exit(0 if main(asked.quick) else 1)
