"""A CLIP-FlanT5 of some thousand random weights, under the names of the published checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

from jurybox_judging.engines.shared.torch_setup import prepare

TEXT = (
    "Does this figure show a red apple and the cat ? Please answer yes or no . Yes No USER : A chat"
)
LETTERS = "abcdefghijklmnopqrstuvwxyzADPUYNSETIR\"'{}.,?:–ü"


def vocabulary() -> list[tuple[str, float]]:
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -3.0)]
    pieces += [(f"▁{word}", -4.0) for word in dict.fromkeys(TEXT.split())]
    return pieces + [(letter, -8.0) for letter in dict.fromkeys(LETTERS)]


def save_clip_flant5(folder: Path, seed: int = 0) -> Path:
    """One file with all tensors, T5's configuration, and its tokenizer; beside it, the tower's."""
    torch = prepare()
    from safetensors.torch import save_file
    from transformers import (
        CLIPVisionConfig,
        CLIPVisionModel,
        T5Config,
        T5ForConditionalGeneration,
        T5Tokenizer,
    )

    torch.manual_seed(seed)
    tokenizer = T5Tokenizer(vocab=vocabulary(), extra_ids=0)
    tokenizer.save_pretrained(folder)
    small = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_heads": 4, "num_layers": 2}
    config = T5Config(
        vocab_size=len(tokenizer) + 5,  # padded, as the published tables are
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        **small,
    )
    tower = CLIPVisionConfig(
        hidden_size=24,
        intermediate_size=32,
        num_hidden_layers=3,
        num_attention_heads=3,
        image_size=32,
        patch_size=8,
    )
    tower.save_pretrained(folder / "tower")
    t5, clip = T5ForConditionalGeneration(config), CLIPVisionModel(tower)
    state = {key: value.clone() for key, value in t5.state_dict().items()}
    state["lm_head.weight"] = 0.15 * torch.randn(config.vocab_size, 32)
    for key, value in clip.state_dict().items():
        state[f"vision_tower.vision_tower.vision_model.{key.removeprefix('vision_model.')}"] = value
    state["mm_projector.0.weight"], state["mm_projector.0.bias"] = (
        torch.randn(32, 24),
        torch.randn(32),
    )
    state["mm_projector.2.weight"], state["mm_projector.2.bias"] = (
        torch.randn(32, 32),
        torch.randn(32),
    )
    for key in (
        "encoder.embed_tokens.weight",
        "decoder.embed_tokens.weight",
        "embed_tokens.weight",
    ):
        state[key] = state["shared.weight"].clone()
    wide = {
        key: value * 3 if value.ndim == 2 and "mm_" not in key else value
        for key, value in state.items()
    }
    save_file(wide, folder / "model.safetensors", metadata={"format": "pt"})
    told = {**config.to_dict(), "model_type": "clip_t5", "architectures": ["CLIPT5"]}
    told |= {"mm_vision_tower": "openai/clip-vit-large-patch14-336", "tie_word_embeddings": False}
    (folder / "config.json").write_text(json.dumps(told))
    return folder
