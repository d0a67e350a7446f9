"""How much memory weights want, how much there is, and who can make room.

A judge that is too large stops before its weights are read, with the numbers: otherwise the machine
grinds for minutes, and the end of the process says nothing.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weight_files import BYTES, FLOATS, Tensor
from jurybox_judging.errors import EngineRefused

GIB = 1 << 30
_FOR_WEIGHTS = 0.9  # of what several GPUs have free
_SIZES = {"float32": 4, "bfloat16": 2, "float16": 2}
_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")
_T5_TABLE = re.compile(r"(.*?)(?:(?:en|de)coder\.)?embed_tokens\.weight")
_room_makers: list[Callable[[], None]] = []


def count_bytes(tensors: Mapping[str, Tensor], precision: str) -> int:
    """Bytes of the weights, once they are loaded; pictures and texts come on top of it."""
    size = _SIZES[precision]
    return sum(
        tensor.count * (size if tensor.kind in FLOATS else BYTES.get(tensor.kind, size))
        for key, tensor in tensors.items()
        if not _is_repeated(key, tensors)
    )


def _is_repeated(key: str, tensors: Mapping[str, Tensor]) -> bool:
    """T5 has one table of words, which some files hold under further names."""
    match = _T5_TABLE.fullmatch(key)
    return match is not None and f"{match[1]}shared.weight" in tensors


def free(device: str) -> int | None:
    """Bytes that are free on a device, or None where nobody tells."""
    if device.startswith("cuda"):
        return int(prepare().cuda.mem_get_info(device)[0])
    return _free_of_machine() if device == "cpu" else None


def _free_of_machine() -> int | None:
    """What the machine has left, or the group of processes that this one is in."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    told = {name: value.split()[0] for name, _, value in (line.partition(":") for line in lines)}
    rest = int(told.get("MemAvailable", 0)) * 1024 or None
    try:
        most, now = (Path(name).read_text().strip() for name in _GROUPS)
    except OSError:
        return rest
    if not most.isdigit():
        return rest
    # A group counts cached files too, which it gives up first; the machine's figure knows them.
    left = max(int(most) - int(now), 0) + _cached_of_group()
    return left if rest is None else min(rest, left)


def _cached_of_group() -> int:
    try:
        lines = Path(_GROUPS[0]).with_name("memory.stat").read_text().splitlines()
    except OSError:
        return 0
    told = dict(line.split() for line in lines)
    return int(told.get("inactive_file", 0)) + int(told.get("active_file", 0))


def expect_room(name: str, tensors: Mapping[str, Tensor], device: str, precision: str) -> None:
    """Refuse weights that do not fit, after all that can go has gone."""
    needs = count_bytes(tensors, precision)
    # Weights are read into the machine's memory first, wherever they go then.
    for place in dict.fromkeys(("cpu", device)):
        there = free(place)
        if there is not None and there < needs:
            make_room()
            there = free(place)
        if there is not None and there < needs:
            _refuse(name, tensors, precision, f"{_place_name(place)} has {gib(there)} free")


def several_gpus(name: str, tensors: Mapping[str, Tensor], precision: str) -> dict[int, int]:
    """How many bytes of a model that exceeds one GPU each of them takes; empty where one is enough, or there
    is no more than one. Such weights go from their files to the GPUs, without the machine's memory."""
    cuda = prepare().cuda
    needs, count = (
        count_bytes(tensors, precision),
        cuda.device_count() if cuda.is_available() else 0,
    )
    if count < 2 or (free("cuda") or 0) >= needs:
        return {}
    make_room()
    if (free("cuda") or 0) >= needs:
        return {}
    there = {gpu: free(f"cuda:{gpu}") or 0 for gpu in range(count)}
    # The rest is for pictures and texts.
    shares = {gpu: int(size * _FOR_WEIGHTS) for gpu, size in there.items()}
    if sum(shares.values()) < needs:
        together = f"{count} GPUs together have {gib(sum(there.values()))} free"
        _refuse(name, tensors, precision, f"{together}, a tenth of it for pictures and texts")
    return shares


def _refuse(name: str, tensors: Mapping[str, Tensor], precision: str, there: str) -> NoReturn:
    needs, half = count_bytes(tensors, precision), count_bytes(tensors, "bfloat16")
    smaller = f", or precision=bfloat16 ({gib(half)})" if half < needs else ""
    raise EngineRefused(
        f"“{name}” wants {gib(needs)} for its weights in {precision}, and {there}. "
        f"Use a larger machine{smaller}."
    )


def gib(size: int) -> str:
    return f"{size / GIB:,.1f} GiB" if size >= GIB / 10 else f"{size / (1 << 20):,.1f} MiB"


def _place_name(place: str) -> str:
    return "this machine" if place == "cpu" else place


def when_short(make: Callable[[], None]) -> None:
    """Whoever keeps engines that can be let go says so here."""
    _room_makers.append(make)


def make_room() -> None:
    for make in _room_makers:
        make()
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
