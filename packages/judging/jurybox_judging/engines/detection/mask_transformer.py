"""From the queries of a mask transformer to detections, as GenEval's detector code reads them.

A mask transformer has 100 queries, each with class probabilities (80 classes or nothing) and a map
of logits at a quarter of the size. GenEval takes the 100 likeliest pairs of query and class; a
detection's score is the probability of the class times the confidence of its mask. So a score is
never above the probability of the class, and masks of queries whose every class is below the floor
need not be drawn: that saves most of the work after the model, with the same result.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.engines.detection.coco_names import GENEVAL
from jurybox_judging.engines.shared import run_lengths
from jurybox_judging.engines.shared.batches import group_by_size
from jurybox_judging.engines.shared.checkpoint import CheckpointEngine, floor_of, pictures_or_found
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard, pick_precision
from jurybox_judging.options import whole
from jurybox_judging.protocols import Detection

_MEAN = (123.675, 116.28, 103.53)
_SPREAD = (58.395, 57.12, 57.375)
_STEP = 32  # the sides of the model's input are multiples of it
_PAIRS = 100  # pairs of query and class that count, whatever their score
_DRAWN = 16  # maps drawn at once
# A pass replaces parts of the library while it runs: two at once would undo each other's.
_ALONE = threading.Lock()


def _side(default: int, name: str) -> Any:
    return whole(
        default,
        f"Pictures are made to fit into this {name} side, in pixels.",
        minimum=32,
        maximum=8_192,
        is_fact=True,
    )


@dataclass(eq=False)
class MaskTransformer(CheckpointEngine):
    """Detections whose score is above `floor`, in the order of the official code."""

    batch: int = pictures_or_found(4)
    floor: float = floor_of(0.05)
    long_side: int = _side(1333, "long")
    short_side: int = _side(800, "short")

    classes = GENEVAL

    def detect(
        self, images: Sequence[Image.Image], classes: Sequence[tuple[str, ...]] = ()
    ) -> list[list[Detection]]:
        self.load()
        results: list[list[Detection]] = [[] for _ in images]
        with prepare().inference_mode(), memory_guard():
            for places in group_by_size(images, self.batch):
                batch = self._look([images[place] for place in places])
                for place, detections in zip(places, batch, strict=True):
                    results[place] = detections
        return results

    def _look(self, images: Sequence[Image.Image]) -> list[list[Detection]]:
        """Pictures of one size together: padding them to a larger one would change the answer."""
        frame = _framed_size(images[0].size, self.long_side, self.short_side)
        pixels = self._framed(images, frame)
        with _ALONE, self._lowered():
            likely, maps = self._queries(pixels)
        return [
            self._read(likely[i].float(), maps[i].float(), tuple(pixels.shape[-2:]), frame, image)
            for i, image in enumerate(images)
        ]

    def _queries(self, pixels: Any) -> tuple[Any, Any]:
        """Logits of the classes (pictures × queries × 81) and of the maps (… × height × width)."""
        raise NotImplementedError

    def _framed(self, images: Sequence[Image.Image], frame: tuple[int, int]) -> Any:
        """Resized as floats without smoothing, normalised, padded on the right and below."""
        torch = prepare()
        functional = torch.nn.functional
        kind = self._weights_like()
        pixels = torch.stack(
            [torch.from_numpy(np.array(image.convert("RGB"))) for image in images]
        ).to(kind.device)
        pixels = pixels.permute(0, 3, 1, 2).float()
        if tuple(pixels.shape[-2:]) != frame:
            pixels = functional.interpolate(pixels, frame, mode="bilinear", align_corners=False)
        mean, spread = (pixels.new_tensor(v)[:, None, None] for v in (_MEAN, _SPREAD))
        below, right = (-side % _STEP for side in frame)
        return functional.pad((pixels - mean) / spread, (0, right, 0, below)).to(kind.dtype)

    def _lowered(self) -> Any:
        """Runs products in the chosen precision; weights and positions stay in full precision."""
        dtype = pick_precision(self.precision)
        device = self._weights_like().device.type
        return prepare().autocast(device, dtype, enabled=self.precision != "float32")

    def _weights_like(self) -> Any:
        """Any weight of the model: where it lies and in which precision."""
        return next(self._net.parameters())

    def _read(
        self,
        likely: Any,
        maps: Any,
        padded: tuple[int, int],
        frame: tuple[int, int],
        image: Image.Image,
    ) -> list[Detection]:
        chances, queries, names = likeliest(likely, _PAIRS)
        kept = chances > self.floor
        drawn, which = queries[kept].unique(return_inverse=True)
        masks, sure = _resize_masks(maps[drawn], padded, frame, (image.height, image.width))
        return self._detections(chances[kept] * sure[which], names[kept], masks, which)

    def _detections(self, scores: Any, names: Any, masks: Any, which: Any) -> list[Detection]:
        """`which` mask belongs to which score: a query may be two classes at once."""
        boxes = _extents(masks).tolist()
        lengths = run_lengths.encode(masks)
        return [
            {"class": self.classes[name], "score": score, "box": boxes[at], "mask": lengths[at]}
            for score, name, at in zip(scores.tolist(), names.tolist(), which.tolist(), strict=True)
            if score > self.floor
        ]


def likeliest(likely: Any, number: int) -> tuple[Any, Any, Any]:
    """The likeliest pairs of query and class: probability, query, class; "nothing" is no class.

    Not sorted: the detector's own order decides between equal scores.
    """
    torch = prepare()
    chances = torch.softmax(likely, -1)[:, :-1]
    top, places = chances.flatten().topk(min(number, chances.numel()), sorted=False)
    return top, places // chances.shape[1], places % chances.shape[1]


def sureness(logits: Any, positive: Any) -> Any:
    """The confidence of each mask: the mean probability of its own pixels."""
    inside = positive.flatten(1)
    return (logits.sigmoid().flatten(1) * inside).sum(1) / (inside.sum(1) + 1e-6)


def _resize_masks(
    maps: Any, padded: tuple[int, int], frame: tuple[int, int], size: tuple[int, int]
) -> tuple[Any, Any]:
    """Masks in the picture's own size and their confidence, a few at a time."""
    torch = prepare()
    masks = torch.zeros((len(maps), *size), dtype=torch.bool, device=maps.device)
    sure = torch.zeros(len(maps), device=maps.device)
    for start in range(0, len(maps), _DRAWN):
        some = slice(start, start + _DRAWN)
        logits = _enlarged(maps[some, None], padded)[:, :, : frame[0], : frame[1]]
        logits = _enlarged(logits, size)[:, 0]
        masks[some] = logits > 0
        sure[some] = sureness(logits, masks[some])
    return masks, sure


def _enlarged(maps: Any, size: tuple[int, int]) -> Any:
    return prepare().nn.functional.interpolate(maps, size, mode="bilinear", align_corners=False)


def _extents(masks: Any) -> Any:
    """Boxes from the first column and row to just behind the last; zeros for an empty mask."""
    torch = prepare()
    if not masks.numel():
        return torch.zeros((0, 4))
    edges = []
    for axis in (1, 2):  # columns that hold a pixel, then rows
        filled = masks.any(axis).int()
        edges.append(filled.argmax(1))
        edges.append(filled.shape[1] - filled.flip(1).argmax(1))
    boxes = torch.stack([edges[0], edges[2], edges[1], edges[3]], 1).float()
    return boxes * masks.flatten(1).any(1)[:, None]


def _framed_size(size: tuple[int, int], long_side: int, short_side: int) -> tuple[int, int]:
    """Height and width, the shape kept."""
    scale = min(long_side / max(size), short_side / min(size))
    width, height = (int(side * scale + 0.5) for side in size)
    return height, width
