"""SigLIP and SigLIP 2 (the one that takes pictures of any shape) with a few thousand random weights."""

from __future__ import annotations

from pathlib import Path

from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines.tiny_clip import VOCABULARY, save_tokenizer

LENGTH = 24


def save(family: str, folder: Path) -> Path:
    torch = prepare()
    from transformers import (
        AutoConfig,
        AutoModel,
        Siglip2ImageProcessor,
        SiglipImageProcessor,
    )

    torch.manual_seed(3)
    tower = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    vision = {**tower, "patch_size": 8}
    if family == "siglip":
        vision["image_size"] = 32
        images = SiglipImageProcessor(size={"height": 32, "width": 32})
    else:
        vision["num_patches"] = 16
        images = Siglip2ImageProcessor(patch_size=8, max_num_patches=16)
    text = {
        **tower,
        "vocab_size": len(VOCABULARY),
        "max_position_embeddings": LENGTH,
        "projection_size": 32,
        "pad_token_id": VOCABULARY["!"],
        "bos_token_id": VOCABULARY["<|startoftext|>"],
        "eos_token_id": VOCABULARY["<|endoftext|>"],
    }
    model = AutoModel.from_config(
        AutoConfig.for_model(family, text_config=text, vision_config=vision)
    )
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
            elif name in ("logit_scale", "logit_bias"):
                weight.fill_(1.5 if name == "logit_scale" else -2.0)
    model.save_pretrained(folder)
    images.save_pretrained(folder)
    save_tokenizer(folder, LENGTH, pad="!")
    return folder
