"""Reads what is written in a picture: RapidOCR with the PP-OCRv6 weights that lie in its package.

Nothing is fetched. One thread for each call, as every other engine here: runs share the machine's
cores by processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared import weight_facts
from jurybox_judging.engines.shared.checkpoint import pictures
from jurybox_judging.options import Declared
from jurybox_judging.protocols import Engine, Line

NAMES = {"rapidocr": {"class": "RapidOcr", "needs": ("rapidocr", "onnxruntime")}}

_LIBRARIES = ("rapidocr", "onnxruntime")
_WEIGHTS = "PP-OCRv6 small"


@dataclass(eq=False)
class RapidOcr(Engine, Declared):
    batch: int = pictures(4)

    identity = "judges.engines.rapid_ocr:RapidOcr"
    version = "rapid-ocr-1"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._reader: Any = None

    @property
    def facts(self) -> dict[str, str]:
        same = {"device": "cpu", "precision": "float32"}
        try:
            libraries = " ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES)
        except metadata.PackageNotFoundError:
            # A worker that has them says which.
            unknown = weight_facts.unknown_fact()
            return {"checkpoint": _WEIGHTS, "revision": unknown, "libraries": unknown, **same}
        # The version of the package is that of the weights in it.
        weights = {"checkpoint": _WEIGHTS, "revision": metadata.version("rapidocr")}
        return {**weights, "libraries": libraries, **same}

    def load(self) -> None:
        if self._reader is not None:
            return
        from rapidocr import RapidOCR

        one_thread = {
            f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")
        }
        self._reader = RapidOCR(params={"Global.log_level": "critical", **one_thread})

    def forget(self) -> None:
        """It remembers nothing."""

    def read_text(self, images: Sequence[Image.Image]) -> list[list[Line]]:
        self.load()
        return [self._read(image) for image in images]

    def _read(self, image: Image.Image) -> list[Line]:
        # It takes blue, green, red, as OpenCV does.
        found = self._reader(np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1]))
        if found.txts is None:
            return []
        return [
            {"text": text, "score": float(score), "box": _upright(corners)}
            for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True)
        ]


def _upright(corners: np.ndarray) -> tuple[float, float, float, float]:
    """The box around four corners, which may lean."""
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    return float(left), float(top), float(right), float(bottom)
