"""What a judge would read before it scores, and whether that fits: files, sizes, memory, keys."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop
from PIL import Image

from judges.runs import official_files
from jurybox_judging import registry, self_test
from jurybox_judging.engines.shared import memory, tensor_files, weight_files, weights
from jurybox_judging.errors import JudgeMissing, JudgeRefused, KeysDoNotFit
from jurybox_judging.protocols import ColorOf, Detection, Objects, Question, Reward, Talk


@dataclass
class PartCheck:
    """About one engine of a judge. None and "" where it is not known, and `notes` says why."""

    part: str
    engine: str
    checkpoint: str
    folder: str = ""
    commit: str = ""
    files: dict[str, int] = field(default_factory=dict)  # bytes by name
    download: bool = False
    memory: dict[str, int] = field(default_factory=dict)  # bytes by precision
    precision: str = ""
    free: dict[str, int] = field(default_factory=dict)  # bytes by device
    keys: str = ""
    missing: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    mismatched: list[str] = field(default_factory=list)
    wrong: str = ""
    self_test: str = gettext_noop("not done")
    seconds: float | None = None
    official: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def check(name: str, options: Mapping[str, Any], *, measure: bool = False) -> list[PartCheck]:
    """One check for each engine with weights. With `measure` they are loaded, tested and timed."""
    if reason := registry.why_not(name):
        raise JudgeMissing(
            f"This machine cannot look: {reason} Ask on the page, or where a worker has them."
        )
    registry.check_options(name, options)
    judge = registry.build(name, options)
    registry.take_in_hand(judge)
    checks = []
    for kind, engine in judge.parts.items():
        if not hasattr(engine, "compare_keys"):
            continue
        told = PartCheck(kind, type(engine).__name__, engine.checkpoint, precision=engine.precision)
        checks.append(told)
        officials = official_files.OFFICIAL.get(told.engine, ())
        told.official = [asdict(one) for one in officials]
        try:
            _read_headers(told, engine)
            if officials and (here := Path(engine.weights_at).expanduser()).is_file():
                told.notes.append(official_files.compare_file(here, officials, whole=measure))
            if measure and not told.download:
                _measure(told, engine)
        except KeysDoNotFit as misfit:
            told.wrong = misfit.message
            for kind, keys in misfit.keys.items():
                setattr(told, kind, keys)
        except JudgeRefused as refusal:
            told.wrong = refusal.message
    return checks


def _read_headers(told: PartCheck, engine: Any) -> None:
    named = engine.checkpoint.removeprefix("local-dir:").removeprefix("hf-hub:")
    found = weight_files.find(named, engine.revision)
    if found is None or not found.files:
        told.download = "/" in named and not named.startswith(("/", "~", "."))
        told.notes.append(
            gettext_noop(
                "not on this machine: it is fetched on first use. How large that is, only the hub "
                "knows, which is not asked here"
            )
            if told.download
            else gettext_noop("which file this is, only the library knows that fetches it")
        )
        return
    told.folder, told.commit = str(found.root), found.commit
    told.files = {file.name: file.stat().st_size for file in found.files}
    for file in found.files:
        weight_files.check_whole(file)
    device = weights.pick_device(engine.device)
    told.free = {at: free for at in ("cpu", device) if (free := memory.free(at)) is not None}
    tensors = tensor_files.headers(found)
    if tensors is None:
        told.notes.append(
            gettext_noop(
                "files without a header (neither safetensors nor torch's own since 1.6): memory and "
                "keys are known when they are loaded"
            )
        )
        return
    told.memory = {p: memory.count_bytes(tensors, p) for p in weights.PRECISIONS}
    if engine.compare_keys():
        told.keys = gettext_noop(f"all {len(tensors)} fit")
    else:
        told.notes.append(gettext_noop("its keys are compared when it is loaded"))


def _measure(told: PartCheck, engine: Any) -> None:
    told.self_test = gettext_noop("failed")
    self_test.check_engines({told.part: engine}, keep_alive=lambda: None)
    told.self_test = gettext_noop("passed")
    pictures = [self_test.red_square(), self_test.red_circle(), self_test.stop_sign()]
    began = time.perf_counter()
    for picture in pictures:
        # Turned, so that nothing that was kept of the self-test is read again.
        _ask(told.part, engine, picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM))
    told.seconds = (time.perf_counter() - began) / len(pictures)


def _ask(kind: str, engine: Any, picture: Image.Image) -> None:
    if kind == "objects":
        engine.detect([picture], [("circle", "stop sign")])
    elif kind == "colors":
        thing: Detection = {"class": "square", "score": 1.0, "box": (100.0, 100.0, 400.0, 400.0)}
        templates = ("a photo of a {color} {noun}",)
        engine.colors(
            [(picture, thing, ColorOf(Objects(), 0, "square", self_test.COLORS, templates))]
        )
    elif kind == "depth":
        engine.depths([picture])
    elif kind == "writing":
        engine.read_text([picture])
    elif kind == "similarity":
        engine.similarities([(picture, "a red square")])
    elif kind == "reward":
        engine.rewards([(picture, Reward("Textual prompt - a red square"))])
    elif kind == "answers":
        engine.answer([(picture, [Question(self_test.QUESTION, ("Yes",))])])
    else:
        engine.talk([(picture, Talk((self_test.QUESTION,), max_tokens=16))])


def lines(told: PartCheck) -> list[str]:
    """The check in words."""
    gib = memory.gib
    found = [f"{told.part}: {told.engine}, {told.checkpoint or 'no checkpoint given'}"]
    if told.folder:
        at = f", commit {told.commit}" if told.commit else ""
        found.append(f"  in {told.folder}{at}")
        found += [f"  {name}  {gib(size)}" for name, size in told.files.items()]
    if told.memory:
        each = ", ".join(f"{gib(size)} in {p}" for p, size in told.memory.items())
        found.append(f"  weights in memory: {each}; this judge takes {told.precision}")
        found.append("  as much in the machine while they load; pictures and texts come on top")
    if told.free:
        free = ", ".join(f"{device} {gib(size)}" for device, size in told.free.items())
        found.append(f"  free: {free}")
    if told.keys:
        found.append(f"  keys: {told.keys}")
    if told.seconds is not None:
        found.append(
            f"  self-test passed; {told.seconds:.3f} s per image, alone, of three drawings"
        )
    found += [f"  {note}" for note in told.notes]
    for one in told.official:
        size = f"  {gib(one['size'])}" if one["size"] else ""
        found.append(f"  the official file: {one['name']}{size}")
        found.append(f"    {one['address']}")
        if one["sha256"]:
            found.append(f"    SHA-256 {one['sha256']}{'' if len(one['sha256']) == 64 else '…'}")
    return found + ([f"  WRONG: {told.wrong}"] if told.wrong else [])
