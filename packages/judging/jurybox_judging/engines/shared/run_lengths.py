"""Masks as run lengths down the columns: a few hundred numbers instead of a million pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.protocols import Mask


def encode(masks: Any) -> list[Mask]:
    """All masks (a boolean tensor: number × height × width) in one pass, on their own device.

    Only the positions where a run ends leave the device.
    """
    torch = prepare()
    number, height, width = masks.shape
    pixels = masks.transpose(1, 2).reshape(number, height * width)
    # A zero before and a one's end after: the first run is of zeros, and may be empty.
    before = torch.nn.functional.pad(pixels, (1, 0))[:, :-1]
    owner, place = (pixels != before).nonzero(as_tuple=True)
    ends = place.cpu().numpy()
    firsts = np.searchsorted(owner.cpu().numpy(), np.arange(number + 1))
    return [
        {
            "size": (height, width),
            "counts": np.diff(ends[first:last], prepend=0, append=height * width).tolist(),
        }
        for first, last in zip(firsts[:-1], firsts[1:], strict=True)
    ]


def decode(mask: Mask) -> np.ndarray:
    height, width = mask["size"]
    counts = np.fromiter(mask["counts"], dtype=np.int64)
    if (counts < 0).any() or counts.sum() != height * width:
        raise ValueError(f"the runs of a mask do not add up to {height} × {width} pixels")
    values = np.arange(len(counts)) % 2 == 1
    return np.repeat(values, counts).reshape(width, height).T
