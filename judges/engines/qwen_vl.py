"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL: every question about a picture in one pass, and conversations.

A question is asked as the official codes ask it: one user's turn of picture and text in the
checkpoint's own chat template, and the scores of the first token of the reply. The picture is
encoded once and remembered for the next call.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from PIL import Image

from judges.engines.shared_prefix import FeatureMemory, Row, SharedPrefix, TokenTree
from judges.engines.token_answers import AnswerReader
from judges.engines.torch_setup import prepare
from judges.engines.weights import facts, load_model, load_processor, memory_guard, pick_device
from judges.errors import EngineRefused
from judges.protocols import Answer, Question, Talk

FAMILY = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe")
SCORES = ("generate", "logits")
_MIB = 1 << 20
# Settings of a checkpoint that change the first token's scores, and the values that do not.
_NEUTRAL = (None, False, 0, 1, [], {})
_UNKNOWN_CHANGES = (
    "bad_words_ids",
    "begin_suppress_tokens",
    "encoder_no_repeat_ngram_size",
    "encoder_repetition_penalty",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "guidance_scale",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "num_beams",
    "sequence_bias",
    "suppress_tokens",
    "watermarking_config",
)


@dataclass(frozen=True)
class _Features:
    """A picture as the language model sees it: rows × columns of features, and DeepStack's."""

    tokens: Any
    layers: tuple[Any, ...]
    grid: tuple[int, int]

    @property
    def size(self) -> int:
        return sum(part.nbytes for part in (self.tokens, *self.layers))


