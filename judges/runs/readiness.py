"""Whether a judge can run on this machine, and what it needs first: a download, a server, a file; or that
its weights are larger than the machine.

Only what is known stands here: of a download its address, and its size where the recipe or the page of the
weights states it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from judges.runs.machine_memory import memory_gb
from judges.runs.official_files import OFFICIAL
from jurybox_judging import registry
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES
from jurybox_judging.recipes.published_weights import HUB, Published, find

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
    """`absent`: the libraries that are not installed here. Gigabytes: `download_gb` of what is fetched,
    `wants_gb` of all weights once loaded, `has_gb` of the machine; None where it is unknown."""

    needs: tuple[Need, ...] = ()
    absent: tuple[str, ...] = ()
    download_gb: float | None = None
    wants_gb: float | None = None
    has_gb: float | None = None

    @property
    def is_too_large(self) -> bool:
        return self.wants_gb is not None and self.has_gb is not None and self.wants_gb > self.has_gb

    @property
    def state(self) -> str:
        if self.absent or self.is_too_large:
            return ABSENT
        return NEEDS if self.needs else READY

    @property
    def is_ready(self) -> bool:
        return self.state == READY

    @property
    def title(self) -> str:
        """A label: "Ready", "Needs download (22.4 GB)", "Needs a server", "Cannot run here (needs 54 GB, has
        23)"."""
        if self.is_too_large:
            sentence = gettext("Cannot run here (needs %(wants)s GB, has %(has)s)")
            return sentence % self._gigabytes
        if self.state != NEEDS:
            return gettext("Ready") if self.is_ready else gettext("Cannot run here")
        kinds = {need.kind for need in self.needs}
        if MODEL in kinds:
            return gettext("Needs a server")
        if FILE in kinds:
            return gettext("Needs a file")
        return gettext("Needs download") + _in_brackets(self.download_gb)

    @property
    def next_steps(self) -> str:
        """What is to be done, in sentences; empty where it is ready."""
        sentences = [*(need.words for need in self.needs), self.installing, self.moving]
        return " ".join(sentence for sentence in sentences if sentence)

    @property
    def installing(self) -> str:
        if not self.absent:
            return ""
        sentence = gettext(
            "Not installed here: %(absent)s. Install with %(command)s, or start it for a worker that has "
            "its engines."
        )
        return sentence % {"absent": ", ".join(self.absent), "command": INSTALL}

    @property
    def moving(self) -> str:
        if not self.is_too_large:
            return ""
        sentence = gettext(
            "Its weights want about %(wants)s GB of memory; there are %(has)s. Ask a model server, or start "
            "it for a worker that has more (JUDGE_MEMORY says how much)."
        )
        return sentence % self._gigabytes

    @property
    def _gigabytes(self) -> dict[str, str]:
        return {"wants": f"{self.wants_gb:.3g}", "has": f"{self.has_gb:.3g}"}


def readiness(entry: Entry, options: Mapping[str, Any]) -> Readiness:
    """`options`: all of the judge's, as it would run."""
    needs: list[Need] = []
    known: list[Published | None] = []
    wanted: list[float] = []
    for kind, (path, _) in entry.parts.items():
        checkpoint = options.get(f"{kind}.checkpoint")
        if checkpoint is None:
            continue
        if path == SERVER:
            if not checkpoint:
                words = gettext("Needs a server and its model: %(option)s.")
                needs.append(Need(MODEL, words % {"option": f"{kind}.checkpoint"}))
            continue
        engine = path.rpartition(":")[2]
        weights = find(engine, checkpoint, options.get(f"{kind}.model") or "")
        if weights is not None:
            wanted.append(weights.memory_gb(options.get(f"{kind}.precision", "")))
        if not checkpoint:
            needs.append(_file(kind, engine, weights))
        elif registry.whereabouts(checkpoint) == registry.TO_FETCH:
            needs.append(_download(checkpoint, weights))
            known.append(weights)
    return Readiness(
        tuple(dict.fromkeys(needs)),
        registry.absent_libraries(entry),
        entry.download_gb or _sum_of(known),
        sum(wanted) if wanted else None,
        memory_gb() if wanted else None,
    )


def _sum_of(known: Sequence[Published | None]) -> float | None:
    """None where one is unknown."""
    sizes = {one: one.download_gb for one in known if one is not None}
    return round(sum(sizes.values()), 2) if sizes and None not in known else None


def _in_brackets(gigabytes: float | None) -> str:
    return f" ({gigabytes:g} GB)" if gigabytes else ""


def _file(kind: str, engine: str, weights: Published | None) -> Need:
    """The authors' file, where they have published one."""
    official = OFFICIAL.get(engine, ())
    option = f"{kind}.checkpoint"
    if not official:
        return Need(FILE, gettext("Needs a file: %(option)s.") % {"option": option})
    newest = official[-1]
    size = _in_brackets(weights.download_gb if weights else None)
    words = gettext("Needs a file: %(option)s, %(file)s from %(address)s.") % {
        "option": option,
        "file": f"{newest.name}{size}",
        "address": newest.address,
    }
    return Need(FILE, words, newest.address, newest.name)


def _download(checkpoint: str, weights: Published | None) -> Need:
    """A published tag of a library has no address of its own but what is known of it."""
    name = checkpoint.removeprefix("hf-hub:").partition(":")[0]
    if name.count("/") != 1 and weights is not None:
        name = weights.repository
    address = f"{HUB}/{name}" if name.count("/") == 1 else ""
    what = name if address else checkpoint
    size = _in_brackets(weights.download_gb if weights else None)
    words = gettext("Fetches %(what)s on first use.") % {"what": f"{what}{size}"}
    return Need(DOWNLOAD, words, address, what)
