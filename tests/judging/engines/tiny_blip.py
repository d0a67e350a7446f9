"""A BLIP of some thousand random weights, saved as its makers save theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared.torch_setup import prepare

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXT = "yes no red green apple wooden bench the is are there two three how many in image cat one"
WORDS = [*"abcde?,'–", *TEXT.split(), "bl", "##ue", "##s"]


def picture(seed: int, width: int = 40, height: int = 30) -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(noise)


def save_blip(folder: Path, seed: int = 0, **vision: int) -> Path:
    """Weights are drawn wide, so that answers really depend on picture and question."""
    torch = prepare()
    from transformers import BertTokenizer, BlipConfig, BlipForQuestionAnswering

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = SPECIAL + WORDS
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    BertTokenizer.from_pretrained(folder).save_pretrained(folder)
    config = BlipConfig(
        text_config={
            "vocab_size": len(vocabulary) + 2,
            "bos_token_id": len(vocabulary),
            "pad_token_id": 0,
            "sep_token_id": SPECIAL.index("[SEP]"),
            "hidden_size": 64,
            "encoder_hidden_size": 64,
            "intermediate_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "max_position_embeddings": 64,
        },
        vision_config={
            "hidden_size": 64,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "image_size": 32,
            "patch_size": 8,
            **vision,
        },
    )
    torch.manual_seed(seed)
    model = BlipForQuestionAnswering(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1 or "bias" in name:
                weight.normal_(0, 0.25)
    model.save_pretrained(folder)
    return folder
