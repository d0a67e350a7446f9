"""Detections, colors and depth made elsewhere: read from a file, judged here without a GPU.

Files: `results.jsonl` of GenEval's official script (boxes by class, after its own threshold: a
lower one finds nothing more in it), COCO's JSON with "images", "categories" and "annotations"
whose boxes carry a score, and lines of our own, one for each image:

    {"image": "a prompt_000000.png", "detections": [{"class": "cat", "score": 0.9,
     "box": [x1, y1, x2, y2], "color": "red"}], "depth": "<PNG in base64>"}

with boxes in pixels of the picture; a color where it is known; and where depth is wanted, a gray
picture of any size in which lighter is nearer.
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from jurybox_judging.engines.shared import weight_facts, weights
from jurybox_judging.engines.shared.checkpoint import pictures
from jurybox_judging.errors import EngineRefused, clause_of
from jurybox_judging.options import FILE, Declared, free_text
from jurybox_judging.protocols import Detection, Engine

NAMES = {"from-file": {"class": "FromFile"}}

# The official script numbers prompts and samples: …/00012/samples/00003.png
OFFICIAL = re.compile(r"(?:^|/)(\d{1,9})/samples/(\d{1,9})\.png$")


# T2I-CompBench numbers pictures: “a red cup_000123.png”; an import calls it by its number.
NUMBERED = re.compile(r"_(\d{1,9})\.\w+$")
# What reading raises where a file has another format.
NOT_SO = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


@dataclass(eq=False)
class FromFile(Engine, Declared):
    """A detector and a depth sensor that look results up."""

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
        return weight_facts.facts(self.checkpoint, libraries=())

    def load(self) -> None:
        _ = self._detections

    def detect(
        self, images: Sequence[Image.Image], classes: Sequence[tuple[str, ...]] = ()
    ) -> list[list[Detection]]:
        return [self._detections_of(image.info["key"]) for image in images]

    def depths(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        return [self._depth_of(image.info["key"]) for image in images]

    def _detections_of(self, key: str) -> list[Detection]:
        if key not in self._detections:
            raise ValueError(f"The file “{self._name}” says nothing of “{key}”.")
        return self._detections[key]

    def _depth_of(self, key: str) -> np.ndarray:
        self._detections_of(key)
        start = self._lines.get(key.removeprefix(self.prefix))
        if start is None:
            raise ValueError(f"The file “{self._name}” says nothing of the depth in “{key}”.")
        with self._path.open("rb") as file:
            file.seek(start)
            text = json.loads(file.readline())["depth"]
        try:
            with Image.open(io.BytesIO(base64.b64decode(text, validate=True))) as picture:
                return np.asarray(picture.convert("L"), dtype=np.float32) / 255
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise ValueError(f"The depth of “{key}” is no picture that can be read.") from error

    @property
    def _path(self) -> Path:
        return Path(weights.check_named(self.checkpoint)).expanduser()

    @property
    def _name(self) -> str:
        return Path(self.checkpoint).name

    @cached_property
    def _lines(self) -> dict[str, int]:
        """Where the line of an image with a depth map begins: all maps would fill the memory."""
        self.load()
        return self._with_depth

    @cached_property
    def _detections(self) -> dict[str, list[Detection]]:
        path = self._path
        self._with_depth: dict[str, int] = {}
        try:
            pairs = list(_coco(path) if path.suffix == ".json" else self._read_lines(path))
        except OSError as error:
            raise EngineRefused(
                f"The file “{path.name}” cannot be read: {error.strerror}."
            ) from error
        except NOT_SO as error:
            raise EngineRefused(
                f"“{path.name}” is neither a results.jsonl of GenEval nor COCO’s JSON with images, "
                f"categories and scored annotations, nor lines with “image” and “detections”: "
                f"{type(error).__name__} {clause_of(error)}."
            ) from error
        return {self.prefix + name: detections for name, detections in pairs}

    def _read_lines(self, path: Path) -> Iterator[tuple[str, list[Detection]]]:
        start = 0
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    row = json.loads(line)
                    if "filename" in row:
                        yield _name(row["filename"]), list(_boxes(json.loads(row["details"])))
                    else:
                        found = [
                            _own(each, number) for each in _check_row(row, number)["detections"]
                        ]
                        for name in _names(row["image"]):
                            if "depth" in row:
                                self._with_depth[name] = start
                            yield name, found
                start += len(line)


def _check_row(row: Any, number: int) -> dict[str, Any]:
    fits = (
        isinstance(row, dict)
        and isinstance(row.get("image"), str)
        and isinstance(row.get("detections"), list)
        and isinstance(row.get("depth", ""), str)
    )
    if not fits:
        raise ValueError(f"line {number} has no “image” (a name) with “detections” (a list)")
    return row


def _own(told: Any, number: int) -> Detection:
    words = f"line {number}: a detection needs a class, a score from 0 to 1 and a box of 4 numbers"
    if not isinstance(told, dict) or not isinstance(told.get("class"), str):
        raise ValueError(words)
    score: Any = told.get("score")
    box: Any = told.get("box")
    if not isinstance(box, list) or len(box) != 4 or not all(map(_is_number, [score, *box])):
        raise ValueError(words)
    if not 0 <= float(score) <= 1:
        raise ValueError(words)
    detection: Detection = {
        "class": told["class"],
        "score": float(score),
        "box": [float(edge) for edge in box],
    }
    if isinstance(told.get("color"), str):
        detection["color"] = told["color"]
    return detection


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


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


def _names(file: str) -> Iterator[str]:
    """The names under which a study may know the image."""
    yield _name(file)
    numbered = NUMBERED.search(file)
    if numbered:
        yield f"{int(numbered[1]):06d}"


def _whole(counts: Iterable[Any]) -> list[int]:
    return [int(count) for count in counts]


def _name(file: str) -> str:
    """The image's key in a study: prompt and sample of an official folder, else the path without
    its ending."""
    official = OFFICIAL.search(file)
    if official:
        return f"{int(official[1]):05d}/{int(official[2]):05d}"
    return file.rpartition(".")[0] or file
