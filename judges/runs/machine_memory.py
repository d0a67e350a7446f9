"""How much memory the machine that looks has in all: that of its GPUs, or its own. No library of an engine
is loaded for it."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from django.conf import settings

_GROUP = Path("/sys/fs/cgroup/memory.max")
_ASK = ["--query-gpu=memory.total", "--format=csv,noheader,nounits"]


def memory_gb() -> float | None:
    """`JUDGE_MEMORY` where the workers stand on another machine; None where nobody tells."""
    return settings.JUDGE_MEMORY or _here()


@lru_cache(maxsize=1)
def _here() -> float | None:
    return _gpus() or _own()


def card_gb() -> float | None:
    """Of the smallest GPU of this machine."""
    return min(_cards(), default=None)


def _gpus() -> float | None:
    # Large weights are spread over all of them.
    return sum(_cards()) or None


def _cards() -> list[float]:
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    try:
        ended = subprocess.run(  # noqa: S603
            [command, *_ASK], capture_output=True, text=True, timeout=10, check=True
        )
        return [int(mebibytes) * (1 << 20) / 1e9 for mebibytes in ended.stdout.split()]
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def _own() -> float | None:
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError):
        return None
    try:
        limit = _GROUP.read_text().strip()
    except OSError:
        limit = ""
    return (min(found, int(limit)) if limit.isdigit() else found) / 1e9
