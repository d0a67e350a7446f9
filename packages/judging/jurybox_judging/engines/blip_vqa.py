"""BLIP for questions (the VQA model of ViT-B, CapFilt-L), as T2I-CompBench's BLIP-VQA uses it.

A picture is encoded once, however many questions there are about it, and the questions of all
pictures go through the text encoder and the decoder together. The probabilities are the same as
with one pass for each question.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MethodType
from typing import Any

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared import tensor_files, weights
from jurybox_judging.engines.shared.checkpoint import CheckpointEngine, checkpoint_of
from jurybox_judging.engines.shared.clip_pixels import pixels
from jurybox_judging.engines.shared.control_tokens import expect_none, marks_of
from jurybox_judging.engines.shared.token_answers import AnswerReader
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice, weights_of, whole
from jurybox_judging.protocols import Answer, Question

NAMES = {"blip-vqa": {"class": "BlipVqa", "needs": ("torch", "transformers")}}

_LONGEST = 35  # tokens of a question; the official code cuts there
# The names of the official file's tensors, and what the library calls the same.
_RENAMED = (
    ("visual_encoder.cls_token", "vision_model.embeddings.class_embedding"),
    ("visual_encoder.pos_embed", "vision_model.embeddings.position_embedding"),
    ("visual_encoder.patch_embed.proj.", "vision_model.embeddings.patch_embedding."),
    ("visual_encoder.norm.", "vision_model.post_layernorm."),
    ("visual_encoder.blocks.", "vision_model.encoder.layers."),
)
_RENAMED_INSIDE = (
    (".norm1.", ".layer_norm1."),
    (".norm2.", ".layer_norm2."),
    (".attn.qkv.", ".self_attn.qkv."),
    (".attn.proj.", ".self_attn.projection."),
)


@dataclass(eq=False)
class BlipVqa(CheckpointEngine):
    checkpoint: str = checkpoint_of(
        help="Its weights: the official file (model_base_vqa_capfilt_large.pth in the paper), or a "
        "folder or hub name in the library's form."
    )
    size: int = whole(
        0,
        "Pixels of a side; 0 is what the position table was made for.",
        minimum=0,
        maximum=2_048,
        is_fact=True,
    )
    first_token: str = choice(
        "enc",
        ("enc", "cls"),
        "BLIP was trained with its own mark before a question (“enc”); the library's processor "
        "writes BERT's (“cls”).",
        is_fact=True,
    )
    tokenizer: str = weights_of("", "BERT's vocabulary, where the weights are the official file.")

    identity = "judges.engines.blip_vqa:BlipVqa"
    version = "1"

    def _load(self) -> None:
        weights.prepare()
        from transformers import BertTokenizer, BlipForQuestionAnswering

        path = Path(self.weights_at).expanduser()
        if path.is_file() and not self.tokenizer:
            raise EngineRefused(
                "The official file holds no vocabulary: give BERT's (google-bert/bert-base-uncased) as "
                "the option tokenizer."
            )
        self._tokenizer = self._processor(BertTokenizer, self.tokenizer)
        if path.is_file():
            blip = _official(path, self._tokenizer).to(weights.pick_precision(self.precision))
            blip = blip.to(weights.pick_device(self.device)).eval()
        else:
            blip = self._model(BlipForQuestionAnswering)
        self._reader = AnswerReader(self._tokenizer, end=(self._tokenizer.sep_token_id,))
        self._marks = marks_of(self._tokenizer)
        self._blip = quickened(blip)

    def answer(self, asked: Sequence[tuple[Image.Image, Sequence[Question]]]) -> list[list[Answer]]:
        self.load()
        torch = weights.prepare()
        with weights.memory_guard(), torch.inference_mode():
            return self._answer(torch, asked)

    def _answer(self, torch: Any, asked: Sequence[tuple[Image.Image, Sequence[Question]]]) -> Any:
        answered: list[list[Answer]] = [[] for _ in asked]
        places = [place for place, (_, questions) in enumerate(asked) if questions]
        if not places:
            return answered
        questions = [question for place in places for question in asked[place][1]]
        texts = [list(dict.fromkeys(q.text for q in asked[place][1])) for place in places]
        rows = {
            (place, text): row
            for row, (place, text) in enumerate(
                (place, text) for place, own in zip(places, texts, strict=True) for text in own
            )
        }
        seen = self._see([asked[place][0] for place in places])
        ids, mask = self._tokenize_texts([text for own in texts for text in own])
        states = self._blip.text_encoder(
            input_ids=ids,
            attention_mask=mask,
            encoder_hidden_states=_EncodedPictures(seen, [len(own) for own in texts]),
        ).last_hidden_state
        asking = torch.tensor(
            [rows[place, q.text] for place in places for q in asked[place][1]], device=ids.device
        )
        logits = self._decoded(questions, states[asking], mask[asking])
        answers = iter(self._reader.read(questions, logits))
        for place in places:
            answered[place] = [next(answers) for _ in asked[place][1]]
        return answered

    def _see(self, images: Sequence[Image.Image]) -> Any:
        torch, vision = weights.prepare(), self._blip.vision_model
        own = vision.config.image_size
        side = self.size or own
        values = np.stack([pixels(image, side) for image in images])
        values = torch.from_numpy(values).to(self._blip.device, self._blip.dtype)
        return vision(pixel_values=values, interpolate_pos_encoding=side != own).last_hidden_state

    def _tokenize_texts(self, texts: Sequence[str]) -> tuple[Any, Any]:
        for text in texts:
            expect_none(text, self._marks)
        written = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt"
        ).to(self._blip.device)
        ids = written["input_ids"]
        if self.first_token == "enc":  # noqa: S105
            # The mark was added to BERT's vocabulary right after the decoder's own.
            ids[:, 0] = self._blip.config.text_config.bos_token_id + 1
        return ids, written["attention_mask"]

    def _decoded(self, questions: Sequence[Question], states: Any, mask: Any) -> Any:
        """The scores after each question, then after each token that an answer puts there."""
        torch = weights.prepare()
        config = self._blip.config.text_config
        forced = [self._reader.forced(question) for question in questions]
        longest = max(len(tokens) for tokens in forced)
        lines = [
            [config.bos_token_id, *tokens] + [config.pad_token_id] * (longest - len(tokens))
            for tokens in forced
        ]
        # What pads a line comes after what is read, and the decoder never looks ahead.
        logits = self._blip.text_decoder(
            input_ids=torch.tensor(lines, device=states.device),
            encoder_hidden_states=states,
            encoder_attention_mask=mask,
            use_cache=False,
        ).logits
        kept = [(row, step) for row, t in enumerate(forced) for step in range(len(t) + 1)]
        at, step = zip(*kept, strict=True)
        return logits[list(at), list(step)]


@dataclass(frozen=True, slots=True)
class _EncodedPictures:
    """The encoded pictures, and how many questions in a row belong to each."""

    pictures: Any
    questions: Sequence[int]


def quickened(model: Any) -> Any:
    """The same sums in another order; see the three functions below."""
    for layer in model.vision_model.encoder.layers:
        layer.self_attn.forward = MethodType(_attend_to_patches, layer.self_attn)
    for layer in model.text_encoder.encoder.layer:
        attention = layer.crossattention.self
        attention.forward = MethodType(_attend_to_picture, attention)
    for layer in model.text_decoder.bert.encoder.layer:
        attention = layer.crossattention.self
        attention.forward = MethodType(_attend_to_question, attention)
    return model


def _attend_to_patches(attention: Any, hidden_states: Any, **_: Any) -> tuple[Any, None]:
    """Attention among the patches without a table of all pairs in memory."""
    torch = weights.prepare()
    rows, length, width = hidden_states.shape
    parts = attention.qkv(hidden_states).view(rows, length, 3, attention.num_heads, -1)
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    seen = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    return attention.projection(seen.transpose(1, 2).reshape(rows, length, width)), None


def _attend_to_picture(
    attention: Any, hidden_states: Any, encoder_hidden_states: _EncodedPictures, **_: Any
) -> tuple[Any, None]:
    """The words attend to the picture: softmax(q·(W e + b)) (V e + c).

    A picture has 901 patches and a question some ten words. So W is applied to the words and V to
    the result, neither to the patches; b shifts all scores of a word alike and drops out.
    """
    torch = weights.prepare()
    heads, size = attention.num_attention_heads, attention.attention_head_size
    rows, length, _ = hidden_states.shape
    key = attention.key.weight.view(heads, size, -1)
    value = attention.value.weight.view(heads, size, -1)
    query = attention.query(hidden_states).view(rows, length, heads, size)
    query = torch.einsum("rlhs,hsw->rlhw", query / math.sqrt(size), key)
    seen = []
    groups = query.split(list(encoder_hidden_states.questions))
    for words, picture in zip(groups, encoder_hidden_states.pictures, strict=True):
        weight = (words.reshape(-1, words.shape[-1]) @ picture.T).softmax(-1)
        seen.append((weight @ picture).view(words.shape))
    context = torch.einsum("rlhw,hsw->rlhs", torch.cat(seen), value)
    context = context + attention.value.bias.view(heads, size)
    return context.reshape(rows, length, -1), None


def _attend_to_question(
    attention: Any,
    hidden_states: Any,
    encoder_hidden_states: Any,
    attention_mask: Any = None,
    encoder_attention_mask: Any = None,
    **more: Any,
) -> Any:
    """The decoder attends to the question without its padding: some versions of the library pass
    the mask under a name that is then ignored."""
    mask = attention_mask if encoder_attention_mask is None else encoder_attention_mask
    return type(attention).forward(
        attention,
        hidden_states,
        encoder_hidden_states=encoder_hidden_states,
        encoder_attention_mask=mask,
        **more,
    )


def _official(path: Path, tokenizer: Any) -> Any:
    """The model from the official file, which is refused unless every tensor has its place."""
    from transformers import BlipConfig, BlipForQuestionAnswering

    state = tensor_files.load_state(path)
    state = {_renamed(key): value for key, value in state.get("model", state).items()}
    try:
        patches, width = state["vision_model.embeddings.position_embedding"].shape[1:]
        patch = state["vision_model.embeddings.patch_embedding.weight"].shape[-1]
        words, hidden = state["text_encoder.embeddings.word_embeddings.weight"].shape
        layers = [_layers(state, part) for part in ("vision_model", "text_encoder")]
    except KeyError as error:
        raise EngineRefused(f"“{path.name}” is no BLIP that answers: no {error.args[0]}.") from None
    text = {"hidden_size": hidden, "num_hidden_layers": layers[1], "vocab_size": words}
    text |= {"intermediate_size": 4 * hidden, "encoder_hidden_size": width}
    # BERT's words, then the decoder's mark, then the encoder's.
    text |= {"bos_token_id": words - 2, "eos_token_id": tokenizer.sep_token_id}
    text |= {"sep_token_id": tokenizer.sep_token_id, "pad_token_id": tokenizer.pad_token_id}
    text |= {"num_attention_heads": max(hidden // 64, 1), "max_position_embeddings": 512}
    vision = {"hidden_size": width, "num_hidden_layers": layers[0], "patch_size": patch}
    vision |= {"num_attention_heads": max(width // 64, 1), "intermediate_size": 4 * width}
    vision |= {"image_size": math.isqrt(patches - 1) * patch, "layer_norm_eps": 1e-6}
    model = BlipForQuestionAnswering(BlipConfig(text_config=text, vision_config=vision))
    keys = model.load_state_dict(state, strict=False)
    tied = r"cls\.predictions\.decoder\.(weight|bias)$"
    weights.check_keys(
        path.name, missing=keys.missing_keys, unexpected=keys.unexpected_keys, ignore=(tied,)
    )
    weights.end_of_comparison()
    return model


def _renamed(key: str) -> str:
    for old, new in _RENAMED:
        if key.startswith(old):
            key = new + key.removeprefix(old)
    if key.startswith("vision_model.encoder."):
        for old, new in _RENAMED_INSIDE:
            key = key.replace(old, new)
    return key


def _layers(state: Mapping[str, Any], part: str) -> int:
    found = (re.match(rf"{part}\.encoder\.layers?\.(\d+)\.", key) for key in state)
    return 1 + max((int(match[1]) for match in found if match), default=-1)
