"""What an engine told about a picture, as rows keep it: told once, it is read again by everybody."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from judges.masks import packed, unpacked
from judges.models import Look
from judges.protocols import (
    Answer,
    ColorOf,
    DepthOf,
    Detection,
    Objects,
    Question,
    Similarity,
    Talk,
    Want,
)

NAMES = {
    Objects: "objects",
    ColorOf: "colors",
    DepthOf: "depth",
    Similarity: "similarity",
    Question: "answers",
    Talk: "talk",
}
# A detector tells a hundred guesses; masks of the faintest are found again if they are wanted.
MASKS_FROM = 0.05


def asked(want: Want, *, closed: bool) -> dict[str, Any]:
    """The want as plain data. A detector with its own list tells the same whatever is named."""
    plain = {"kind": NAMES[type(want)], **asdict(want)}
    if closed and isinstance(want, Objects):
        plain["classes"] = []
    elif closed and isinstance(want, ColorOf):
        plain["objects"]["classes"] = []
    return plain


def key_of(plain: Mapping[str, Any]) -> str:
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def recall(
    *, engine: str, wanted: Mapping[int, Mapping[str, Want]]
) -> Iterable[tuple[int, str, Any]]:
    """Of these wants by image and key, those that were answered: image, key, what was told."""
    keys = {key for wants in wanted.values() for key in wants}
    rows = Look.objects.filter(engine=engine, image__in=wanted, want__in=keys)
    for image, key, told in rows.values_list("image_id", "want", "told"):
        if key in wanted[image]:
            yield image, key, restored(wanted[image][key], told)


def keep(rows: Sequence[Look]) -> None:
    Look.objects.bulk_create(rows, ignore_conflicts=True)


def kept(want: Want, told: Any) -> Any:
    """As JSON; a ValueError where the engine told what is no answer at all."""
    if isinstance(want, Objects):
        return _columns(told)
    if isinstance(want, Question):
        return asdict(told)
    if isinstance(want, Similarity | DepthOf) and told is not None:
        return _number(told)
    return list(told) if isinstance(want, Talk) else told


def restored(want: Want, told: Any) -> Any:
    if isinstance(want, Objects):
        return _detections(told)
    if isinstance(want, Question):
        return Answer(**{**told, "tokens": tuple((text, p) for text, p in told["tokens"])})
    return tuple(told) if isinstance(want, Talk) else told


def _columns(detections: Sequence[Detection]) -> dict[str, list]:
    """Column by column: a hundred detections read back in a fifth of the time."""
    columns: dict[str, list] = {
        "class": [one["class"] for one in detections],
        "score": [_number(one["score"]) for one in detections],
        "box": [[_number(edge) for edge in one["box"]] for one in detections],
    }
    if any("color" in one for one in detections):
        columns["color"] = [one.get("color") for one in detections]
    if any(one.get("mask") for one in detections):
        columns["mask"] = [
            packed(one["mask"]) if one.get("mask") and one["score"] >= MASKS_FROM else None
            for one in detections
        ]
    return columns


def _detections(columns: Mapping[str, list]) -> list[Detection]:
    """A mask that was too faint to be kept is there as None."""
    detections: list[Detection] = [
        {"class": name, "score": score, "box": box}
        for name, score, box in zip(columns["class"], columns["score"], columns["box"], strict=True)
    ]
    for one, color in zip(detections, columns.get("color", ()), strict=False):
        if color is not None:
            one["color"] = color
    for one, mask in zip(detections, columns.get("mask", ()), strict=False):
        one["mask"] = mask and unpacked(mask)
    return detections


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"The engine told {number}, which is no number.")
    return number
