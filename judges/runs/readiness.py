"""Whether a judge can run on this machine, and what it needs first: a download, a server, a file.

Only what is known is said: of a download its address, and its size where the recipe states it.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from judges import registry
from judges.recipes.entry import Entry
from judges.recipes.names import ENGINES

READY, NEEDS, ABSENT = "ready", "needs", "cannot run here"
DOWNLOAD, MODEL, FILE = "download", "server", "file"
SERVER = ENGINES["server"].path
INSTALL = "pip install -r requirements.txt"


@dataclass(frozen=True, slots=True)
class Need:
    """`kind`: "download", "server" or "file"; `words` say it in a sentence; `what` is fetched from
    `address`."""

    kind: str
    words: str
    address: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """`absent`: the libraries that are not installed here; `download_gb`: None where it is unknown."""

    needs: tuple[Need, ...] = ()
    absent: tuple[str, ...] = ()
    download_gb: float | None = None

    @property
    def state(self) -> str:
        if self.absent:
            return ABSENT
        return NEEDS if self.needs else READY

    @property
    def is_ready(self) -> bool:
        return self.state == READY

    @property
    def title(self) -> str:
        """A label: "Ready", "Needs download (22.4 GB)", "Needs a server", "Cannot run here"."""
        if self.state != NEEDS:
            return self.state.capitalize()
        kinds = {need.kind for need in self.needs}
        if MODEL in kinds:
            return "Needs a server"
        if FILE in kinds:
            return "Needs a file"
        size = f" ({self.download_gb:g} GB)" if self.download_gb else ""
        return f"Needs download{size}"

    @property
    def words(self) -> str:
        """What is to be done, in sentences; empty where it is ready."""
        sentences = [*(need.words for need in self.needs), self.installing]
        return " ".join(sentence for sentence in sentences if sentence)

    @property
    def installing(self) -> str:
        if not self.absent:
            return ""
        return (
            f"Not installed here: {', '.join(self.absent)}. Install with {INSTALL}, or start it for a "
            "worker that has its engines."
        )


def readiness(entry: Entry, options: Mapping[str, Any]) -> Readiness:
    """`options`: all of the judge's, as it would run."""
    needs = []
    for kind, (path, _) in entry.parts.items():
        checkpoint = options.get(f"{kind}.checkpoint")
        if checkpoint is None:
            continue
        if path == SERVER:
            if not checkpoint:
                needs.append(Need(MODEL, f"Needs a server and its model: {kind}.checkpoint."))
        elif not checkpoint:
            needs.append(Need(FILE, f"Needs a file: {kind}.checkpoint."))
        elif registry.whereabouts(checkpoint) == registry.TO_FETCH:
            needs.append(_download(checkpoint))
    absent = tuple(module for module in entry.needs if not is_installed(module))
    return Readiness(tuple(dict.fromkeys(needs)), absent, entry.download_gb)


@lru_cache(maxsize=64)
def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _download(checkpoint: str) -> Need:
    name = checkpoint.removeprefix("hf-hub:").partition(":")[0]
    # A published tag of a library has no address of its own.
    address = f"https://huggingface.co/{name}" if name.count("/") == 1 else ""
    return Need(DOWNLOAD, f"Fetches {checkpoint} on first use.", address, checkpoint)
