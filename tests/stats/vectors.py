"""Vectors of the official code (mt-metrics-eval, t2v_metrics), as numbers."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "golden"


@functools.cache
def cases(name: str) -> list[dict]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["cases"]


@functools.cache
def bundle(name: str) -> dict:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def flat(human: list, metric: list) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of groups as flat series with group names; entries that are null in either are left
    out, as the official code leaves them out."""
    rows = [
        (h, m, group)
        for group, (h_row, m_row) in enumerate(zip(human, metric, strict=True))
        for h, m in zip(h_row, m_row, strict=True)
        if h is not None and m is not None
    ]
    people, scores, groups = (np.array([row[at] for row in rows]) for at in range(3))
    return people.astype(float), scores.astype(float), groups
