"""What engines are asked and what they answer, as plain data: so that it can be stored, and found again by its key."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, overload

from jurybox_judging.masks import packed, unpacked
from jurybox_judging.protocols import (
    Answer,
    ColorOf,
    DepthOf,
    Detection,
    Line,
    Objects,
    Question,
    Reward,
    Similarity,
    Talk,
    Want,
    Writing,
)

KIND_OF: dict[type[Want], str] = {
    Objects: "objects",
    ColorOf: "colors",
    DepthOf: "depth",
    Writing: "writing",
    Similarity: "similarity",
    Reward: "reward",
    Question: "answers",
    Talk: "talk",
}
# A detector returns a hundred guesses. Masks of the faintest are not stored: where one is wanted
# after all, the detector runs again.
MASKS_FROM = 0.05


def want_as_json(want: Want, *, closed: bool) -> dict[str, Any]:
    """`closed`: the detector has a list of its own, so its answer is the same for any classes."""
    plain = {"kind": KIND_OF[type(want)], **asdict(want)}
    for newer in ("pictures", "reply_start", "thinking_tokens"):
        if not plain.get(newer, True):
            del plain[newer]  # Looks without it are older than the field.
    if closed and isinstance(want, Objects):
        plain["classes"] = []
    elif closed and isinstance(want, ColorOf):
        plain["objects"]["classes"] = []
    return plain


def key_of(plain: Mapping[str, Any]) -> str:
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def key_of_want(want: Want, *, closed: bool) -> str:
    """The same for all classes of a detector with a list of its own: an image of each prompt asks."""
    if closed and isinstance(want, Objects):
        want = Objects()
    return _key_of_want(want, closed)


@lru_cache(maxsize=4096)
def _key_of_want(want: Want, closed: bool) -> str:
    return key_of(want_as_json(want, closed=closed))


def answer_as_json(want: Want, answer: Any) -> Any:
    """A ValueError where the engine returned a number that is none."""
    if isinstance(want, Objects):
        return _columns(answer)
    if isinstance(want, Question):
        return asdict(answer)
    if isinstance(want, Similarity | DepthOf) and answer is not None:
        return _number(answer)
    if isinstance(want, Reward):
        return [_number(number) for number in answer]
    if isinstance(want, Writing):
        return [_line_as_json(line) for line in answer]
    return list(answer) if isinstance(want, Talk) else answer


def _line_as_json(line: Line) -> dict[str, Any]:
    box = [_number(edge) for edge in line["box"]]
    return {"text": line["text"], "score": _number(line["score"]), "box": box}


def answer_from_json(want: Want, stored: Any) -> Any:
    if isinstance(want, Objects):
        return StoredDetections(stored)
    if isinstance(want, Question):
        between = stored.get("between")
        return Answer(
            **{
                **stored,
                "tokens": tuple((text, p) for text, p in stored["tokens"]),
                "between": tuple(between) if between else None,
            }
        )
    return tuple(stored) if isinstance(want, Talk | Reward) else stored


class StoredDetections(Sequence[Detection]):
    """Each detection is built when it is first read: most are too faint for anybody to want them.

    A mask that was too faint to be stored is None.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = columns
        self.classes: list[str] = columns["class"]
        self.scores = _unpacked(columns["score"]).tolist()
        self._edges = _unpacked(columns["box"])
        self._colors: Sequence[str | None] = columns.get("color", ())
        self._built: list[Detection | None] = [None] * len(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, index: int) -> Detection: ...
    @overload
    def __getitem__(self, index: slice) -> list[Detection]: ...
    def __getitem__(self, index: int | slice) -> Detection | list[Detection]:
        if isinstance(index, slice):
            return [self[n] for n in range(len(self))[index]]
        detection = self._built[index]
        if detection is None:
            detection = self._built[index] = self._build(range(len(self.scores))[index])
        return detection

    def plain(self, index: int) -> Detection:
        """As evidence shows it, without its mask."""
        detection: Detection = {
            "class": self.classes[index],
            "score": self.scores[index],
            "box": self._edges[4 * index : 4 * index + 4].tolist(),
        }
        color = self._colors[index] if self._colors else None
        if color is not None:
            detection["color"] = color
        return detection

    def _build(self, index: int) -> Detection:
        detection = self.plain(index)
        if "mask" in self._columns:
            mask = self._columns["mask"].get(str(index))
            detection["mask"] = mask and unpacked(mask)
        return detection


def _columns(detections: Sequence[Detection]) -> dict[str, Any]:
    """Column by column, numbers packed: read back in a tenth of the time that objects take."""
    scores = [_number(detection["score"]) for detection in detections]
    columns: dict[str, Any] = {
        "class": [detection["class"] for detection in detections],
        "score": _packed(scores),
        "box": _packed(
            [_number(edge) for detection in detections for edge in detection["box"][:4]]
        ),
    }
    if any("color" in detection for detection in detections):
        columns["color"] = [detection.get("color") for detection in detections]
    if any(detection.get("mask") for detection in detections):
        columns["mask"] = {
            str(index): packed(detection["mask"])
            for index, detection in enumerate(detections)
            if detection.get("mask") and scores[index] >= MASKS_FROM
        }
    return columns


def _packed(numbers: Sequence[float]) -> str:
    return base64.b64encode(array("d", numbers).tobytes()).decode()


def _unpacked(text: str) -> array[float]:
    return array("d", base64.b64decode(text))


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"The engine returned {number}, which is no number.")
    return number
