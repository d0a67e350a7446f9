"""Relative depth by DPT, Depth Anything and their kin: larger is nearer.

"compbench" is the reading of T2I-CompBench's script: a square of 480 pixels, the map stretched to 0 … 1,
brought to the picture's size, rounded down to 256 steps and brought to the frame of the boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.boxes import frame
from jurybox_judging.engines.shared.batches import group_by_size
from jurybox_judging.engines.shared.checkpoint import CheckpointEngine, checkpoint_of
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice

NAMES = {"depth": {"class": "Depth", "needs": ("torch", "transformers")}}

_SIDE = 480  # pixels; the official script's


@dataclass(eq=False)
class Depth(CheckpointEngine):
    checkpoint: str = checkpoint_of("Intel/dpt-hybrid-midas")
    reading: str = choice(
        "checkpoint",
        ("checkpoint", "compbench"),
        "How a picture is prepared and its map is read. “compbench”: as T2I-CompBench's script does, "
        "at 480 × 480 pixels and in 256 steps.",
    )

    identity = "judges.engines.depth:Depth"
    version = "depth-1"
    never_used = {
        r"^neck\.fusion_stage\.layers\.0\.residual_layer1\.": "the first fusion has nothing coarser "
        "to add, so its first residual unit is never called"
    }

    def _load(self) -> None:
        prepare()
        from transformers import AutoImageProcessor, AutoModelForDepthEstimation

        self._net = self._model(AutoModelForDepthEstimation)
        self._prepare_images = self._processor(AutoImageProcessor)
        if getattr(self._net.config, "depth_estimation_type", "relative") == "metric":
            raise EngineRefused(
                f"“{self.checkpoint}” measures meters, in which larger is farther; judges of depth "
                "need a relative model, in which larger is nearer."
            )
        embeddings: Any = getattr(getattr(self._net, "dpt", None), "embeddings", None)
        if self.reading == "compbench" and hasattr(embeddings, "image_size"):
            # The hybrid checks the size that it was trained with; its position table is stretched.
            embeddings.image_size = (_SIDE, _SIDE)

    def depths(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        self.load()
        maps: list[np.ndarray | None] = [None] * len(images)
        with prepare().inference_mode(), memory_guard():
            for places in group_by_size(images, self.batch):
                batch = self._look([images[place] for place in places])
                for place, depth in zip(places, batch, strict=True):
                    maps[place] = depth
        return [depth for depth in maps if depth is not None]

    def _look(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        """Pictures of one size, so that they have one size after preparation too."""
        if self.reading == "compbench":
            return self._look_as_coded(images)
        some = next(self._net.parameters())
        pixels = self._prepare_images(
            images=[image.convert("RGB") for image in images], return_tensors="pt"
        )["pixel_values"]
        output = self._net(pixel_values=pixels.to(some.device, some.dtype))
        output.predicted_depth = output.predicted_depth.float()
        sizes = [(image.height, image.width) for image in images]
        read = self._prepare_images.post_process_depth_estimation(output, target_sizes=sizes)
        return [depth["predicted_depth"].cpu().numpy() for depth in read]

    def _look_as_coded(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        torch = prepare()
        some = next(self._net.parameters())
        squares = [
            image.convert("RGB").resize((_SIDE, _SIDE), Image.Resampling.BILINEAR)
            for image in images
        ]
        values = np.stack([np.asarray(square, dtype=np.float32) / 255 for square in squares])
        pixels = torch.from_numpy((values - 0.5) / 0.5).permute(0, 3, 1, 2)
        seen = self._net(pixel_values=pixels.to(some.device, some.dtype)).predicted_depth.float()
        return [_stepped(depth, image.size) for depth, image in zip(seen, images, strict=True)]


def _stepped(depth: Any, size: tuple[int, int]) -> np.ndarray:
    """The map as the official script stores it as a picture and reads it again."""
    low, high = depth.min(), depth.max()
    stretched = (depth - low) / (high - low) if high > low else depth * 0
    resized = prepare().nn.functional.interpolate(
        stretched[None, None], size=size[::-1], mode="bilinear", align_corners=True
    )
    stored = Image.fromarray(255 * resized[0, 0].cpu().numpy()).convert("L")
    return np.asarray(stored.resize(frame(size), Image.Resampling.BILINEAR), np.float32) / 255
