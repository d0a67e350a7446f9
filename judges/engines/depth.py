"""Relative depth by DPT, Depth Anything and their kin: larger is nearer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image

from judges.engines.shared.batches import alike
from judges.engines.shared.checkpoint import CheckpointEngine, checkpoint_of
from judges.engines.shared.torch_setup import prepare
from judges.engines.shared.weights import memory_guard
from judges.errors import EngineRefused


@dataclass(eq=False)
class Depth(CheckpointEngine):
    checkpoint: str = checkpoint_of("Intel/dpt-hybrid-midas")

    identity = "judges.engines.depth:Depth"
    version = "depth-1"

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

    def depths(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        self.load()
        maps: list[np.ndarray | None] = [None] * len(images)
        with prepare().inference_mode(), memory_guard():
            for places in alike(images, self.batch):
                batch = self._look([images[place] for place in places])
                for place, depth in zip(places, batch, strict=True):
                    maps[place] = depth
        return [depth for depth in maps if depth is not None]

    def _look(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        """Pictures of one size, so that they have one size after preparation too."""
        some = next(self._net.parameters())
        pixels = self._prepare_images(
            images=[image.convert("RGB") for image in images], return_tensors="pt"
        )["pixel_values"]
        output = self._net(pixel_values=pixels.to(some.device, some.dtype))
        output.predicted_depth = output.predicted_depth.float()
        sizes = [(image.height, image.width) for image in images]
        read = self._prepare_images.post_process_depth_estimation(output, target_sizes=sizes)
        return [depth["predicted_depth"].cpu().numpy() for depth in read]
