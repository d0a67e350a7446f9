"""SigLIP 2, SigLIP, CLIP and every other model of transformers with a tower for pictures and one for texts.

The number is the cosine of both, or, of models trained pair by pair with a sigmoid (SigLIP), the
probability that they belong together. Texts are prepared as the library's own examples do it: padded to the
length of training where the family was trained so, since padding then counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from jurybox_judging.engines.clip import PROCESSOR
from jurybox_judging.engines.shared.checkpoint import (
    CheckpointEngine,
    checkpoint_of,
    pictures_or_found,
)
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import choice, weights_of

NAMES = {"dual-encoder": {"class": "DualEncoder", "needs": ("torch", "transformers")}}

COSINE, PROBABILITY = "cosine", "probability"
# Families that were trained on texts of one length, filled up; a shorter one is another text to them.
_FILLED_UP = ("siglip", "siglip2")
_LONGEST = 64  # of those, where the tokenizer names no length


@dataclass(eq=False)
class DualEncoder(CheckpointEngine):
    checkpoint: str = checkpoint_of("google/siglip2-so400m-patch14-384")
    processor: str = weights_of("", PROCESSOR, is_fact=True)
    number: str = choice(
        COSINE,
        (COSINE, PROBABILITY),
        "The cosine, or, of SigLIP and its like, the probability that picture and text belong together.",
        is_fact=True,
    )
    batch: int = pictures_or_found(16)

    identity = "judges.engines.dual_encoder:DualEncoder"
    version = "1"
    libraries = ("torch", "transformers", "torchvision", "pillow")

    def _load(self) -> None:
        prepare()
        from transformers import AutoConfig, AutoImageProcessor, AutoModel, AutoTokenizer

        settings = self._processor(AutoConfig)
        family, kind = settings.model_type, AutoModel._model_mapping[type(settings)]
        if not hasattr(kind, "get_image_features") or not hasattr(kind, "get_text_features"):
            raise EngineRefused(
                f"“{self.checkpoint}” is a {family}, which has no tower for pictures beside one for texts "
                "(such as SigLIP or CLIP): this engine compares the two."
            )
        net = self._model(AutoModel)
        if self.number == PROBABILITY and not hasattr(net, "logit_bias"):
            raise EngineRefused(
                f"“{self.checkpoint}” is a {family}, which was not trained to say a probability for one "
                "pair: leave number = cosine."
            )
        self._net = net
        self._prepare_images = self._processor(AutoImageProcessor, self.processor)
        self._tokenize = self._processor(AutoTokenizer, self.processor)
        self._filled_up = family in _FILLED_UP
        self._longest = _longest_text(net.config, self._tokenize)

    def similarities(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        self.load()
        found: list[float] = []
        with memory_guard(), prepare().inference_mode():
            for start in range(0, len(pairs), self.batch):
                found += self._compare_pairs(pairs[start : start + self.batch])
        return found

    def _compare_pairs(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        torch = prepare()
        normalize = torch.nn.functional.normalize
        images = {id(image): image for image, _ in pairs}
        texts = dict.fromkeys(text for _, text in pairs)
        rows = {key: place for place, key in enumerate(images)}
        lines = {text: place for place, text in enumerate(texts)}
        seen = normalize(self._see(list(images.values())).float(), dim=-1)
        read = normalize(self._read(list(texts)).float(), dim=-1)
        numbers = (
            seen[[rows[id(image)] for image, _ in pairs]] * read[[lines[text] for _, text in pairs]]
        ).sum(-1)
        if self.number == PROBABILITY:
            net = self._net
            numbers = (numbers * net.logit_scale.float().exp() + net.logit_bias.float()).sigmoid()
        return numbers.tolist()

    def _see(self, images: Sequence[Image.Image]) -> Any:
        given = self._prepare_images(
            images=[image.convert("RGB") for image in images], return_tensors="pt"
        ).to(self._net.device)
        given["pixel_values"] = given["pixel_values"].to(self._net.dtype)
        return _pooled(self._net.get_image_features(**given))

    def _read(self, texts: Sequence[str]) -> Any:
        given = self._tokenize(
            list(texts),
            padding="max_length" if self._filled_up else True,
            truncation=True,
            max_length=self._longest,
            return_tensors="pt",
        ).to(self._net.device)
        if self._filled_up:
            # In training nothing hid the filling from the model.
            return _pooled(self._net.get_text_features(input_ids=given["input_ids"]))
        return _pooled(self._net.get_text_features(**given))


def _pooled(output: Any) -> Any:
    """Newer versions of the library wrap the embedding in an object."""
    return getattr(output, "pooler_output", output)


def _longest_text(config: Any, tokenizer: Any) -> int:
    """What the text tower has places for."""
    text = getattr(config, "text_config", config)
    places = getattr(text, "max_position_embeddings", None)
    named = getattr(tokenizer, "model_max_length", None)
    lengths = [one for one in (places, named) if isinstance(one, int) and 0 < one < 100_000]
    return min(lengths) if lengths else _LONGEST
