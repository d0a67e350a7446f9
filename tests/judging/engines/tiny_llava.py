"""LLaVA and InstructBLIP with their true parts and some thousand random weights each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jurybox_judging.engines.shared.torch_setup import prepare

_SENTENCES = (
    "USER: ASSISTANT: How many cats are in the image? Answer in one word.",
    'Does this figure show "a red apple"? Please answer yes or no. Yes No',
)
CHAT = """{{ '<s>' }}{%- for message in messages -%}
{{ message['role'].upper() + ': ' }}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}{{ '<image>\n' }}{%- else -%}{{ part['text'] }}{%- endif -%}
{%- endfor -%}
{{ ' ' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ 'ASSISTANT:' }}{%- endif -%}"""
_TOWER = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
}


def save_llava(folder: Path) -> Path:
    prepare().manual_seed(0)
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    words = _byte_words()
    text = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        initializer_range=0.2,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**_TOWER, initializer_range=0.2),
        text_config=text,
        image_token_id=words.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-2,
        vision_feature_select_strategy="default",
    )
    model = LlavaForConditionalGeneration(config)
    _spread(model)
    model.save_pretrained(folder)
    LlavaProcessor(
        image_processor=CLIPImageProcessor(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
        ),
        tokenizer=words,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=CHAT,
    ).save_pretrained(folder)
    return folder


def save_instructblip(folder: Path) -> Path:
    """With T5 behind the Q-Former: an encoder and a decoder."""
    prepare().manual_seed(0)
    from transformers import (
        BertTokenizer,
        BlipImageProcessor,
        InstructBlipConfig,
        InstructBlipForConditionalGeneration,
        InstructBlipProcessor,
        T5Tokenizer,
    )

    from tests.judging.engines import tiny_blip, tiny_flant5

    words = T5Tokenizer(vocab=tiny_flant5.vocabulary(), extra_ids=0)
    words.add_special_tokens({"additional_special_tokens": ["<image>"]})
    bert = tiny_blip.SPECIAL + tiny_blip.WORDS
    qformer = BertTokenizer(vocab={word: n for n, word in enumerate(bert)})
    config = InstructBlipConfig(
        vision_config={**_TOWER, "initializer_range": 0.2},
        qformer_config={
            "vocab_size": len(bert),
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "encoder_hidden_size": 32,
            "initializer_range": 0.3,
        },
        text_config={
            "model_type": "t5",
            "vocab_size": len(words),
            "d_model": 32,
            "d_kv": 8,
            "d_ff": 48,
            "num_layers": 2,
            "num_heads": 4,
            "decoder_start_token_id": 0,
        },
        num_query_tokens=4,
        image_token_index=words.convert_tokens_to_ids("<image>"),
    )
    model = InstructBlipForConditionalGeneration(config)
    _spread(model)
    model.save_pretrained(folder)
    InstructBlipProcessor(
        image_processor=BlipImageProcessor(size={"height": 32, "width": 32}),
        tokenizer=words,
        qformer_tokenizer=qformer,
        num_query_tokens=4,
    ).save_pretrained(folder)
    return folder


def _spread(model: Any) -> None:
    """Random weights of the usual size answer everything alike; these do not."""
    with prepare().no_grad():
        for name, weight in model.named_parameters():
            if any(part in name for part in ("query_tokens", "embed", "lm_head", "shared")):
                weight.normal_(0, 0.6)


def _byte_words() -> Any:
    import json

    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learned.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    learned.train_from_iterator(
        _SENTENCES, trainers.BpeTrainer(initial_alphabet=alphabet, show_progress=False)
    )
    assert json.loads(learned.to_str())["model"]["merges"]
    words = PreTrainedTokenizerFast(
        tokenizer_object=learned, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    words.add_special_tokens({"additional_special_tokens": ["<image>"]})
    return words
