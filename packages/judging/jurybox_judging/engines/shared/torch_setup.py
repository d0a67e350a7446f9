"""Torch made ready for every engine: call `prepare()` before anything imports torchvision.

Beside a CPU build of torch, the usual torchvision (a CUDA build) cannot load its compiled part,
and its import fails at an operator that does not exist; transformers, timm and open_clip fail with
it, though they need only its image transforms. In that case the two operators are declared here
without a body, since no engine calls them.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any


@cache
def prepare() -> Any:
    """The torch module, safe to build engines on."""
    import torch

    if _lacks_operators(torch):
        _declare_operators(torch)
    return torch


def _lacks_operators(torch: Any) -> bool:
    spec = importlib.util.find_spec("torchvision")
    if spec is None or not spec.submodule_search_locations:
        return False
    folder = Path(spec.submodule_search_locations[0])
    for library in folder.glob("_C*.so"):
        try:
            torch.ops.load_library(library)
        except OSError:
            continue
    return not hasattr(torch.ops.torchvision, "nms")


# Declarations vanish with their library object: it must live as long as the process.
_declared: list[Any] = []


def _declare_operators(torch: Any) -> None:
    library = torch.library.Library("torchvision", "DEF")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _declared.append(library)