class QwenVL:
    """`scores`: "generate" applies what the checkpoint's generation settings do to the scores, as
    the official loops do unasked (Qwen2.5-VL punishes repeated tokens); "logits" leaves them out.
    `max_pixels` and `min_pixels` bound the size in which a picture is looked at; 0 is the
    checkpoint's own bound. `memory` is how many MiB of encoded pictures are remembered.
    """

    version = "qwen-vl-1"

    def __init__(
        self,
        checkpoint: str = "",
        revision: str = "",
        device: str = "auto",
        precision: str = "float32",
        batch: int = 8,
        scores: str = "generate",
        min_pixels: int = 0,
        max_pixels: int = 0,
        memory: int = 512,
    ) -> None:
        if scores not in SCORES:
            raise ValueError(f"The scores are one of {', '.join(SCORES)}, not {scores!r}.")
        self.checkpoint, self.revision = checkpoint, revision
        self.device, self.precision, self.batch = device, precision, batch
        self.as_generated = scores == "generate"
        self.bounds = {"shortest_edge": min_pixels, "longest_edge": max_pixels}
        self._features = FeatureMemory(memory * _MIB)

    @property
    def facts(self) -> dict[str, str]:
        return facts(self.checkpoint, self.revision, self.device, self.precision)

    def load(self) -> None:
        _ = self._prefix, self._reader

    def answer(self, asked: Sequence[tuple[Image.Image, Sequence[Question]]]) -> list[list[Answer]]:
        self.load()
        started = time.perf_counter()
        with memory_guard(), prepare().inference_mode():
            asking = [place for place, (_, questions) in enumerate(asked) if questions]
            pictures = self._look([asked[place][0] for place in asking])
            rows = [
                self._row(picture, asked[place][1])
                for place, picture in zip(asking, pictures, strict=True)
            ]
            answers: list[list[Answer]] = [[] for _ in asked]
            for place, row, scores in zip(asking, rows, self._prefix.scores(rows), strict=True):
                scores = self._processed(scores, row)
                answers[place] = self._reader.read(asked[place][1], scores)
        return _timed(answers, time.perf_counter() - started)

    def talk(self, asked: Sequence[tuple[Image.Image, Talk]]) -> list[tuple[str, ...]]:
        self.load()
        with memory_guard(), prepare().inference_mode():
            return [self._converse(image.convert("RGB"), talk) for image, talk in asked]

    # --- what is loaded

    @cached_property
    def _model(self) -> Any:
        prepare()
        from transformers import AutoModelForImageTextToText

        with memory_guard():
            model = load_model(
                AutoModelForImageTextToText,
                self.checkpoint,
                revision=self.revision,
                device=self.device,
                precision=self.precision,
            )
        if model.config.model_type not in FAMILY:
            raise EngineRefused(
                f"“{self.checkpoint}” is a {model.config.model_type}, which is not of the Qwen-VL "
                "family."
            )
        if self.as_generated:
            _check_settings(model.generation_config)
        flatten_patches(model.model.visual.patch_embed)
        return model

    @cached_property
    def _processor(self) -> Any:
        prepare()
        from transformers import AutoProcessor

        processor = load_processor(AutoProcessor, self.checkpoint, revision=self.revision)
        size = processor.image_processor.size
        for edge, pixels in self.bounds.items():
            if pixels:
                size[edge] = pixels
        return processor

    @cached_property
    def _prefix(self) -> SharedPrefix:
        return SharedPrefix(
            self._model.get_input_embeddings(),
            self._model.model.language_model,
            self._model.get_output_embeddings(),
        )

    @cached_property
    def _reader(self) -> AnswerReader:
        return AnswerReader(self._processor.tokenizer)

    # --- pictures

    def _look(self, images: Sequence[Image.Image]) -> list[_Features]:
        """Each picture is known by its pixels: the same one in another file is not encoded again."""
        images = [image.convert("RGB") for image in images]
        keys = [(i.size, hashlib.sha256(i.tobytes()).digest()) for i in images]
        known = {key: self._features.get(key) for key in keys}
        new = {key: image for key, image in zip(keys, images, strict=True) if known[key] is None}
        if new:
            known.update(zip(new, self._encode(list(new.values())), strict=True))
            for key in new:
                self._features.keep(key, known[key], known[key].size)
        return [known[key] for key in keys]

    def _encode(self, images: Sequence[Image.Image]) -> list[_Features]:
        given = self._processor.image_processor(images=images, return_tensors="pt")
        given = given.to(self._model.device)
        grids = given["image_grid_thw"]
        seen = self._model.model.get_image_features(given["pixel_values"], grids, return_dict=True)
        layers = [*zip(*getattr(seen, "deepstack_features", None) or (), strict=True)]
        merge = self._processor.image_processor.merge_size
        return [
            # Copies: a slice would keep the features of the whole batch in memory.
            _Features(
                tokens.clone(),
                tuple(layer.clone() for layer in (layers[place] if layers else ())),
                (int(grid[1]) // merge, int(grid[2]) // merge),
            )
            for place, (tokens, grid) in enumerate(
                zip(seen.pooler_output, grids.cpu(), strict=True)
            )
        ]

    # --- questions

    def _row(self, picture: _Features, questions: Sequence[Question]) -> Row:
        torch = prepare()
        tree, wanted = TokenTree(), []
        for question in questions:
            before, after = self._written(question.text)
            end = tree.follow(after)[-1]
            wanted += [end, *tree.follow(self._reader.forced(question), end)]
        embed = self._model.get_input_embeddings()
        words = embed(torch.tensor(before, device=self._model.device))
        rows, columns = picture.grid
        at = torch.zeros(len(before) + rows * columns, dtype=torch.bool, device=words.device)
        at[len(before) :] = True
        return Row(
            embeds=torch.cat([words, picture.tokens.to(words.dtype)]),
            positions=_places(len(before), rows, columns).to(words.device),
            start=len(before) + max(rows, columns),
            tree=tree,
            wanted=wanted,
            at=at,
            layers=picture.layers,
        )

    def _written(self, text: str) -> tuple[list[int], list[int]]:
        """The tokens before the picture and after it.

        The picture's mark is a token of its own, at which a tokenizer cuts anyway: so both halves
        have the tokens that they have in the whole.
        """
        mark = self._processor.image_token
        if mark in text:
            raise ValueError(f"The question contains “{mark}”, the mark of a picture.")
        message = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}
        whole = self._processor.apply_chat_template(
            [message], tokenize=False, add_generation_prompt=True
        )
        before, _, after = whole.partition(mark)
        encode = self._processor.tokenizer.encode
        return encode(before, add_special_tokens=False), encode(after, add_special_tokens=False)

    def _processed(self, scores: Any, row: Row) -> Any:
        """The scores as `generate` would tell them: tokens that were already there are punished."""
        torch = prepare()
        penalty = self._model.generation_config.repetition_penalty
        scores = scores.float()
        if not self.as_generated or penalty in (None, 1.0):
            return scores
        before, _ = self._written("")
        prompt = {*before, self._processor.image_token_id}
        scores = scores.clone()
        for line, node in enumerate(row.wanted):
            there = torch.tensor(sorted(prompt | {*row.tree.path(node)}), device=scores.device)
            old = scores[line, there]
            scores[line, there] = torch.where(old < 0, old * penalty, old / penalty)
        return scores

    # --- conversations

    def _converse(self, image: Image.Image, talk: Talk) -> tuple[str, ...]:
        """Seeded, and without a trace in the random numbers of anybody else."""
        torch = prepare()
        device = pick_device(self.device)
        messages: list[dict[str, Any]] = []
        replies: list[str] = []
        with torch.random.fork_rng(devices=[device] if device.startswith("cuda") else []):
            torch.manual_seed(talk.seed)
            for turn in talk.turns:
                picture = [] if messages else [{"type": "image"}]
                content = [*picture, {"type": "text", "text": turn}]
                messages.append({"role": "user", "content": content})
                reply = self._reply(image, messages, talk)
                content = [{"type": "text", "text": reply}]
                messages.append({"role": "assistant", "content": content})
                replies.append(reply)
        return tuple(replies)

    def _reply(self, image: Image.Image, messages: list[dict[str, Any]], talk: Talk) -> str:
        text = self._processor.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        given = self._processor(text=[text], images=[image], return_tensors="pt")
        given = given.to(self._model.device)
        drawn = {"do_sample": True, "temperature": talk.temperature} if talk.temperature else {}
        told = self._model.generate(
            **given, max_new_tokens=talk.max_tokens, **(drawn or {"do_sample": False})
        )
        reply = told[0, given["input_ids"].shape[1] :]
        return self._processor.tokenizer.decode(reply, skip_special_tokens=True).strip()


