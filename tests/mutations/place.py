"""A throw-away copy of the project, in which one line at a time is broken and tests are run."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.breaks import Break

ROOT = Path(__file__).resolve().parents[2]
_MARKERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"][
    "markers"
]
QUICK = " and ".join(
    f"not {slow}"
    for slow in ("browser", "neural", "nightly")
    if any(marker.startswith(slow) for marker in _MARKERS)
)
# Seconds without a word from the tests: then they hang.
HANGS = 300.0
_CLOCK = int(time.time())


@dataclass(frozen=True, slots=True)
class Ran:
    """`seen`: the first test that failed or hung; `over`: the time was up."""

    seen: str = ""
    over: bool = False


class Place:
    def __init__(self, folder: Path, quick: str = QUICK) -> None:
        self.folder, self.tree, self.quick = folder, folder / "tree", quick
        self.writes = 0
        # Tests that fail while nothing is broken, too.
        self.unsound: set[str] = set()

    def __enter__(self) -> Place:
        self.folder.mkdir(parents=True)
        _git("worktree", "add", "--quiet", "--detach", str(self.tree), "HEAD")
        # What lies beside the project and in it without being part of it.
        for link, there in (
            (self.folder / "shared", ROOT.parent / "shared"),
            (self.tree / ".venv", ROOT / ".venv"),
        ):
            if there.exists():
                link.symlink_to(there.resolve())
        # Tables are made once, and each run gets a copy of them.
        fresh = ["--create-db", "tests/annotations/test_rates.py"]
        if self._run(fresh, self.folder / "fresh", 600) != Ran():
            raise RuntimeError((self.folder / "said").read_text())
        return self

    def __exit__(self, *error: object) -> None:
        _git("worktree", "remove", "--force", str(self.tree))
        shutil.rmtree(self.folder, ignore_errors=True)

    def watched(self, file: str, broken: Break, batches: list[list[str]], seconds: float) -> Ran:
        """What the tests do about the broken line, the nearest first."""
        path = self.tree / file
        whole = path.read_bytes()
        ends = time.monotonic() + seconds
        self._write(path, broken.applied(whole))
        try:
            for batch in filter(None, batches):
                ran = self.tests(batch, ends - time.monotonic())
                if ran != Ran():
                    return ran
        finally:
            self._write(path, whole)
        return Ran()

    def fail_unbroken(self, seen: set[str]) -> set[str]:
        """Of these tests, those that see something in whole lines, too."""
        self.unsound = set()
        failed = set()
        while ran := self.tests(sorted(seen - failed), 3600).seen if seen - failed else "":
            failed.add(ran)
            if ran not in seen:
                raise RuntimeError(f"{ran} cannot be told from the tests that were run.")
        return failed

    def tests(self, files: list[str], seconds: float) -> Ran:
        own = self.folder / "var"
        shutil.rmtree(own, ignore_errors=True)
        if (self.folder / "fresh").exists():
            shutil.copytree(self.folder / "fresh", own)
        skipped = [f"--deselect={test}" for test in sorted(self.unsound)]
        return self._run([*files, *skipped], own, seconds)

    def _run(self, given: list[str], own: Path, seconds: float) -> Ran:
        said = self.folder / "said"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", "-x", "-v"]
        command += ["--tb=no", "--reuse-db", "-rfE", "-m", self.quick, *given]
        # What a test starts finds the packages of this copy, not of the environment.
        packages = os.pathsep.join(map(str, sorted(self.tree.glob("packages/*"))))
        environment = {**os.environ, "JURYBOX_VAR": str(own), "PYTHONPATH": packages}
        with said.open("wb") as out:
            # A session of its own: whatever the tests have started ends with them.
            process = subprocess.Popen(
                command,
                cwd=self.tree,
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            over = hangs = False
            begun = heard = time.monotonic()
            size = 0
            while process.poll() is None and not (over or hangs):
                time.sleep(0.2)
                now, length = time.monotonic(), said.stat().st_size
                if length != size:
                    heard, size = now, length
                over, hangs = now - begun > seconds, now - heard > HANGS
            _end(process)
        text = said.read_text(errors="replace")
        if hangs:
            started = re.findall(r"^(tests/\S+)", text, re.MULTILINE)
            return Ran(started[-1] if started else given[0])
        if over:
            return Ran(over=True)
        if process.returncode == 4 and "ImportError while loading conftest" not in text:
            raise RuntimeError(text)
        # 5: none of them is quick.
        if process.returncode in {0, 5}:
            return Ran()
        failed = re.search(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", text, re.MULTILINE)
        return Ran(failed.group(1) if failed else given[0])

    def _write(self, path: Path, content: bytes) -> None:
        """Each time with another time of writing, so that no compiled file of before is taken."""
        self.writes += 1
        path.write_bytes(content)
        os.utime(path, (_CLOCK + self.writes, _CLOCK + self.writes))


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def changed(folders: Sequence[str]) -> bool:
    """Whether something there is not in the last commit."""
    return bool(_git("status", "--porcelain", "--", *folders))


def _git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", str(ROOT), *words], check=True, capture_output=True).stdout
