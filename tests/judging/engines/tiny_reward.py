"""A small ImageReward in a file as its authors write it, and its score by their steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines.tiny_blip import SPECIAL, WORDS

_WIDTHS = (64, 32, 24, 16, 8, 1)
_PLACES = (0, 2, 4, 6, 7)  # of the linear layers among the dropouts


@dataclass(frozen=True)
class Reward:
    file: Path
    words: Path
    eyes: Any
    reader: Any
    layers: list[Any]

    def score(self, image: Image.Image, text: str) -> float:
        """One picture and one text, padded to 35 tokens as the authors do."""
        torch = prepare()
        from torchvision.transforms import functional
        from transformers import AutoTokenizer

        side = round(32 * max(image.size) / min(image.size))
        size = (side, 32) if image.width > image.height else (32, side)
        small = functional.center_crop(image.resize(size, Image.Resampling.BICUBIC), 32)
        pixels = functional.normalize(
            functional.to_tensor(small),
            (0.48145466, 0.4578275, 0.40821073),
            (0.26862954, 0.26130258, 0.27577711),
        )
        given = AutoTokenizer.from_pretrained(self.words)(
            text, padding="max_length", truncation=True, max_length=35, return_tensors="pt"
        )
        with torch.inference_mode():
            seen = self.eyes(pixel_values=pixels[None]).last_hidden_state
            state = self.reader(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                encoder_hidden_states=seen,
                encoder_attention_mask=torch.ones(seen.shape[:2], dtype=torch.long),
            ).last_hidden_state[:, 0]
            for layer in self.layers:
                state = layer(state)
        return (float(state) - 0.16717362830052426) / 1.0333394966054072


def save(folder: Path) -> Reward:
    torch = prepare()
    from transformers import (
        BertTokenizer,
        BlipTextConfig,
        BlipTextModel,
        BlipVisionConfig,
        BlipVisionModel,
    )

    torch.manual_seed(0)
    (folder / "vocab.txt").write_text("\n".join(SPECIAL + WORDS) + "\n", encoding="utf-8")
    BertTokenizer.from_pretrained(folder).save_pretrained(folder)
    tower = {
        "hidden_size": 64,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
    }
    eyes = BlipVisionModel(
        BlipVisionConfig(**tower, image_size=32, patch_size=8, layer_norm_eps=1e-6)
    )
    reader = BlipTextModel(
        BlipTextConfig(
            **tower,
            vocab_size=len(SPECIAL + WORDS) + 2,
            encoder_hidden_size=64,
            max_position_embeddings=48,
            layer_norm_eps=1e-12,
        ),
        add_pooling_layer=False,
    )
    layers = [
        torch.nn.Linear(wide, narrow)
        for wide, narrow in zip(_WIDTHS[:-1], _WIDTHS[1:], strict=True)
    ]
    with torch.no_grad():
        for part in (eyes, reader):
            for weight in part.parameters():
                if weight.ndim > 1:
                    weight.normal_(0, 0.25)
    state = {f"blip.visual_encoder.{_old(key)}": value for key, value in eyes.state_dict().items()}
    state |= {f"blip.text_encoder.{key}": value for key, value in reader.state_dict().items()}
    for place, layer in zip(_PLACES, layers, strict=True):
        state[f"mlp.layers.{place}.weight"] = layer.weight.detach()
        state[f"mlp.layers.{place}.bias"] = layer.bias.detach()
    state["blip.vision_proj.weight"] = torch.zeros(4, 64)  # only training used it
    file = folder / "ImageReward.pt"
    torch.save(state, file)
    return Reward(file, folder, eyes.eval(), reader.eval(), layers)


def _old(key: str) -> str:
    """The authors' name of a weight of the picture's tower."""
    for new, old in (
        ("embeddings.class_embedding", "cls_token"),
        ("embeddings.position_embedding", "pos_embed"),
        ("embeddings.patch_embedding", "patch_embed.proj"),
        ("post_layernorm", "norm"),
        ("encoder.layers", "blocks"),
        ("self_attn.projection", "attn.proj"),
        ("self_attn", "attn"),
        ("layer_norm", "norm"),
    ):
        key = key.replace(new, old)
    return key
