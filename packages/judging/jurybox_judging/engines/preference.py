"""Models trained on which of two pictures people prefer. Each has a scale of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from jurybox_judging.engines.clip import (
    PROCESSOR,
    RESIZE,
    RESIZE_HELP,
    OpenClip,
    TransformersClip,
    open_clip_model,
)
from jurybox_judging.engines.shared import tensor_files, weights
from jurybox_judging.engines.shared.checkpoint import (
    CheckpointEngine,
    checkpoint_of,
    pictures_or_found,
)
from jurybox_judging.engines.shared.clip_pixels import MEAN, SPREAD
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.options import choice, weights_of

NAMES = {
    "pick-score": {"class": "PickScore", "needs": ("torch", "transformers")},
    "hps-v2": {"class": "HPSv2", "needs": ("torch", "open_clip")},
    "image-reward": {"class": "ImageReward", "needs": ("torch", "transformers")},
}


@dataclass(eq=False)
class PickScore(TransformersClip):
    """A CLIP ViT-H/14 of its own; the cosine, without the scale that only training needs."""

    checkpoint: str = checkpoint_of("yuvalkirstain/PickScore_v1")
    batch: int = pictures_or_found(16)
    processor: str = weights_of("laion/CLIP-ViT-H-14-laion2B-s32B-b79K", PROCESSOR, is_fact=True)

    identity = "judges.engines.preference:PickScore"
    version = "pickscore-1"


@dataclass(eq=False)
class HPSv2(OpenClip):
    """A CLIP ViT-H/14; sees the whole picture, with bars beside it."""

    checkpoint: str = checkpoint_of(help="The authors' file.")
    batch: int = pictures_or_found(16)
    model: str = open_clip_model("ViT-H-14")
    resize: str = choice("longest", RESIZE, RESIZE_HELP, is_fact=True)

    identity = "judges.engines.preference:HPSv2"
    version = "hpsv2-1"


@dataclass(eq=False)
class ImageReward(CheckpointEngine):
    """BLIP's text tower reads the prompt together with the picture; a small net turns its first
    token into a reward, with a mean of about 0 and a spread of about 1."""

    checkpoint: str = checkpoint_of(help="The authors' file.")
    batch: int = pictures_or_found(16)
    tokenizer: str = weights_of("google-bert/bert-base-uncased", "BERT's vocabulary.", is_fact=True)

    identity = "judges.engines.preference:ImageReward"
    version = "imagereward-1"
    has_revisions = False
    libraries = ("torch", "transformers", "torchvision", "pillow")

    def _load(self) -> None:
        torch = prepare()
        from torchvision import transforms
        from transformers import AutoTokenizer, BlipTextModel, BlipVisionModel

        state = familiar_keys(tensor_files.load_state(weights.check_named(self.weights_at)))
        eyes, words = _shapes_of(state, self.checkpoint)
        widths = [state[f"mlp.layers.{at}.weight"].shape for at in _LAYERS_OF_REWARD]
        net = torch.nn.ModuleDict(
            {
                "vision_model": BlipVisionModel(eyes),
                "text_encoder": BlipTextModel(words, add_pooling_layer=False),
                "mlp": torch.nn.Sequential(*(torch.nn.Linear(w[1], w[0]) for w in widths)),
            }
        )
        for place, at in enumerate(_LAYERS_OF_REWARD):
            for part in ("weight", "bias"):
                state[f"mlp.{place}.{part}"] = state.pop(f"mlp.layers.{at}.{part}")
        own = net.state_dict()
        weights.check_keys(
            self.checkpoint,
            missing=own.keys() - state.keys(),
            unexpected=state.keys() - own.keys(),
            mismatched=[k for k in own.keys() & state.keys() if own[k].shape != state[k].shape],
        )
        weights.end_of_comparison()
        net.load_state_dict(state, strict=False)
        dtype = weights.pick_precision(self.precision)
        self._net = net.to(weights.pick_device(self.device), dtype).eval()
        self._tokenize = self._processor(AutoTokenizer, self.tokenizer)
        self._prepare_image = transforms.Compose(
            [
                transforms.Resize(eyes.image_size, transforms.InterpolationMode.BICUBIC),
                transforms.CenterCrop(eyes.image_size),
                transforms.ToTensor(),
                transforms.Normalize(MEAN, SPREAD),
            ]
        )

    def similarities(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        self.load()
        torch = prepare()
        rewards: list[float] = []
        with torch.inference_mode(), memory_guard():
            for start in range(0, len(pairs), self.batch):
                rewards += self._rewards(pairs[start : start + self.batch])
        return rewards

    def _rewards(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        torch = prepare()
        some = next(self._net.parameters())
        images = {id(image): image for image, _ in pairs}
        row = {key: place for place, key in enumerate(images)}
        pixels = torch.stack([self._prepare_image(i.convert("RGB")) for i in images.values()])
        seen = self._net["vision_model"](pixels.to(some.device, some.dtype)).last_hidden_state
        seen = seen[[row[id(image)] for image, _ in pairs]]
        given = self._tokenize(
            [text for _, text in pairs],
            padding=True,
            truncation=True,
            max_length=_LONGEST_TEXT,
            return_tensors="pt",
        ).to(some.device)
        read = self._net["text_encoder"](
            input_ids=given["input_ids"],
            attention_mask=given["attention_mask"],
            encoder_hidden_states=seen,
            encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long, device=some.device),
        ).last_hidden_state
        rewards = self._net["mlp"](read[:, 0]).float()[:, 0]
        return ((rewards - _AVERAGE) / _DEVIATION).tolist()


# The authors' numbers: text length, mean and spread of raw rewards, and where among the dropouts
# of the small net its linear layers stand.
_LONGEST_TEXT = 35
_AVERAGE, _DEVIATION = 0.16717362830052426, 1.0333394966054072
_LAYERS_OF_REWARD = (0, 2, 4, 6, 7)
_HEAD = 64  # width of an attention head, in both towers

_RENAMED = (
    (r"^blip\.text_encoder\.", "text_encoder."),
    (r"^blip\.visual_encoder\.cls_token$", "vision_model.embeddings.class_embedding"),
    (r"^blip\.visual_encoder\.pos_embed$", "vision_model.embeddings.position_embedding"),
    (r"^blip\.visual_encoder\.patch_embed\.proj\.", "vision_model.embeddings.patch_embedding."),
    (r"^blip\.visual_encoder\.norm\.", "vision_model.post_layernorm."),
    (r"^blip\.visual_encoder\.blocks\.", "vision_model.encoder.layers."),
    (r"(vision_model\.encoder\.layers\.\d+)\.attn\.qkv\.", r"\1.self_attn.qkv."),
    (r"(vision_model\.encoder\.layers\.\d+)\.attn\.proj\.", r"\1.self_attn.projection."),
    (r"(vision_model\.encoder\.layers\.\d+)\.norm([12])\.", r"\1.layer_norm\2."),
)


def familiar_keys(state: Mapping[str, Any]) -> dict[str, Any]:
    """The authors' weights under the names of transformers, without the two projections that only
    training needs."""
    renamed = {}
    for key, value in state.items():
        if key.startswith(("blip.vision_proj.", "blip.text_proj.")):
            continue
        for old, new in _RENAMED:
            key = re.sub(old, new, key)
        renamed[key] = value
    return renamed


def _shapes_of(state: Mapping[str, Any], checkpoint: str) -> tuple[Any, Any]:
    """The configuration of both towers, derived from the shapes of their weights."""
    from transformers import BlipTextConfig, BlipVisionConfig

    needed = (
        "vision_model.embeddings.patch_embedding.weight",
        "vision_model.embeddings.position_embedding",
        "vision_model.encoder.layers.0.mlp.fc1.weight",
        "text_encoder.embeddings.word_embeddings.weight",
        "text_encoder.embeddings.position_embeddings.weight",
        "text_encoder.encoder.layer.0.intermediate.dense.weight",
        *(f"mlp.layers.{at}.weight" for at in _LAYERS_OF_REWARD),
    )
    weights.check_keys(checkpoint, missing=[key for key in needed if key not in state])
    patches, places, mlp, vocabulary, positions, dense = (state[key] for key in needed[:6])
    patch = patches.shape[-1]
    eyes = BlipVisionConfig(
        hidden_size=patches.shape[0],
        intermediate_size=mlp.shape[0],
        num_hidden_layers=_layers(state, "vision_model.encoder.layers"),
        num_attention_heads=patches.shape[0] // _HEAD,
        image_size=math.isqrt(places.shape[1] - 1) * patch,
        patch_size=patch,
        layer_norm_eps=1e-6,
    )
    words = BlipTextConfig(
        vocab_size=vocabulary.shape[0],
        hidden_size=vocabulary.shape[1],
        encoder_hidden_size=patches.shape[0],
        intermediate_size=dense.shape[0],
        num_hidden_layers=_layers(state, "text_encoder.encoder.layer"),
        num_attention_heads=vocabulary.shape[1] // _HEAD,
        max_position_embeddings=positions.shape[0],
        layer_norm_eps=1e-12,
    )
    return eyes, words


def _layers(state: Mapping[str, Any], stem: str) -> int:
    found = re.compile(rf"{re.escape(stem)}\.(\d+)\.")
    return 1 + max(int(match[1]) for key in state if (match := found.match(key)))
