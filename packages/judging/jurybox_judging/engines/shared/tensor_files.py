"""Files of tensors that no library of models reads: their tensors, or their headers alone."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

from jurybox_judging.engines.shared import weight_files, weights
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weight_files import FoundWeights, Tensor
from jurybox_judging.errors import EngineRefused, first_line

_log = logging.getLogger(__name__)
# Torch's words for numbers, in safetensors' words.
_KINDS = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint8": "U8",
    "bool": "BOOL",
}


def load_state(path: str | Path) -> dict[str, Any]:
    """Plain tensors by name; a file that wants to run code is refused."""
    held = load_held(Path(path))
    return held.get("state_dict", held)


def load_held(path: Path) -> dict[str, Any]:
    """All tensors and plain values that a file holds. No code of it runs.

    Checkpoints may hold objects beside the tensors, such as the history of their training. An inert
    stand-in takes the place of each.
    """
    weight_files.check_whole(path)
    if weights.instead_of_loading.get() is not None:
        return _stand_ins(path)
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        return unpickled(path, "cpu")
    except Exception as error:
        raise EngineRefused(f"“{path.name}” cannot be read: {first_line(error)}") from error


def unpickled(path: Path, device: str) -> dict[str, Any]:
    """On the device “meta” no tensor is read: each has its shape and kind alone."""
    torch = prepare()
    strange = _strange_names(path)
    if strange:
        _log.warning("“%s” holds more than tensors; the rest of it is left out.", path.name)
    with torch.serialization.safe_globals([(_Inert, name) for name in strange]):
        held = torch.load(path, map_location=device, weights_only=True)
    if not isinstance(held, dict):
        raise ValueError("it holds no tensors by name")
    return held


def _strange_names(path: Path) -> list[str]:
    """The names of what is no tensor in a file; read off, nothing of it is imported."""
    serialization = prepare().serialization
    if not is_zipfile(path):
        return []
    return sorted(serialization.get_unsafe_globals_in_checkpoint(path))


class _Inert:
    """Stands for an object of a file: accepts any call, does nothing."""

    def __new__(cls, *_: Any, **__: Any) -> _Inert:
        return super().__new__(cls)

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, _: Any) -> None:
        pass


def headers(found: FoundWeights) -> dict[str, Tensor] | None:
    """All tensors of a checkpoint by the headers of its files: of safetensors, and of torch's files,
    whose pickle is read and whose tensors are not. None where a file has no header."""
    told = weight_files.headers(found)
    if told is not None or not found.files or not all(map(is_zipfile, found.files)):
        return told
    tensors: dict[str, Tensor] = {}
    for file in found.files:
        tensors |= _header(file)
    return tensors


def _header(file: Path) -> dict[str, Tensor]:
    try:
        held = unpickled(file, "meta")
    except Exception as error:
        raise EngineRefused(f"“{file.name}” cannot be read: {first_line(error)}") from error
    tensors, seen = {}, set()
    for key, tensor in _state(held).items():
        # A table under two names lies in the file once, and in memory too.
        own = (tensor.untyped_storage()._cdata, tensor.storage_offset(), tensor.shape)
        if own not in seen:
            seen.add(own)
            tensors[key] = Tensor(
                _KINDS.get(str(tensor.dtype).rpartition(".")[2], "F32"), tensor.shape
            )
    return tensors


def _state(held: dict[str, Any]) -> dict[str, Any]:
    """The tensors by name, which some files hold under a name of their own."""
    for name in ("state_dict", "model"):
        if isinstance(held.get(name), dict):
            held = held[name]
    is_tensor = prepare().is_tensor
    return {key: value for key, value in held.items() if is_tensor(value)}


def _stand_ins(path: Path) -> dict[str, Any]:
    """What the file holds, with tensors of the same shapes that are all nought and take no memory."""
    torch = prepare()
    if path.suffix == ".safetensors":
        nought = torch.zeros(())
        return {key: nought.expand(t.shape) for key, t in weight_files.header(path).items()}
    if not is_zipfile(path):
        raise EngineRefused(
            f"“{path.name}” has no header: its keys are compared when it is loaded."
        )

    def emptied(value: Any) -> Any:
        if torch.is_tensor(value):
            return torch.zeros((), dtype=value.dtype).expand(value.shape)
        return {k: emptied(v) for k, v in value.items()} if isinstance(value, dict) else value

    try:
        return emptied(unpickled(path, "meta"))
    except Exception as error:
        raise EngineRefused(f"“{path.name}” cannot be read: {first_line(error)}") from error
