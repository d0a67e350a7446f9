"""CLIP towers with a few thousand random weights, as both libraries save them.

The vocabulary has single letters only: without merges, words are spelled. Random weights of the
usual size embed everything alike; here they are larger, so that pictures and texts differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from string import ascii_lowercase

from jurybox_judging.engines.shared.torch_setup import prepare

# The end of a text is the last number: CLIP finds it as the largest.
VOCABULARY = {
    token: index
    for index, token in enumerate(
        [
            "!",
            *ascii_lowercase,
            *(f"{sign}</w>" for sign in f"{ascii_lowercase}-,."),
            "-",
            "<|startoftext|>",
            "<|endoftext|>",
        ]
    )
}
_SIDE = 32


def save_tokenizer(folder: Path, length: int, pad: str = "<|endoftext|>") -> None:
    from transformers import CLIPTokenizer

    CLIPTokenizer(
        vocab=VOCABULARY,
        merges=[],
        unk_token="<|endoftext|>",
        bos_token="<|startoftext|>",
        eos_token="<|endoftext|>",
        pad_token=pad,
        model_max_length=length,
    ).save_pretrained(folder)


def save_transformers_clip(folder: Path) -> Path:
    torch = prepare()
    from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel

    torch.manual_seed(0)
    tower = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2}
    config = CLIPConfig(
        text_config={
            **tower,
            "num_attention_heads": 2,
            "vocab_size": len(VOCABULARY),
            "max_position_embeddings": 40,
            "bos_token_id": VOCABULARY["<|startoftext|>"],
            "eos_token_id": VOCABULARY["<|endoftext|>"],
            "pad_token_id": VOCABULARY["<|endoftext|>"],
        },
        vision_config={**tower, "num_attention_heads": 2, "image_size": _SIDE, "patch_size": 8},
        projection_dim=16,
    )
    model = CLIPModel(config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
    model.save_pretrained(folder)
    CLIPImageProcessor(
        size={"shortest_edge": _SIDE}, crop_size={"height": _SIDE, "width": _SIDE}
    ).save_pretrained(folder)
    save_tokenizer(folder, length=40)
    return folder


def save_open_clip(folder: Path) -> Path:
    """A folder as `local-dir:` reads it; open_clip brings its own vocabulary of 49,408 tokens."""
    torch = prepare()
    import open_clip
    from safetensors.torch import save_file

    torch.manual_seed(0)
    config = {
        "embed_dim": 16,
        "vision_cfg": {
            "image_size": _SIDE,
            "layers": 2,
            "width": 64,
            "head_width": 32,
            "patch_size": 8,
        },
        "text_cfg": {
            "context_length": 77,
            "vocab_size": 49408,
            "width": 16,
            "heads": 2,
            "layers": 2,
        },
    }
    model = open_clip.CLIP(**config)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
    save_file(model.state_dict(), folder / "open_clip_model.safetensors")
    told = {"model_cfg": config, "preprocess_cfg": {"size": _SIDE}}
    (folder / "open_clip_config.json").write_text(json.dumps(told))
    return folder
