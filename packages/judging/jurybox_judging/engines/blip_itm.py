"""BLIP and BLIP-2: the probability that a text matches a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from jurybox_judging.engines.shared.checkpoint import (
    CheckpointEngine,
    checkpoint_of,
    pictures_or_found,
)
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.options import flag, whole

NAMES = {
    "blip-itm": {"class": "BlipItm", "needs": ("torch", "transformers")},
    "blip2-itm": {"class": "Blip2Itm", "needs": ("torch", "transformers")},
}

_WORDS = 50


def _tokens(default: int) -> Any:
    return whole(default, "Where the text is cut, in tokens.", minimum=1, maximum=512, is_fact=True)


def _cleaned(default: bool) -> Any:
    words = "Lower case, some punctuation as blanks, at most 50 words, as BLIP's own code has it."
    return flag(default, words, is_fact=True)


@dataclass(eq=False)
class _Matching(CheckpointEngine):
    batch: int = pictures_or_found(16)
    clean: bool = _cleaned(True)
    longest: int = _tokens(32)

    def similarities(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]:
        self.load()
        torch = prepare()
        chances: list[float] = []
        with torch.inference_mode(), memory_guard():
            for start in range(0, len(pairs), self.batch):
                logits = self._match(pairs[start : start + self.batch])
                chances += torch.softmax(logits.float(), -1)[:, 1].tolist()
        return chances

    def _match(self, pairs: Sequence[tuple[Image.Image, str]]) -> Any:
        """Logits of "no match" and "match"; every picture goes through the model once."""
        some = next(self._net.parameters())
        images = {id(image): image for image, _ in pairs}
        row = {key: place for place, key in enumerate(images)}
        pixels = self._prepare_images(
            images=[image.convert("RGB") for image in images.values()], return_tensors="pt"
        )["pixel_values"].to(some.device, some.dtype)
        seen = self._net.vision_model(pixel_values=pixels).last_hidden_state
        texts = [cleaned(text) if self.clean else text for _, text in pairs]
        given = self._tokenize(
            texts, padding=True, truncation=True, max_length=self.longest, return_tensors="pt"
        ).to(some.device)
        return self._logits(
            seen[[row[id(image)] for image, _ in pairs]],
            given["input_ids"],
            given["attention_mask"],
        )

    def _load_parts(self, model_class: Any) -> None:
        from transformers import AutoImageProcessor, AutoTokenizer

        self._net = self._model(model_class)
        self._prepare_images = self._processor(AutoImageProcessor)
        self._tokenize = self._processor(AutoTokenizer)

    def _logits(self, seen: Any, tokens: Any, given: Any) -> Any:
        raise NotImplementedError


@dataclass(eq=False)
class BlipItm(_Matching):
    checkpoint: str = checkpoint_of("Salesforce/blip-itm-large-coco")
    longest: int = _tokens(35)

    identity = "judges.engines.blip_itm:BlipItm"
    version = "blip-itm-1"

    def _load(self) -> None:
        prepare()
        from transformers import BlipForImageTextRetrieval

        self._load_parts(BlipForImageTextRetrieval)

    def _logits(self, seen: Any, tokens: Any, given: Any) -> Any:
        read = self._net.text_encoder(
            input_ids=tokens,
            attention_mask=given,
            encoder_hidden_states=seen,
            encoder_attention_mask=given.new_ones(seen.shape[:2]),
        ).last_hidden_state
        return self._net.itm_head(read[:, 0])


@dataclass(eq=False)
class Blip2Itm(_Matching):
    """The logits are means over the query tokens, each of which has its own."""

    checkpoint: str = checkpoint_of("Salesforce/blip2-itm-vit-g")
    # t2v_metrics gives the text to the model as it is.
    clean: bool = _cleaned(False)
    longest: int = _tokens(35)

    identity = "judges.engines.blip_itm:Blip2Itm"
    version = "blip2-itm-2"

    def _load(self) -> None:
        prepare()
        from transformers import Blip2ForImageTextRetrieval

        self._load_parts(Blip2ForImageTextRetrieval)

    def _logits(self, seen: Any, tokens: Any, given: Any) -> Any:
        torch = prepare()
        queries = self._net.query_tokens.expand(len(seen), -1, -1)
        both = self._net.embeddings(input_ids=tokens, query_embeds=queries)
        read = self._net.qformer(
            query_embeds=both,
            query_length=queries.shape[1],
            attention_mask=torch.cat([given.new_ones(queries.shape[:2]), given], 1),
            encoder_hidden_states=seen,
            encoder_attention_mask=given.new_ones(seen.shape[:2]),
        ).last_hidden_state
        return self._net.itm_head(read[:, : queries.shape[1]]).mean(1)


def cleaned(text: str) -> str:
    """Lower case, some punctuation as blanks, at most 50 words."""
    return " ".join(re.sub(r'[.!"()*#:;~]', " ", text.lower()).split()[:_WORDS])
