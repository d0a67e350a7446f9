"""The wheels as they would be published, unpacked where nothing of the clone is near."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {folder.name: folder for folder in sorted(ROOT.glob("packages/*"))}


def build(source: Path, folder: Path) -> Path:
    """The wheel of a source folder; the packages that build it are those of this environment."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(source)], check=True, capture_output=True, text=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def unpacked(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(site: Path, home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """A program of the unpacked wheel, with nothing set but its home, and the clone out of reach."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=home,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(site),
            "PYTHONWARNINGS": "ignore",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
