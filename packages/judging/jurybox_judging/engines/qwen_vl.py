"""Qwen2-VL, Qwen2.5-VL and Qwen3-VL: every question about a picture in one pass, and conversations.

A question is put as in the official code: one user turn of picture and text in the checkpoint's
own chat template, and the scores of the first token of the reply. The picture is encoded once and
kept for the next call.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from jurybox_judging.engines.image_text import PictureAndText
from jurybox_judging.engines.shared.shared_prefix import (
    Beginning,
    FeatureMemory,
    SharedPrefix,
    TokenTree,
)
from jurybox_judging.engines.shared.shown_pictures import named_pictures
from jurybox_judging.engines.shared.weights import memory_guard, prepare
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice, whole
from jurybox_judging.protocols import Answer, Question, Shown

NAMES = {"qwen-vl": {"class": "QwenVL", "needs": ("torch", "transformers")}}

FAMILY = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe")
SCORES = ("generate", "logits")
_MIB = 1 << 20
# Generation settings of a checkpoint that can change the scores of the first token, and the values
# with which they change nothing.
_ADDED = (
    "bad_words_ids",
    "begin_suppress_tokens",
    "encoder_no_repeat_ngram_size",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "min_new_tokens",
    "no_repeat_ngram_size",
    "sequence_bias",
    "suppress_tokens",
    "watermarking_config",
)
_FACTORS = ("encoder_repetition_penalty", "guidance_scale", "num_beams")
_UNCHANGED: dict[str, tuple[Any, ...]] = dict.fromkeys(_ADDED, (None, 0, [], {})) | dict.fromkeys(
    _FACTORS, (None, 0, 1)
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


def _pixels(help: str) -> Any:
    return whole(0, help, minimum=0, maximum=100_000_000, is_fact=True)


@dataclass(eq=False)
class QwenVL(PictureAndText):
    scores: str = choice(
        "generate",
        SCORES,
        "“generate” applies the checkpoint's generation settings to the scores, as the official "
        "loops do (Qwen2.5-VL penalises repeated tokens); “logits” ignores them.",
        is_fact=True,
    )
    min_pixels: int = _pixels("The least pixels of a picture; 0: the checkpoint's own limit.")
    max_pixels: int = _pixels("The most pixels of a picture; 0: the checkpoint's own limit.")
    memory: int = whole(
        512, "How many MiB of encoded pictures are kept.", minimum=0, maximum=65_536
    )

    identity = "judges.engines.qwen_vl:QwenVL"
    version = "qwen-vl-1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 < self.max_pixels < self.min_pixels:
            raise ValueError("“min_pixels” must not be above “max_pixels”.")
        self._as_generated = self.scores == "generate"
        self._bounds = {"shortest_edge": self.min_pixels, "longest_edge": self.max_pixels}
        self._features = FeatureMemory(self.memory * _MIB)

    def _load(self) -> None:
        super()._load()
        family, settings = self._net.config.model_type, self._net.generation_config
        if family not in FAMILY:
            raise EngineRefused(
                f"“{self.checkpoint}” is a {family}, which is not of the Qwen-VL family."
            )
        if self._as_generated:
            _check_settings(settings)
        for edge, pixels in self._bounds.items():
            if pixels:
                self._processing.image_processor.size[edge] = pixels
        flatten_patches(self._net.model.visual.patch_embed)
        self._embed = self._net.get_input_embeddings()
        self._prefix = SharedPrefix(
            self._embed, self._net.model.language_model, self._net.get_output_embeddings()
        )

    def answer(self, asked: Sequence[tuple[Shown, Sequence[Question]]]) -> list[list[Answer]]:
        self.load()
        started = time.perf_counter()
        asking = [place for place, (_, questions) in enumerate(asked) if questions]
        answers: list[list[Answer]] = [[] for _ in asked]
        with memory_guard(), prepare().inference_mode():
            shown = [named_pictures(asked[place][0]) for place in asking]
            looked = iter(self._look([image for named in shown for _, image in named]))
            rows = [
                self._row([(name, next(looked)) for name, _ in named], asked[place][1])
                for place, named in zip(asking, shown, strict=True)
            ]
            for place, row, scores in zip(asking, rows, self._prefix.scores(rows), strict=True):
                answers[place] = self._reader.read(asked[place][1], self._processed(scores, row))
        return _timed(answers, time.perf_counter() - started)

    # --- pictures

    def _look(self, images: Sequence[Image.Image]) -> list[_Features]:
        """Compared by pixels: the same picture in another file is not encoded again."""
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
        given = self._processing.image_processor(images=images, return_tensors="pt")
        given = given.to(self._net.device)
        grids = given["image_grid_thw"]
        seen = self._net.model.get_image_features(given["pixel_values"], grids, return_dict=True)
        layers = [*zip(*getattr(seen, "deepstack_features", None) or (), strict=True)]
        merge = self._processing.image_processor.merge_size
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

    def _row(
        self, pictures: Sequence[tuple[str, _Features]], questions: Sequence[Question]
    ) -> Beginning:
        """Words and pictures by turns, and the questions as a tree after the last picture."""
        torch = prepare()
        names = tuple(name for name, _ in pictures)
        tree, wanted = TokenTree(), []
        before: list[list[int]] = []
        for question in questions:
            *before, after = self._around(question, names)
            end = tree.follow(after)[-1]
            wanted += [end, *tree.follow(self._reader.forced(question), end)]
        embeds, positions, at, start = [], [], [], 0
        for tokens, (_, picture) in zip(before, pictures, strict=True):
            words = self._embed(torch.tensor(tokens, device=self._net.device))
            rows, columns = picture.grid
            embeds += [words, picture.tokens.to(words.dtype)]
            positions.append(_places(start, len(tokens), rows, columns))
            at += [False] * len(tokens) + [True] * (rows * columns)
            start += len(tokens) + max(rows, columns)
        return Beginning(
            embeds=torch.cat(embeds),
            positions=torch.cat(positions, dim=1).to(self._net.device),
            start=start,
            tree=tree,
            wanted=wanted,
            at=torch.tensor(at, device=self._net.device),
            words=frozenset(token for tokens in before for token in tokens),
            layers=tuple(
                torch.cat(layer)
                for layer in zip(*(picture.layers for _, picture in pictures), strict=True)
            ),
        )

    def _around(self, question: Question, names: tuple[str, ...]) -> list[list[int]]:
        """The tokens before each picture, and those after the last.

        A picture's mark is a token of its own, so the parts have the same tokens as in the whole
        text.
        """
        encode = self._processing.tokenizer.encode
        text = self._chat_text(question.text, names, question.reply_start)
        parts = text.split(self._processing.image_token)
        return [encode(part, add_special_tokens=False) for part in parts]

    def _processed(self, scores: Any, row: Beginning) -> Any:
        """The scores as in `generate`: tokens that occurred before are penalised."""
        torch = prepare()
        penalty = self._net.generation_config.repetition_penalty
        scores = scores.float()
        if not self._as_generated or penalty in (None, 1.0):
            return scores
        prompt = {*row.words, self._processing.image_token_id}
        scores = scores.clone()
        for line, node in enumerate(row.wanted):
            there = torch.tensor(sorted(prompt | {*row.tree.path(node)}), device=scores.device)
            old = scores[line, there]
            scores[line, there] = torch.where(old < 0, old * penalty, old / penalty)
        return scores


def _places(start: int, before: int, rows: int, columns: int) -> Any:
    """M-RoPE: time, height and width of each token, of so many words and a picture from `start` on; a
    picture stands at one time."""
    torch = prepare()
    words = torch.arange(before).expand(3, -1)
    down, across = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    picture = torch.stack([torch.zeros_like(down), down, across]).reshape(3, -1)
    return start + torch.cat([words, before + picture], dim=1)


def flatten_patches(embed: Any) -> None:
    """Patches do not overlap, so their convolution is one matrix product, which is far faster."""
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
    """A setting that changes scores is applied or refused, never ignored."""
    changed = [
        f"{name}={value}"
        for name, idle in _UNCHANGED.items()
        if (value := getattr(settings, name, None)) not in idle
    ]
    if changed:
        raise EngineRefused(
            f"The checkpoint's generation settings change the scores by {', '.join(changed)}, which "
            "this engine does not reproduce. The option scores=logits leaves them out."
        )


def _timed(answers: list[list[Answer]], seconds: float) -> list[list[Answer]]:
    """Computed together, each answer took its share of the time."""
    share = seconds / max(sum(map(len, answers)), 1)
    return [[replace(answer, seconds=share) for answer in row] for row in answers]
