"""Detections made elsewhere: read from a file, judged here by any method, without a GPU.

Files: `results.jsonl` of GenEval's official script (boxes by class, after its own threshold: a
lower one finds nothing more in it), and COCO's JSON with "images", "categories" and "annotations"
whose boxes carry a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from PIL import Image

from judges.engines.shared import weights
from judges.engines.shared.checkpoint import pictures
from judges.errors import EngineRefused
from judges.options import FILE, Declared, free_text
from judges.protocols import Detection, Engine

# The official script numbers prompts and samples: …/00012/samples/00003.png
OFFICIAL = re.compile(r"(?:^|/)(\d{1,9})/samples/(\d{1,9})\.png$")


# What reading raises where a file has another format.
NOT_SO = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(eq=False)
class FromFile(Engine, Declared):
    """A detector that looks results up."""

    checkpoint: str = free_text("", "The file with the detections.", names=FILE)
    prefix: str = free_text(
        "",
        "Put before the file's names: where a study has several generators, “sdxl/” makes "
        "“00012/00003” the image “sdxl/00012/00003”.",
    )
    batch: int = pictures(64)

    identity = "judges.engines.from_file:FromFile"
    version = "1"
    classes: ClassVar[tuple[str, ...]] = ()
    needs_pixels = False

    @property
    def facts(self) -> dict[str, str]:
        return weights.facts(self.checkpoint, libraries=())

    def load(self) -> None:
        _ = self._detections

    def detect(
        self, images: Sequence[Image.Image], classes: Sequence[tuple[str, ...]] = ()
    ) -> list[list[Detection]]:
        return [self._of(image.info["key"]) for image in images]

    def _of(self, key: str) -> list[Detection]:
        if key not in self._detections:
            raise ValueError(f"The file “{Path(self.checkpoint).name}” says nothing of “{key}”.")
        return self._detections[key]

    @cached_property
    def _detections(self) -> dict[str, list[Detection]]:
        path = Path(weights.check_named(self.checkpoint)).expanduser()
        try:
            pairs = list(_coco(path) if path.suffix == ".json" else _official(path))
        except OSError as error:
            raise EngineRefused(
                f"The file “{path.name}” cannot be read: {error.strerror}."
            ) from error
        except NOT_SO as error:
            raise EngineRefused(
                f"“{path.name}” is neither a results.jsonl of GenEval nor COCO’s JSON with images, "
                f"categories and scored annotations: {type(error).__name__} {error}."
            ) from error
        return {self.prefix + name: detections for name, detections in pairs}


def _official(path: Path) -> Iterator[tuple[str, list[Detection]]]:
    with path.open(encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            row = json.loads(line)
            yield _name(row["filename"]), list(_boxes(json.loads(row["details"])))


def _boxes(details: Mapping[str, Sequence[Sequence[float]]]) -> Iterator[Detection]:
    for name, boxes in details.items():
        # Equal scores come out last one first again, as they went in.
        for *box, score in reversed(boxes):
            yield {"class": name, "score": float(score), "box": [float(edge) for edge in box]}


def _coco(path: Path) -> Iterator[tuple[str, list[Detection]]]:
    whole = json.loads(path.read_text(encoding="utf-8"))
    names = {category["id"]: category["name"] for category in whole["categories"]}
    by_image: dict[Any, list[Detection]] = {image["id"]: [] for image in whole["images"]}
    for annotation in whole["annotations"]:
        by_image[annotation["image_id"]].append(_detection(annotation, names))
    for image in whole["images"]:
        yield _name(image["file_name"]), by_image[image["id"]]


def _detection(annotation: Mapping[str, Any], names: Mapping[Any, str]) -> Detection:
    x, y, width, height = map(float, annotation["bbox"])
    detection: Detection = {
        "class": names[annotation["category_id"]],
        "score": float(annotation["score"]),
        "box": [x, y, x + width, y + height],
    }
    mask = annotation.get("segmentation")
    # Polygons and packed runs are not read: such a detection has its box only.
    if isinstance(mask, dict) and isinstance(mask.get("counts"), list):
        height, width = mask["size"]
        detection["mask"] = {"size": (height, width), "counts": _whole(mask["counts"])}
    return detection


def _whole(counts: Iterable[Any]) -> list[int]:
    return [int(count) for count in counts]


def _name(file: str) -> str:
    """The image's key in a study: prompt and sample of an official folder, else the path without
    its ending."""
    official = OFFICIAL.search(file)
    if official:
        return f"{int(official[1]):05d}/{int(official[2]):05d}"
    return file.rpartition(".")[0] or file
