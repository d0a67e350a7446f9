"""Cells of a row of votes, as text of a CSV or as values of JSON and Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.json_values import SUFFIXES

TRUTH = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def text(cell: Mapping[str, Any], name: str) -> str:
    value = cell[name]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Unfit(name, value, f"“{name}” must be a text.")
    if not str(value).strip():
        raise Unfit(name, value, f"“{name}” is empty.")
    return str(value).strip()


def number(cell: Mapping[str, Any], name: str) -> float:
    try:
        return float(cell[name])
    except (TypeError, ValueError):
        raise Unfit(name, cell[name], f"“{name}” must be a number.") from None


def user(given: Any) -> str:
    """Who voted, as people are called here; empty where nobody says it."""
    return f"user {given}" if given != "" else ""


def truth(cell: Mapping[str, Any], name: str, *, otherwise: bool) -> bool:
    value = str(cell[name]).strip().lower()
    if not value:
        return otherwise
    if value not in TRUTH:
        raise Unfit(name, cell[name], f"“{name}” must be true or false.")
    return TRUTH[value]


def read_list(cell: Mapping[str, Any], name: str) -> list[Any]:
    """A list, or in a CSV a list as JSON."""
    value = cell[name]
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, list):
        raise Unfit(name, cell[name], f"“{name}” must be a list.")
    return value


def picture(value: Any, name: str, folder: Path) -> bytes | Path | None:
    """Bytes, `{bytes, path}` as `datasets` keeps a picture, or a path inside the folder; None where
    there is nothing, or an address in the net, which nobody follows."""
    if isinstance(value, dict):
        value = value.get("bytes") or value.get("path")
    if isinstance(value, bytes):
        return value or None
    if not isinstance(value, str) or not value.strip() or "://" in value:
        return None
    if not value.lower().endswith(SUFFIXES):
        raise Unfit(name, value, "This is no path of a picture (.png, .jpg, .jpeg, .webp).")
    path = (folder / value.strip()).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise Unfit(name, value, "The path leads out of the folder of the pictures.")
    if not path.is_file():
        raise Unfit(name, value, "The folder of the pictures has no such file.")
    return path
