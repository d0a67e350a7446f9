"""BLIP and BLIP-2 with their matching heads, some thousand random weights each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.errors import EngineRefused
from tests.judging.engines.tiny_blip import SPECIAL, WORDS

_TOWER = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2}


def _save(model: Any, folder: Path) -> None:
    torch = prepare()
    from transformers import BertTokenizer, BlipImageProcessor

    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.25)
    model.save_pretrained(folder)
    BlipImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(SPECIAL + WORDS) + "\n", encoding="utf-8")
    BertTokenizer.from_pretrained(folder).save_pretrained(folder)


def save_blip(folder: Path) -> None:
    prepare().manual_seed(0)
    from transformers import BlipConfig, BlipForImageTextRetrieval

    config = BlipConfig(
        text_config={
            **_TOWER,
            "num_attention_heads": 2,
            "encoder_hidden_size": 32,
            "vocab_size": len(SPECIAL + WORDS) + 2,
            "max_position_embeddings": 64,
        },
        vision_config={**_TOWER, "num_attention_heads": 2, "image_size": 32, "patch_size": 8},
        image_text_hidden_size=16,
    )
    _save(BlipForImageTextRetrieval(config), folder)


def save_blip2(folder: Path) -> None:
    prepare().manual_seed(0)
    from transformers import Blip2Config, Blip2ForImageTextRetrieval

    config = Blip2Config(
        vision_config={**_TOWER, "num_attention_heads": 2, "image_size": 32, "patch_size": 8},
        qformer_config={
            **_TOWER,
            "num_attention_heads": 2,
            "encoder_hidden_size": 32,
            "vocab_size": len(SPECIAL + WORDS) + 2,
            "max_position_embeddings": 64,
            "use_qformer_text_input": True,
        },
        num_query_tokens=4,
        image_text_hidden_size=16,
    )
    _save(Blip2ForImageTextRetrieval(config), folder)


def refuses_without_a_weight(engine: Any, folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in Path(engine.checkpoint).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    state = load_file(folder / "model.safetensors")
    del state["itm_head.weight"]
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineRefused, match=r"it lacks: itm_head\.weight"):
        type(engine)(str(folder), device="cpu").load()
