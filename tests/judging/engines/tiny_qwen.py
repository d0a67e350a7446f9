"""Qwen2-VL, 2.5 and 3 (also with experts): their true parts, a few thousand random weights each.

Random weights of the usual size answer every question alike; here they are larger, so that the
answers differ by question and picture and the likeliest token is likely.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared.torch_setup import prepare

FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe")
_SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"),
    *("<|image_pad|>", "<|video_pad|>"),
)
# What the vocabulary is made from: common words become one token, others come letter by letter.
_SENTENCES = (
    "How many cats are in the image? Answer in one word.",
    "Are there any dogs in the picture? Answer in one word.",
    'Does this image show "a red cube"? Answer the question with Yes or No.',
    "Is the cube blue? Are the shapes green? yes no Yes No one two three One Two Three",
    "You are a helpful assistant. system user assistant",
)
_TEMPLATE = """{%- for message in messages -%}
{%- if loop.first and SYSTEM -%}
{{ '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
{%- endif -%}
{{ '<|im_start|>' + message['role'] + '\\n' }}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}
{{ '<|vision_start|><|image_pad|><|vision_end|>' }}
{%- else -%}
{{ part['text'] }}
{%- endif -%}
{%- endfor -%}
{{ '<|im_end|>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{ '<|im_start|>assistant\\n' }}
{%- endif -%}"""


class Library:
    """The library's own processor and model, loaded by its own words."""

    def __init__(self, checkpoint: Path) -> None:
        prepare()
        from transformers import AutoModelForImageTextToText, AutoProcessor

        self.processor = AutoProcessor.from_pretrained(checkpoint)
        self.model = AutoModelForImageTextToText.from_pretrained(checkpoint).eval()

    def given(self, image: Any, text: str, more: str = "") -> Any:
        return self.encode([{"type": "image"}, {"type": "text", "text": text}], [image], more)

    def encode(self, content: list[dict[str, str]], images: list[Any], more: str = "") -> Any:
        whole = self.processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        return self.processor(text=[whole + more], images=images, return_tensors="pt")

    def shares(self, shown: Any, text: str) -> Any:
        """What each token of the vocabulary has of the first place of the reply."""
        with prepare().inference_mode():
            made = self.model.generate(
                **self.given(shown, text),
                max_new_tokens=1,
                do_sample=False,
                output_scores=True,
                return_dict_in_generate=True,
            )
        return made.scores[0][0].softmax(-1)


def save(family: str, folder: Path, **how: Any) -> Path:
    processor, model = parts(family, **how)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def parts(
    family: str,
    *,
    sentences: tuple[str, ...] = _SENTENCES,
    text: dict[str, Any] | None = None,
    vision: dict[str, Any] | None = None,
    peak: float = 0.6,
    device: str = "cpu",
    dtype: str = "float32",
) -> tuple[Any, Any]:
    """Processor and model; `text` and `vision` override sizes, `peak` is how sure answers are."""
    torch = prepare()
    torch.manual_seed(0)
    processor = _processor(family, tokenizer(sentences))
    with torch.device(device):
        model = _model(family, processor.tokenizer, text or {}, vision or {}, dtype)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "embed_tokens" in name or "lm_head" in name:
                weight.normal_(0, peak)
    return processor, model


@cache
def tokenizer(sentences: tuple[str, ...] = _SENTENCES) -> Any:
    prepare()
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import Qwen2Tokenizer

    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learned.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    learned.train_from_iterator(
        sentences, trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False)
    )
    parts = _json(learned)
    made = Qwen2Tokenizer(
        vocab=parts["vocab"],
        merges=[tuple(pair) for pair in parts["merges"]],
        eos_token="<|im_end|>",
    )
    made.add_special_tokens({"additional_special_tokens": list(_SPECIAL)})
    return made


def _json(learned: Any) -> dict[str, Any]:
    import json

    return json.loads(learned.to_str())["model"]


def _processor(family: str, words: Any) -> Any:
    from transformers import (
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLProcessor,
        Qwen2VLVideoProcessor,
        Qwen3VLProcessor,
        Qwen3VLVideoProcessor,
    )

    third = family.startswith("qwen3_vl")
    patch = {"patch_size": 16 if third else 14}
    size = {"shortest_edge": 56 * 56, "longest_edge": 2048 * 2048}
    images = Qwen2VLImageProcessor(**patch, size=size)
    system = "false" if third else "true"
    kind, videos = {
        "qwen2_vl": (Qwen2VLProcessor, Qwen2VLVideoProcessor),
        "qwen2_5_vl": (Qwen2_5_VLProcessor, Qwen2VLVideoProcessor),
        "qwen3_vl": (Qwen3VLProcessor, Qwen3VLVideoProcessor),
        "qwen3_vl_moe": (Qwen3VLProcessor, Qwen3VLVideoProcessor),
    }[family]
    return kind(
        image_processor=images,
        tokenizer=words,
        video_processor=videos(**patch),
        chat_template=_TEMPLATE.replace("SYSTEM", system),
    )


def _model(
    family: str, words: Any, text_sizes: dict[str, Any], vision_sizes: dict[str, Any], dtype: str
) -> Any:
    from transformers import AutoConfig, AutoModelForImageTextToText

    text = {
        "vocab_size": len(words),
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "initializer_range": 0.15,
        "bos_token_id": None,
        "eos_token_id": words.eos_token_id,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "mrope_section": [2, 1, 1],
        },
    }
    vision = {"depth": 3, "num_heads": 2, "initializer_range": 0.15}
    text |= text_sizes
    if family == "qwen2_vl":
        vision |= {"embed_dim": 32, "hidden_size": text["hidden_size"], "mlp_ratio": 2}
    elif family == "qwen2_5_vl":
        vision |= {
            "hidden_size": 32,
            "intermediate_size": 48,
            "out_hidden_size": text["hidden_size"],
        }
        # A window of 2 × 2 merged tokens; the middle layer alone sees the whole picture.
        vision |= {"window_size": 56, "fullatt_block_indexes": [1]}
    else:
        text = {"head_dim": text["hidden_size"] // text["num_attention_heads"]} | text
        if family == "qwen3_vl_moe":
            text |= {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24}
        vision |= {
            "hidden_size": 32,
            "intermediate_size": 48,
            "out_hidden_size": text["hidden_size"],
        }
        vision |= {"num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1]}
    vision |= vision_sizes
    mark = words.convert_tokens_to_ids
    config = AutoConfig.for_model(
        family,
        text_config=text,
        vision_config=vision,
        image_token_id=mark("<|image_pad|>"),
        video_token_id=mark("<|video_pad|>"),
        vision_start_token_id=mark("<|vision_start|>"),
        vision_end_token_id=mark("<|vision_end|>"),
    )
    return AutoModelForImageTextToText.from_config(config, dtype=dtype)
