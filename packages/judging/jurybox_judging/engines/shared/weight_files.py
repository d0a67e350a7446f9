"""Files with weights as they lie on the disk: which a checkpoint has, what their headers say, whether
they are whole. Plain Python: no tensor is read, nothing is fetched, no library of an engine is needed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox_judging.errors import EngineRefused, clause_of, first_line

# The bytes of a number in safetensors' words.
BYTES = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2}
BYTES |= {"I16": 2, "U16": 2, "I8": 1, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1}
FLOATS = ("F64", "F32", "F16", "BF16")
_LONGEST_HEADER = 100_000_000  # bytes; safetensors' own limit
_INDEXED = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
# In the order in which libraries look for them.
_SINGLE = (
    "model.safetensors",
    "open_clip_model.safetensors",
    "pytorch_model.bin",
    "open_clip_pytorch_model.bin",
)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
# One file of a repository on a hub: owner/name:folder/file.pt
_ONE_FILE = re.compile(r"([\w.-]+/[\w.-]+):([\w.-]+(?:/[\w.-]+)*)")


@dataclass(frozen=True, slots=True)
class Tensor:
    kind: str  # safetensors' word for the numbers
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        numbers = 1
        for side in self.shape:
            numbers *= side
        return numbers


@dataclass(frozen=True, slots=True)
class FoundWeights:
    """Where a checkpoint lies. `commit` is known for those of a hub's cache."""

    root: Path
    files: tuple[Path, ...]
    commit: str = ""

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self.files)


def find(checkpoint: str, revision: str = "") -> FoundWeights | None:
    """The files with weights of a folder, a file or a repository in the hub's cache; None where there
    are none on this machine."""
    path = Path(checkpoint).expanduser()
    if one := one_file(checkpoint):
        cached = in_cache(one[0], revision)
        file = cached / one[1] if cached else None
        return (
            FoundWeights(cached, (file,), cached.name)
            if cached and file and file.is_file()
            else None
        )
    if path.is_file():
        return FoundWeights(path.parent, (path,))
    if path.is_dir():
        return FoundWeights(path, files_in(path))
    cached = in_cache(checkpoint, revision)
    return FoundWeights(cached, files_in(cached), cached.name) if cached else None


def one_file(checkpoint: str) -> tuple[str, str] | None:
    """Repository and file, where a checkpoint is “owner/name:file”; a path that exists is a path."""
    match = _ONE_FILE.fullmatch(checkpoint)
    if match is None or ".." in checkpoint or Path(checkpoint).exists():
        return None
    return match[1], match[2]


def local(checkpoint: str, revision: str = "") -> str:
    """Where “owner/name:file” lies in the cache; anything else, and what is not there, as it is."""
    found = find(checkpoint, revision) if one_file(checkpoint) else None
    return str(found.files[0]) if found else checkpoint


def fetch(checkpoint: str, revision: str = "") -> None:
    """“owner/name:file” into the hub's cache, where it is not there yet, and whole by its hash."""
    one = one_file(checkpoint)
    if one is None or find(checkpoint, revision) is not None:
        return
    if importlib.util.find_spec("huggingface_hub") is None:
        raise EngineRefused(
            f"“{checkpoint}” is fetched by the library huggingface_hub: install it."
        )
    from huggingface_hub import hf_hub_download

    from jurybox_judging.engines.shared.hub import expect_reachable

    repository, name = one
    expect_reachable(repository, revision)
    try:
        got = hf_hub_download(repository, name, revision=revision or "main")
    except (OSError, ValueError) as error:
        raise EngineRefused(
            f"“{checkpoint}” is not on this machine and could not be fetched ({first_line(error)}). Fetch it "
            "where there is a network, and give its path."
        ) from error
    # The hub names large files by their SHA-256.
    file = Path(got).resolve()
    if _SHA256.fullmatch(file.name):
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if digest != file.name:
            file.unlink()
            raise EngineRefused(
                f"“{checkpoint}” came with other contents than the hub tells (SHA-256 {digest} for "
                f"{file.name}), and was removed: get it again."
            )


def pinned(checkpoint: str, revision: str = "") -> str:
    """The revision to ask a hub for: the commit that the cache has, where it has one. Otherwise a
    library would fetch a newer one in the middle of a run."""
    return commit_of(checkpoint, revision) or revision or "main"


def commit_of(checkpoint: str, revision: str = "") -> str:
    """The commit of a repository on a hub; empty where it is not in the cache."""
    if _COMMIT.fullmatch(revision):
        return revision
    repository = (one_file(checkpoint) or (checkpoint,))[0]
    cached = None if Path(checkpoint).expanduser().exists() else in_cache(repository, revision)
    return cached.name if cached else ""


def in_cache(repository: str, revision: str = "") -> Path | None:
    """The snapshot of a repository in the hub's cache."""
    cache = cache_folder()
    if cache is None:
        return None
    folder = cache / f"models--{repository.replace('/', '--')}"
    commit = revision
    if not _COMMIT.fullmatch(revision):
        named = folder / "refs" / (revision or "main")
        commit = named.read_text().strip() if named.is_file() else ""
    snapshot = folder / "snapshots" / commit
    return snapshot if commit and snapshot.is_dir() else None


