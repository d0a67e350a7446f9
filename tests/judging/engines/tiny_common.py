"""Gemma 3, InternVL and Qwen3.5 with their true parts and some thousand random weights each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared.torch_setup import prepare
from tests.judging.engines import tiny_llava, tiny_qwen

_CHAT = tiny_llava.CHAT
_TEXT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
}
_TOWER = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
_SQUARE = {"height": 32, "width": 32}


def save_gemma3(folder: Path) -> Path:
    prepare().manual_seed(0)
    from transformers import (
        Gemma3Config,
        Gemma3ForConditionalGeneration,
        Gemma3ImageProcessor,
        Gemma3Processor,
    )

    words = _words(image_token="<img>", boi_token="<boi>", eoi_token="<eoi>")
    config = Gemma3Config(
        text_config={**_TEXT, **_marks(words), "sliding_window": 64},
        vision_config={**_TOWER, "image_size": 32, "patch_size": 8},
        mm_tokens_per_image=4,
        image_token_index=words.convert_tokens_to_ids("<img>"),
        boi_token_index=words.convert_tokens_to_ids("<boi>"),
        eoi_token_index=words.convert_tokens_to_ids("<eoi>"),
    )
    model = Gemma3ForConditionalGeneration(config)
    tiny_llava._spread(model)
    # Zero in a new model: it would not see.
    model.model.multi_modal_projector.mm_input_projection_weight.data.normal_(0, 0.6)
    model.save_pretrained(folder)
    Gemma3Processor(
        image_processor=Gemma3ImageProcessor(size=_SQUARE),
        tokenizer=words,
        image_seq_length=4,
        chat_template=_CHAT.replace("<image>", "<boi>"),
    ).save_pretrained(folder)
    return folder


def save_internvl(folder: Path) -> Path:
    prepare().manual_seed(0)
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    words = _words(
        start_image_token="<img>",
        end_image_token="</img>",
        context_image_token="<IMG_CONTEXT>",
        video_token="<video>",
    )
    config = InternVLConfig(
        text_config={"model_type": "qwen2", **_TEXT, **_marks(words)},
        vision_config={**_TOWER, "image_size": [32, 32], "patch_size": [8, 8]},
        image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    model = InternVLForConditionalGeneration(config)
    tiny_llava._spread(model)
    model.save_pretrained(folder)
    InternVLProcessor(
        image_processor=GotOcr2ImageProcessor(size=_SQUARE),
        tokenizer=words,
        video_processor=InternVLVideoProcessor(size=_SQUARE),
        image_seq_length=4,
        chat_template=_CHAT.replace("<image>", "<IMG_CONTEXT>"),
    ).save_pretrained(folder)
    return folder


def save_qwen35(folder: Path) -> Path:
    prepare().manual_seed(0)
    from transformers import Qwen3_5Config, Qwen3_5ForConditionalGeneration

    processor = tiny_qwen._processor("qwen3_vl", tiny_qwen.tokenizer())
    words = processor.tokenizer
    config = Qwen3_5Config(
        text_config={
            **_TEXT,
            **_marks(words),
            "num_hidden_layers": 4,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 4,
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_heads": 2,
            "out_hidden_size": 32,
            "deepstack_visual_indexes": [],
        },
        image_token_id=words.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=words.convert_tokens_to_ids("<|video_pad|>"),
        vision_start_token_id=words.convert_tokens_to_ids("<|vision_start|>"),
        vision_end_token_id=words.convert_tokens_to_ids("<|vision_end|>"),
    )
    model = Qwen3_5ForConditionalGeneration(config)
    tiny_llava._spread(model)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def _words(**special: str) -> Any:
    from transformers import PreTrainedTokenizerFast

    return PreTrainedTokenizerFast(
        tokenizer_object=tiny_llava._byte_words().backend_tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        extra_special_tokens=special,
    )


def _marks(words: Any) -> dict[str, Any]:
    return {
        "vocab_size": len(words),
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.eos_token_id,
        "pad_token_id": words.pad_token_id,
    }
