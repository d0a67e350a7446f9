"""Reads the evidence stored with a score. An import may have brought anything, so every type is
checked: known keys become rows of a page, everything else is shown as raw JSON.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

KNOWN = {"detections", "clauses", "answers", "question", "said", "tokens", "text", "similarity"}
KNOWN |= {"cosine", "conversations", "reply"}


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A judge's question to its engine, and the reply."""

    question: str
    expected: str = ""
    said: str = ""
    probability: float | None = None
    tokens: tuple[tuple[str, float], ...] = ()
    seconds: float | None = None
    reason: str = ""


def detections(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    """Those with a class, a confidence and a box."""
    rows = [*_rows(evidence, "detections"), *_of_geneval(evidence)]
    return [row for row in rows if _is_detection(row)]


def _of_geneval(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    """GenEval's own result files: {class: [[x1, y1, x2, y2, confidence], …]}."""
    return [
        {"class": name, "score": box[4], "box": box[:4]}
        for name, boxes in _row(evidence, "boxes").items()
        for box in (boxes if isinstance(boxes, list) else [])
        if isinstance(box, list) and len(box) == 5
    ]


def clauses(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in _rows(evidence, "clauses") if "class" in row]


def questions(evidence: dict[str, Any]) -> list[AskedQuestion]:
    asked = [_question(row) for row in _rows(evidence, "answers") if _text(row, "question")]
    # A judge that asks a single question stores it without a list.
    if _text(evidence, "question"):
        asked.append(_question(evidence))
    return asked


def columns(asked: list[AskedQuestion]) -> set[str]:
    """The columns in which at least one question has something."""
    names = ("expected", "said", "probability", "tokens", "seconds")
    return {
        name for name in names if any(getattr(row, name) not in ("", None, ()) for row in asked)
    }


def likeness(evidence: dict[str, Any]) -> tuple[str, float] | None:
    """The text that the image was compared with, and the similarity (a cosine for CLIP)."""
    value = number(evidence.get("similarity", evidence.get("cosine")))
    text = _text(evidence, "text")
    return None if value is None or not text else (text, value)


def replies(evidence: dict[str, Any]) -> list[str]:
    """The replies of a judge that holds conversations, in order."""
    texts = [_text(_row(evidence, "reply"), "text")]
    for talk in _rows(evidence, "conversations"):
        texts += _texts(talk.get("replies"))
    return [text for text in texts if text]


def rest(evidence: dict[str, Any]) -> str:
    """Everything else, as JSON; an empty text where there is nothing else."""
    left = {key: value for key, value in evidence.items() if key not in KNOWN}
    if _of_geneval(evidence):
        del left["boxes"]
    for name, valid in (("detections", _is_detection), ("clauses", lambda row: "class" in row)):
        odd = evidence.get(name)
        if isinstance(odd, list):
            odd = [row for row in odd if not (isinstance(row, dict) and valid(row))]
        if odd:
            left[name] = odd
    return json.dumps(left, ensure_ascii=False, indent=2) if left else ""


def number(value: Any) -> float | None:
    """A finite number, or None; True is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _question(row: dict[str, Any]) -> AskedQuestion:
    probability = row.get("score", row.get("probability"))
    pairs = row.get("tokens")
    return AskedQuestion(
        question=_text(row, "question"),
        expected=_text(row, "expected"),
        said=_text(row, "said"),
        probability=number(probability),
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
    rows = evidence.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _row(evidence: dict[str, Any], name: str) -> dict[str, Any]:
    row = evidence.get(name)
    return row if isinstance(row, dict) else {}


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    """A reply is a text, or a list of texts, one for each turn."""
    if isinstance(value, str):
        return [value]
    return [text for part in value for text in _texts(part)] if isinstance(value, list) else []
