"""The wheel with each extra alone, in an environment that has nothing else:
`python -m tests.jurybox.extras_trial [EXTRA …]` (a part of `make wheel-trial`). Asks the package index.

Prints the table of docs/install.md. `EXTRAS_FOLDER` keeps environments and logs there.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from hatch_build import extras
from tests.jurybox import wheels
from tests.jurybox.wheels import ROOT

UV = Path(sys.executable).with_name("uv")
PATIENCE = float(os.environ.get("EXTRAS_PATIENCE", "900"))
SMALL_DEMO = ("--prompts=2", "--generators=2", "--size=128", "--signs=0", "--edits=0")
HEADER = ("extra", "MB", "processor seconds to import", "what was tried", "ok")
DJANGO = "import django; django.setup()"
NONE = "none"
GREETING = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
    '"capabilities": {}, "clientInfo": {"name": "trial", "version": "1"}}}\n'
)


@dataclass(frozen=True)
class Trial:
    """`imports`: what is timed. `code`: what the extra is for, once; it fails by an error."""

    imports: str
    tried: str
    code: str = ""


TRIALS = {
    "": Trial(DJANGO, "nothing more"),
    "parquet": Trial(
        "import pyarrow.parquet",
        "labels as Parquet and back",
        DJANGO + "; from django.core.management import call_command; import pyarrow.parquet as p; "
        "call_command('export_labels', 'demo', '--format', 'parquet', '--out', 'labels.parquet'); "
        "assert p.read_table('labels.parquet').num_rows > 0",
    ),
    "s3": Trial(
        "from storages.backends import s3",
        "a bucket’s storage built",
        DJANGO + "; from storages.backends.s3 import S3Storage; S3Storage(bucket_name='pictures')",
    ),
    "cjk": Trial(
        "import noto_cjk_sans_otc",
        "a PDF with its font",
        DJANGO + "; from audit.charts.on_paper import draw_file; "
        "spec = {'title': '图形', 'data': {'values': [{'a': 1}]}, 'mark': 'bar', "
        "'encoding': {'x': {'field': 'a', 'type': 'quantitative'}}}; "
        "assert b'NotoSansCJK' in draw_file(spec, ['图形'], 'pdf', 84)",
    ),
    "ocr": Trial(
        "import rapidocr, onnxruntime",
        "a word read from a picture",
        "from PIL import Image, ImageDraw; import numpy; from rapidocr import RapidOCR; "
        "picture = Image.new('RGB', (240, 80), 'white'); "
        "ImageDraw.Draw(picture).text((20, 15), 'CAFE', fill='black', font_size=48); "
        "assert RapidOCR()(numpy.asarray(picture)).txts == ('CAFE',)",
    ),
    "mcp": Trial("import mcp", "a greeting of an agent answered"),
    "judges": Trial(
        # mmdet comes without compiled operators, and the engine knows what to do about it.
        DJANGO
        + "; import transformers, open_clip, timm; from jurybox_judging.engines import mmdetection; "
        "mmdetection.library()",
        "a Mask2Former built",
        DJANGO + "; from jurybox_judging.engines import mmdetection; "
        "mmdetection.build(mmdetection.config_file(mmdetection.CONFIGS[0]))",
    ),
    "generate": Trial(
        "import diffusers, peft",
        "a pipeline’s class loaded",
        "from diffusers import StableDiffusionPipeline; from peft import LoraConfig; LoraConfig(r=4)",
    ),
    "ray": Trial(
        "import ray.data",
        "a task done by Ray",
        "import ray; ray.init(num_cpus=1, include_dashboard=False); "
        "assert ray.get(ray.remote(lambda: 7).remote()) == 7; ray.shutdown()",
    ),
}


def main(wanted: list[str]) -> int:
    known = extras(ROOT)
    assert known.keys() == TRIALS.keys() - {""}, "an extra without a trial"
    names = wanted or list(TRIALS)
    kept = os.environ.get("EXTRAS_FOLDER")
    with nullcontext(kept) if kept else tempfile.TemporaryDirectory(prefix="jurybox-extras-") as to:
        folder = Path(str(to))
        folder.mkdir(exist_ok=True)
        wheel = next(folder.glob("*.whl"), None) or wheels.build(ROOT, folder)
        rows = []
        for name in names:
            rows.append(try_extra(name, wheel, folder))
            print(in_markdown(rows[-1:], header=len(rows) == 1), end="", flush=True)
    return int(any(row[-1] != "yes" for row in rows))


def try_extra(name: str, wheel: Path, folder: Path) -> tuple[str, ...]:
    environment = Environment(name, wheel, folder)
    steps: dict[str, Callable[[], None]] = {
        "`--help`": lambda: environment.must("-m", "jurybox", "--help"),
        "demo’s first page": environment.open_demo,
        "`doctor`": lambda: environment.must("-m", "jurybox", "doctor"),
    }
    trial = TRIALS[name]
    if name == "mcp":
        steps[trial.tried] = environment.greet
    elif trial.code:
        steps[trial.tried] = lambda: environment.must("-c", trial.code)
    failed = []
    for what, step in steps.items():
        try:
            step()
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            print(f"{name or 'alone'}, {what}: {error}", file=sys.stderr, flush=True)
            failed.append(what)
    seconds = environment.seconds(trial.imports)
    if seconds == NONE:
        failed.append("import")
    ok = "yes" if not failed else f"no: {', '.join(failed)}"
    label = f"`[{name}]`" if name else "none"
    return label, f"{environment.megabytes():,.0f}", seconds, ", ".join(steps), ok


class Environment:
    def __init__(self, name: str, wheel: Path, folder: Path) -> None:
        self.folder, self.home = folder / (name or "alone"), folder / f"home-{name or 'alone'}"
        drawn = folder / "home-alone"
        if name and drawn.exists() and not self.home.exists():
            # The study of the demo is drawn once: no extra has a part in that.
            shutil.copytree(drawn, self.home)
        self.home.mkdir(exist_ok=True)
        self.python = self.folder / "bin" / "python"
        if not self.python.exists():
            command = [UV, "venv", "--quiet", "--python", sys.executable, self.folder]
            subprocess.run(command, check=True)
        asked = f"jurybox[{name}] @ {wheel.as_uri()}" if name else str(wheel)
        # From the index alone: torch of another place does not fit the index's torchvision.
        command = [UV, "pip", "install", "--quiet", "--python", self.python, asked]
        subprocess.run(command, check=True)

    def must(self, *arguments: str, **more: str) -> None:
        done = subprocess.run(
            [self.python, *arguments],
            cwd=self.home,
            env=self._variables(**more),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{done.stdout[-1500:]}{done.stderr[-1500:]}"

    def seconds(self, imports: str) -> str:
        """Of processor, the second time: the first one compiles."""
        code = f"{imports}; import os; print(sum(os.times()[:2]))"
        for _ in range(2):
            done = subprocess.run(
                [self.python, "-c", code],
                cwd=self.home,
                env=self._variables(),
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        numbers = re.findall(r"[\d.]+\s*$", done.stdout)
        if not numbers:
            print(done.stderr[-1500:], file=sys.stderr, flush=True)
        return f"{float(numbers[0]):.1f}" if numbers else NONE

    def megabytes(self) -> float:
        """As installed, without what Python compiled since."""
        sizes = (
            file.stat().st_size
            for file in self.folder.rglob("*")
            if not file.is_symlink() and file.is_file() and file.suffix != ".pyc"
        )
        return sum(sizes) / 1e6

    def open_demo(self) -> None:
        """The first page answers before the judges are done."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with (self.home / "demo.log").open("w+") as log:
            demo = subprocess.Popen(
                [self.python.with_name("jurybox"), "demo", *SMALL_DEMO],
                cwd=self.home,
                env=self._variables(PORT=str(port)),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self._wait_for_page(f"http://127.0.0.1:{port}/", demo)
            finally:
                demo.send_signal(signal.SIGTERM)
                try:
                    demo.wait(timeout=PATIENCE)
                except subprocess.TimeoutExpired:
                    os.killpg(demo.pid, signal.SIGKILL)
                    demo.wait()

    def _wait_for_page(self, address: str, demo: subprocess.Popen) -> None:
        until = time.monotonic() + PATIENCE
        while True:
            said = (self.home / "demo.log").read_text()[-1500:]
            assert demo.poll() is None and time.monotonic() < until, said
            try:
                page = urllib.request.urlopen(address, timeout=PATIENCE).read().decode()
            except (urllib.error.URLError, ConnectionError):
                time.sleep(1)
                continue
            assert "Jurybox" in page, page[:500]
            return

    def greet(self) -> None:
        """As an agent does that starts the server itself; no installation is asked for that."""
        done = subprocess.run(
            [self.python.with_name("jurybox"), "mcp"],
            cwd=self.home,
            env=self._variables(
                JURYBOX_ADDRESS="http://127.0.0.1:9", JURYBOX_TOKEN="jb_of-the-trial"
            ),
            input=GREETING,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert '"serverInfo"' in done.stdout, f"{done.stdout[-1500:]}{done.stderr[-1500:]}"

    def _variables(self, **more: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONWARNINGS": "ignore",
            "DJANGO_SETTINGS_MODULE": "audit.settings",
            **more,
        }


def in_markdown(rows: list[tuple[str, ...]], header: bool = True) -> str:
    lines = [f"| {' | '.join(line)} |" for line in ([HEADER] if header else []) + rows]
    if header:
        lines.insert(1, "|---" * len(HEADER) + "|")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
