"""Mask2Former through transformers: the detector family of GenEval, installed in a minute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from jurybox_judging.engines.detection import mask_transformer
from jurybox_judging.engines.detection.coco_names import geneval_names
from jurybox_judging.engines.detection.lean_masks import ShrunkFeatures, attend, replaced
from jurybox_judging.engines.detection.mask_transformer import MaskTransformer
from jurybox_judging.engines.shared import weights
from jurybox_judging.engines.shared.checkpoint import SWIN_LAST_NORM, checkpoint_of
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.options import choice
from jurybox_judging.protocols import Detection

NAMES = {"mask2former": {"class": "Mask2Former", "needs": ("torch", "transformers")}}

# Files of the library's first versions have one more level of names, and stages counted from 0.
_EARLY_NAMES = {
    r"pixel_level_module\.encoder\.model\.(embeddings|encoder)\.": r"pixel_level_module.encoder.\1.",
    r"pixel_level_module\.encoder\.model\.layernorm\.": "pixel_level_module.encoder.swin.layernorm.",
} | {
    rf"pixel_level_module\.encoder\.hidden_states_norms\.{stage}\.": (
        f"pixel_level_module.encoder.hidden_states_norms.stage{stage + 1}."
    )
    for stage in range(4)
}
_GRID = (384, 384)  # on which transformers' own post-processing compares masks


@dataclass(eq=False)
class Mask2Former(MaskTransformer):
    checkpoint: str = checkpoint_of("facebook/mask2former-swin-small-coco-instance")
    reading: str = choice(
        "geneval",
        ("geneval", "transformers"),
        "“geneval” prepares pictures and reads masks as GenEval's own detector code does. "
        "“transformers” follows that library: the checkpoint's own resizing, masks compared on "
        "384 × 384 cells.",
        is_fact=True,
    )

    identity = "judges.engines.mask2former:Mask2Former"
    version = "mask2former-1"
    never_used = SWIN_LAST_NORM

    def _load(self) -> None:
        prepare()
        from transformers import AutoImageProcessor, Mask2FormerForUniversalSegmentation

        # The weights of training losses are no part of the judge.
        weights.pick_precision(self.precision)
        self._net = self._model(
            Mask2FormerForUniversalSegmentation,
            precision="float32",
            ignore=(r"^criterion\.",),
            key_mapping=_EARLY_NAMES,
        )
        names = self._net.config.id2label
        self.classes = geneval_names([names[index] for index in sorted(names)])
        if self.reading == "transformers":
            self._prepare_pixels = self._processor(AutoImageProcessor)

    def _queries(self, pixels: Any) -> tuple[Any, Any]:
        from transformers.models.mask2former import modeling_mask2former

        predictor = self._net.model.transformer_module.decoder.mask_predictor
        features = ShrunkFeatures()

        def lean(states: Any, whole: Any, size: Any = None) -> tuple[Any, Any]:
            queries = predictor.mask_embedder(states.transpose(0, 1))
            return queries, features.attention(queries, whole, size, predictor.num_heads)

        with (
            replaced(predictor, "forward", lean),
            replaced(modeling_mask2former, "multi_scale_deformable_attention", attend),
        ):
            output = self._net(pixel_values=pixels)
        return output.class_queries_logits, features.maps(output.masks_queries_logits)

    def _framed(self, images: Sequence[Image.Image], frame: tuple[int, int]) -> Any:
        if self.reading == "geneval":
            return super()._framed(images, frame)
        kind = self._weights_like()
        given = self._prepare_pixels(
            images=[image.convert("RGB") for image in images], return_tensors="pt"
        )
        return given["pixel_values"].to(kind.device, kind.dtype)

    def _read(
        self,
        likely: Any,
        maps: Any,
        padded: tuple[int, int],
        frame: tuple[int, int],
        image: Image.Image,
    ) -> list[Detection]:
        if self.reading == "geneval":
            return super()._read(likely, maps, padded, frame, image)
        resize = prepare().nn.functional.interpolate
        chances, queries, names = mask_transformer.likeliest(likely, len(likely))
        drawn, which = queries[chances > self.floor].unique(return_inverse=True)
        logits = resize(maps[drawn, None], _GRID, mode="bilinear", align_corners=False)[:, 0]
        sure = mask_transformer.sureness(logits, logits > 0)
        size = (image.height, image.width)
        masks = resize((logits > 0).float()[:, None], size, mode="nearest")[:, 0] > 0
        kept = chances > self.floor
        return self._detections(chances[kept] * sure[which], names[kept], masks, which)