def cache_folder() -> Path | None:
    """Where huggingface_hub keeps what it fetched; None where that is not installed."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE)


def files_in(folder: Path) -> tuple[Path, ...]:
    """The files that libraries read; of weights in several files, those that the index names."""
    for name in _SINGLE[:2]:
        if (folder / name).exists():
            return (folder / name,)
    for name in _INDEXED:
        if (folder / name).is_file():
            return _shards(folder / name)
    for name in _SINGLE[2:]:
        if (folder / name).exists():
            return (folder / name,)
    return ()


def _shards(index: Path) -> tuple[Path, ...]:
    try:
        names = sorted(set(json.loads(index.read_text())["weight_map"].values()))
        files = tuple(index.parent / str(name) for name in names)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise EngineRefused(f"“{index.name}” is no index of weights: get it again.") from error
    absent = [file.name for file in files if not file.is_file()]
    if absent:
        raise EngineRefused(
            f"“{index.name}” names files that are not there: {', '.join(absent[:6])}. Get the rest "
            "of the checkpoint."
        )
    return files


def check_whole(file: Path) -> None:
    """Refuse what is no file with weights, or only half of one."""
    name = file.name
    if not file.is_file():
        raise EngineRefused(f"“{name}” is no file.")
    size = file.stat().st_size
    with file.open("rb") as opened:
        start = opened.read(64)
    if not start:
        raise EngineRefused(f"“{name}” is empty: get it again.")
    if start.startswith(b"version https://git-lfs"):
        raise EngineRefused(
            f"“{name}” is a pointer of Git LFS, not the weights: run `git lfs pull` beside it."
        )
    if start.lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise EngineRefused(
            f"“{name}” is a web page, not weights: log in or use the address of the file itself."
        )
    if file.suffix == ".safetensors":
        header(file)
    elif size < 64:
        raise EngineRefused(f"“{name}” has {size} bytes, which is no checkpoint: get it again.")


def header(file: Path) -> dict[str, Tensor]:
    """Every tensor of a safetensors file with its kind and shape; the file must hold them all."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if size < 8 or not 2 <= length <= min(size - 8, _LONGEST_HEADER):
            raise EngineRefused(
                f"“{file.name}” is no safetensors file, or only its beginning: get it again."
            )
        told = opened.read(length)
    try:
        listed = json.loads(told)
        tensors = {
            key: (Tensor(str(one["dtype"]), tuple(map(int, one["shape"]))), one["data_offsets"])
            for key, one in listed.items()
            if key != "__metadata__"
        }
        ends = [int(offsets[1]) for _, offsets in tensors.values()]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise EngineRefused(
            f"“{file.name}” has a header that cannot be read: get it again."
        ) from error
    expected = 8 + length + max(ends, default=0)
    if size < expected:
        raise EngineRefused(
            f"“{file.name}” breaks off: it has {size:,} of {expected:,} bytes. Get it again."
        )
    return {key: tensor for key, (tensor, _) in tensors.items()}


def headers(found: FoundWeights) -> dict[str, Tensor] | None:
    """All tensors of a checkpoint; None where its files are of another kind, without a header."""
    if not found.files or any(file.suffix != ".safetensors" for file in found.files):
        return None
    tensors: dict[str, Tensor] = {}
    for file in found.files:
        tensors |= header(file)
    return tensors


def quantised(tensors: Mapping[str, Tensor]) -> list[str]:
    """Weights in whole numbers or eight bits: they need the library that made them."""
    return sorted(
        key
        for key, tensor in tensors.items()
        if len(tensor.shape) > 1 and key.endswith("weight") and tensor.kind not in FLOATS
    )


def configuration(folder: Path) -> dict[str, Any]:
    """What config.json says; refused where it is absent or no JSON."""
    file = folder / "config.json"
    if not file.is_file():
        raise EngineRefused(
            f"“{folder.name}” has no config.json, which says what model the weights belong to: copy "
            "the whole repository, not the weights alone."
        )
    try:
        told = json.loads(file.read_text())
    except ValueError as error:
        raise EngineRefused(
            f"The config.json of “{folder.name}” is no JSON: {clause_of(error)}."
        ) from error
    if not isinstance(told, dict):
        raise EngineRefused(f"The config.json of “{folder.name}” holds no settings by name.")
    return told


def expect_whole(checkpoint: str, revision: str) -> dict[str, Tensor] | None:
    """What libraries say about a web page or half a file in the place of weights helps nobody.

    Returns the tensors where the files have headers that name them.
    """
    found = find(checkpoint, revision)
    if found is None:
        return None  # The library fetches it, or says why it cannot.
    if Path(checkpoint).expanduser().is_file():
        raise EngineRefused(
            f"“{found.files[0].name}” is a file; this engine reads a folder: weights with config.json."
        )
    if not found.files:
        raise EngineRefused(
            f"“{found.root.name}” holds no weights: there is no model.safetensors, no "
            "pytorch_model.bin and no index of several files."
        )
    settings = configuration(found.root)
    for file in found.files:
        check_whole(file)
    tensors = headers(found)
    if tensors and not settings.get("quantization_config"):
        whole_numbers = quantised(tensors)
        if whole_numbers:
            raise EngineRefused(
                f"The weights of “{found.root.name}” are quantised ({whole_numbers[0]}), and its "
                "config.json does not say how: use the original weights."
            )
    return tensors
