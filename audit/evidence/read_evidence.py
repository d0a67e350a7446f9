"""What a judge kept beside its score, read with care: a file may have brought anything.

Known keys become rows of a page; all that is not known is shown as it came.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

KNOWN = {"detections", "clauses", "answers", "question", "said", "tokens", "text", "similarity"}
KNOWN |= {"cosine", "conversations", "reply"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question that a judge put to its engine, and what came back."""

    question: str
    expected: str = ""
    said: str = ""
    probability: float | None = None
    tokens: tuple[tuple[str, float], ...] = ()
    seconds: float | None = None
    reason: str = ""


def detections(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    """Those with a class, a confidence and a box."""
    found = [*_rows(evidence, "detections"), *_of_geneval(evidence)]
    return [one for one in found if _is_detection(one)]


def _of_geneval(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    """GenEval's own result files: {class: [[x1, y1, x2, y2, confidence], …]}."""
    return [
        {"class": name, "score": box[4], "box": box[:4]}
        for name, boxes in _row(evidence, "boxes").items()
        for box in (boxes if isinstance(boxes, list) else [])
        if isinstance(box, list) and len(box) == 5
    ]


def clauses(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in _rows(evidence, "clauses") if "class" in one]


def asked(evidence: dict[str, Any]) -> list[Asked]:
    found = [_asked(one) for one in _rows(evidence, "answers") if _text(one, "question")]
    # A judge with one question keeps it without a list.
    if _text(evidence, "question"):
        found.append(_asked(evidence))
    return found


def columns(rows: list[Asked]) -> set[str]:
    """What at least one of the questions has: a column of dashes says nothing."""
    names = ("expected", "said", "probability", "tokens", "seconds")
    return {name for name in names if any(getattr(one, name) not in ("", None, ()) for one in rows)}


def likeness(evidence: dict[str, Any]) -> tuple[str, float] | None:
    """The text that a picture was held against, and how well it fits (a cosine for CLIP)."""
    value = number(evidence.get("similarity", evidence.get("cosine")))
    text = _text(evidence, "text")
    return None if value is None or not text else (text, value)


def replies(evidence: dict[str, Any]) -> list[str]:
    """What a judge that talks replied, in order."""
    found = [_text(_row(evidence, "reply"), "text")]
    for talk in _rows(evidence, "conversations"):
        found += _texts(talk.get("replies"))
    return [reply for reply in found if reply]


def rest(evidence: dict[str, Any]) -> str:
    """Everything else, as JSON; nothing where there is nothing else."""
    left = {key: value for key, value in evidence.items() if key not in KNOWN}
    if _of_geneval(evidence):
        del left["boxes"]
    for name, valid in (("detections", _is_detection), ("clauses", lambda one: "class" in one)):
        odd = evidence.get(name)
        if isinstance(odd, list):
            odd = [one for one in odd if not (isinstance(one, dict) and valid(one))]
        if odd:
            left[name] = odd
    return json.dumps(left, ensure_ascii=False, indent=2) if left else ""


def number(value: Any) -> float | None:
    """A number that is one; True is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _asked(row: dict[str, Any]) -> Asked:
    said = row.get("score", row.get("probability"))
    pairs = row.get("tokens")
    return Asked(
        question=_text(row, "question"),
        expected=_text(row, "expected"),
        said=_text(row, "said"),
        probability=number(said),
        tokens=tuple(
            (str(pair[0]), value)
            for pair in (pairs if isinstance(pairs, list) else [])
            if isinstance(pair, list) and len(pair) == 2 and (value := number(pair[1])) is not None
        ),
        seconds=number(row.get("seconds")),
        reason=_text(row, "reason"),
    )


def _is_detection(row: dict[str, Any]) -> bool:
    box = row.get("box")
    return (
        isinstance(row.get("class"), str)
        and number(row.get("score")) is not None
        and isinstance(box, list)
        and len(box) >= 4
        and all(number(side) is not None for side in box[:4])
    )


def _rows(evidence: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = evidence.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _row(evidence: dict[str, Any], name: str) -> dict[str, Any]:
    found = evidence.get(name)
    return found if isinstance(found, dict) else {}


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    """A reply is a text, or a list of the texts of its turns."""
    if isinstance(value, str):
        return [value]
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