def _places(before: int, rows: int, columns: int) -> Any:
    """M-RoPE: time, height and width of each token; a picture stands at one time."""
    torch = prepare()
    words = torch.arange(before).expand(3, -1)
    down, across = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    picture = torch.stack([torch.zeros_like(down), down, across]).reshape(3, -1)
    return torch.cat([words, before + picture], dim=1)


def flatten_patches(embed: Any) -> None:
    """Patches do not overlap, so their convolution is one product of matrices, and far quicker."""
    torch = prepare()
    convolution = embed.proj
    if convolution.kernel_size != convolution.stride:
        return
    with torch.device("meta"):
        flat = torch.nn.Linear(1, 1, bias=convolution.bias is not None)
    flat.weight = torch.nn.Parameter(convolution.weight.flatten(1))
    flat.bias = convolution.bias
    flat.register_forward_pre_hook(lambda _, given: (given[0].flatten(1),))
    embed.proj = flat


def _check_settings(settings: Any) -> None:
    """A setting that changes scores is reproduced or refused, never passed over."""
    changed = [
        f"{name}={value}"
        for name in _UNKNOWN_CHANGES
        if (value := getattr(settings, name, None)) not in _NEUTRAL
    ]
    if changed:
        raise EngineRefused(
            f"The checkpoint's generation settings change the scores by {', '.join(changed)}, which "
            "this engine does not reproduce. The option scores=logits leaves them out."
        )


def _timed(answers: list[list[Answer]], seconds: float) -> list[list[Answer]]:
    """They were computed together: each bears its share."""
    share = seconds / max(sum(map(len, answers)), 1)
    return [[replace(answer, seconds=share) for answer in told] for told in answers]
