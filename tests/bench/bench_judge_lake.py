"""A lake judged by Ray while its processes are killed: every picture once, and the digits of one process.

    python -m tests.bench.bench_judge_lake [PICTURES] [--kills N]

Drawn pictures in WebDataset archives; two local nodes; judges and readers killed at random, and the driver
once, which is started again. It needs Ray: requirements-ray.txt.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from tests.bench.sizes import sized

JUDGE, PER_TAR, PER_PART = "soft-tifa-am-builtin", 1_000, 100
ATOM = {
    "kind": "object",
    "text": "circle",
    "question": "Are there any circles in the image?",
    "expected": "Yes",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("pictures", type=int, nargs="?", default=100_000)
    arguments.add_argument("--kills", type=int, default=6)
    asked = arguments.parse_args()
    pictures = sized(asked.pictures, 60)
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as name:
        folder = Path(name)
        draw(folder / "lake", pictures)
        began = time.perf_counter()
        judge(folder, "here", "--here").wait()
        print(f"one process      {time.perf_counter() - began:8.1f} s", flush=True)
        try:
            from ray.cluster_utils import Cluster
        except ImportError:
            print("Ray is not here: pip install -r requirements-ray.txt")
            return
        node = {"num_cpus": 2, "object_store_memory": 200 * 2**20}
        cluster = Cluster(initialize_head=True, head_node_args=node)
        cluster.add_node(**node)
        try:
            began = time.perf_counter()
            killed = under_fire(folder, cluster.address, asked.kills)
            print(f"two nodes, Ray   {time.perf_counter() - began:8.1f} s, {killed}", flush=True)
        finally:
            cluster.shutdown()
        ours, theirs = rows(folder / "ray"), rows(folder / "here")
        keys = {row[0] for row in ours}
        print(f"{len(ours):,} rows, {len(keys):,} pictures, equal to one process: {ours == theirs}")
        assert len(ours) == len(keys) == pictures
        assert ours == theirs


def draw(folder: Path, pictures: int) -> None:
    from PIL import Image

    folder.mkdir()
    for start in range(0, pictures, PER_TAR):
        with tarfile.open(folder / f"{start // PER_TAR:05}.tar", "w") as archive:
            for number in range(start, min(start + PER_TAR, pictures)):
                out = io.BytesIO()
                colour = (number % 256, number // 256 % 256, 40)
                Image.new("RGB", (64, 64), colour).save(out, "PNG")
                about = {"prompt": f"a red circle, number {number}", "atoms": [ATOM]}
                for ending, content in (
                    ("png", out.getvalue()),
                    ("json", json.dumps(about).encode()),
                ):
                    member = tarfile.TarInfo(f"{number:09}.{ending}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))


def judge(folder: Path, out: str, *more: str) -> subprocess.Popen:
    command = [sys.executable, "manage.py", "judge_lake", str(folder / "lake"), "--judge", JUDGE]
    command += ["--out", str(folder / out), "--per-part", str(PER_PART), *more]
    environment = {**os.environ, "JURYBOX_VAR": str(folder / "var")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)


def under_fire(folder: Path, address: str, kills: int) -> str:
    """Kills spread over the parts: after so many more of them the next one comes."""
    chance = random.Random(7)
    parts = -(-len(rows(folder / "here")) // PER_PART)
    killed = drivers = 0
    driver = judge(folder, "ray", "--ray-address", address)
    while driver.poll() is None:
        time.sleep(0.2)
        there = len(list((folder / "ray").glob("*.parquet")))
        if drivers == 0 and there * 2 >= parts:
            driver.kill()
            driver.wait()
            drivers += 1
            driver = judge(folder, "ray", "--ray-address", address)
            continue
        is_due = killed < kills and there >= parts * (killed + 1) // (kills + 1)
        if is_due and (found := workers()):
            os.kill(chance.choice(found), signal.SIGKILL)
            killed += 1
    assert driver.returncode == 0, driver.returncode
    return f"{killed} judges and readers killed, the driver {drivers} time"


def workers() -> list[int]:
    """Ray's processes that read or judge, below this one."""
    parent, named = {}, []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent[int(entry.name)] = int(
                entry.joinpath("stat").read_text().rsplit(")", 1)[1].split()[1]
            )
            if entry.joinpath("cmdline").read_bytes().startswith(b"ray::Map"):
                named.append(int(entry.name))
        except (OSError, IndexError, ValueError):
            continue
    return sorted(pid for pid in named if os.getpid() in _above(pid, parent))


def _above(pid: int, parent: dict[int, int]) -> list[int]:
    line = []
    while pid := parent.get(pid, 0):
        line.append(pid)
    return line


def rows(folder: Path) -> list[tuple]:
    from pyarrow import parquet

    found = []
    for path in folder.glob("*.parquet"):
        for row in parquet.read_table(path, columns=["image_id", "value", "error"]).to_pylist():
            found.append((row["image_id"], row["value"], row["error"]))
    return sorted(found)


if __name__ == "__main__":
    main()
