"""Detectors that look for any names they are given: OWLv2 and Grounding DINO.

They return boxes without masks, and may put several boxes on one object: a method that counts
should limit the overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from PIL import Image

from jurybox_judging.engines.shared.batches import group_by_size
from jurybox_judging.engines.shared.checkpoint import (
    SWIN_LAST_NORM,
    CheckpointEngine,
    checkpoint_of,
    floor_of,
    pictures_or_found,
)
from jurybox_judging.engines.shared.torch_setup import prepare
from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.options import free_text
from jurybox_judging.protocols import Detection

NAMES = {
    "grounding-dino": {"class": "GroundingDino", "needs": ("torch", "transformers")},
    "owlv2": {"class": "Owlv2", "needs": ("torch", "transformers")},
}


@dataclass(eq=False)
class _OpenVocabulary(CheckpointEngine):
    """Boxes whose score is above `floor`, each under its likeliest name."""

    batch: int = pictures_or_found(4)
    floor: float = floor_of(0.1)

    classes: ClassVar[tuple[str, ...]] = ()

    def detect(
        self, images: Sequence[Image.Image], classes: Sequence[tuple[str, ...]] = ()
    ) -> list[list[Detection]]:
        if len(classes) != len(images) or not all(classes):
            raise ValueError(
                "a detector with an open vocabulary must be told what to look for in each picture"
            )
        self.load()
        results: list[list[Detection]] = [[] for _ in images]
        with prepare().inference_mode(), memory_guard():
            for places in group_by_size(images, self.batch):
                batch = self._look(
                    [images[place].convert("RGB") for place in places],
                    [classes[place] for place in places],
                )
                for place, detections in zip(places, batch, strict=True):
                    results[place] = detections
        return results

    def _look(
        self, images: Sequence[Image.Image], names: Sequence[tuple[str, ...]]
    ) -> list[list[Detection]]:
        raise NotImplementedError


@dataclass(eq=False)
class Owlv2(_OpenVocabulary):
    checkpoint: str = checkpoint_of("google/owlv2-base-patch16-ensemble")
    template: str = free_text(
        "a photo of a {noun}",
        "Turns a name into a caption like those of the text tower's training.",
        is_fact=True,
    )

    identity = "judges.engines.open_vocabulary:Owlv2"
    version = "owlv2-1"

    def _load(self) -> None:
        prepare()
        from transformers import AutoImageProcessor, AutoTokenizer, Owlv2ForObjectDetection

        self._net = self._model(Owlv2ForObjectDetection)
        self._prepare_images = self._processor(AutoImageProcessor)
        self._tokenize = self._processor(AutoTokenizer)

    def _look(
        self, images: Sequence[Image.Image], names: Sequence[tuple[str, ...]]
    ) -> list[list[Detection]]:
        some = next(self._net.parameters())
        pixels = self._prepare_images(images=list(images), return_tensors="pt")["pixel_values"]
        output = self._net(
            input_ids=self._queries(names).to(some.device),
            pixel_values=pixels.to(some.device, some.dtype),
        )
        read = self._prepare_images.post_process_object_detection(
            output, threshold=self.floor, target_sizes=[(i.height, i.width) for i in images]
        )
        return [
            [
                {"class": known[label], "score": score, "box": box}
                for label, score, box in zip(
                    seen["labels"].tolist(),
                    seen["scores"].tolist(),
                    seen["boxes"].tolist(),
                    strict=True,
                )
            ]
            for seen, known in zip(read, names, strict=True)
        ]

    def _queries(self, names: Sequence[tuple[str, ...]]) -> Any:
        """Tokens, the same number of rows for each picture; a row of zeros asks for nothing."""
        torch = prepare()
        longest = self._net.config.text_config.max_position_embeddings
        most = max(len(some) for some in names)
        tokens = torch.zeros((len(names), most, longest), dtype=torch.long)
        for place, some in enumerate(names):
            tokens[place, : len(some)] = self._tokenize(
                [self.template.replace("{noun}", name) for name in some],
                padding="max_length",
                truncation=True,
                max_length=longest,
                return_tensors="pt",
            )["input_ids"]
        return tokens.flatten(0, 1)


@dataclass(eq=False)
class GroundingDino(_OpenVocabulary):
    """All names stand in one text; a box belongs to the name whose words score highest."""

    checkpoint: str = checkpoint_of("IDEA-Research/grounding-dino-base")

    identity = "judges.engines.open_vocabulary:GroundingDino"
    version = "grounding-dino-1"
    never_used = SWIN_LAST_NORM

    def _load(self) -> None:
        prepare()
        from transformers import (
            AutoImageProcessor,
            AutoTokenizer,
            GroundingDinoForObjectDetection,
        )

        self._net = self._model(GroundingDinoForObjectDetection)
        self._prepare_images = self._processor(AutoImageProcessor)
        self._tokenize = self._processor(AutoTokenizer)

    def _look(
        self, images: Sequence[Image.Image], names: Sequence[tuple[str, ...]]
    ) -> list[list[Detection]]:
        some = next(self._net.parameters())
        texts, spans = zip(*(one_text(known) for known in names), strict=True)
        given = self._tokenize(
            list(texts),
            padding=True,
            return_tensors="pt",
            return_offsets_mapping=True,
            return_token_type_ids=True,
        )
        offsets = given.pop("offset_mapping")
        longest = self._net.config.max_text_len
        if given["input_ids"].shape[1] > longest:
            raise ValueError(f"the names to look for make more than {longest} tokens")
        seen = self._prepare_images(images=list(images), return_tensors="pt")
        output = self._net(
            pixel_values=seen["pixel_values"].to(some.device, some.dtype),
            pixel_mask=seen["pixel_mask"].to(some.device),
            **given.to(some.device),
        )
        chances = output.logits.float().sigmoid()
        boxes = _corners(output.pred_boxes.float())
        return [
            self._read(chances[at], boxes[at], _owners(offsets[at], spans[at]), known, image)
            for at, (known, image) in enumerate(zip(names, images, strict=True))
        ]

    def _read(
        self, chances: Any, boxes: Any, owners: Any, names: tuple[str, ...], image: Image.Image
    ) -> list[Detection]:
        torch = prepare()
        scores = chances.max(-1).values
        of_names = torch.stack(
            [chances[:, : len(owners)][:, owners == at].max(-1).values for at in range(len(names))],
            1,
        )
        best, which = of_names.max(-1)
        kept = (scores > self.floor) & (best > self.floor)
        sized = boxes[kept] * boxes.new_tensor([image.width, image.height] * 2)
        return [
            {"class": names[at], "score": score, "box": box}
            for at, score, box in zip(
                which[kept].tolist(), scores[kept].tolist(), sized.tolist(), strict=True
            )
        ]


def one_text(names: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The names as one text, each with a full stop, and where each of them stands in it."""
    text, spans = "", []
    for name in names:
        plain = name.replace(".", " ").strip().lower()
        if not plain:
            raise ValueError(f"“{name}” is no name to look for")
        text += " " if text else ""
        spans.append((len(text), len(text) + len(plain)))
        text += f"{plain}."
    return text, spans


def _owners(offsets: Any, spans: Sequence[tuple[int, int]]) -> Any:
    """For each token the name that it belongs to, -1 for none."""
    torch = prepare()
    owners = torch.full((len(offsets),), -1)
    for at, (start, end) in enumerate(spans):
        inside = (offsets[:, 0] >= start) & (offsets[:, 1] <= end)
        owners[inside & (offsets[:, 1] > offsets[:, 0])] = at
    return owners


def _corners(boxes: Any) -> Any:
    center, half = boxes[..., :2], boxes[..., 2:] / 2
    return prepare().cat([center - half, center + half], -1)
