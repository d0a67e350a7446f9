"""What is read from a lake: pictures with their prompts, and what had to be passed over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.checks import Unfit, check_key, check_text

# Nothing that is larger is a picture; `IMAGE_MAX_BYTES` may say less.
LARGEST = 256 * 2**20


@dataclass(frozen=True, slots=True)
class LakePicture:
    """`about`: what else the judge may know of the prompt, its atoms and metadata, as JSON; empty where
    there is nothing."""

    key: str
    prompt: str
    about: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    where: str
    why: str


def lake_picture(
    key: str, prompt: Any, content: bytes, *, atoms: Any = "", metadata: Any = ""
) -> LakePicture:
    """Raises Unfit."""
    check_key("image_id", key)
    if not isinstance(prompt, str) or not prompt.strip():
        raise Unfit("prompt", prompt, "The prompt is empty.")
    check_text("prompt", prompt)
    return LakePicture(key, prompt.strip(), about_of(atoms, metadata), content)


def about_of(atoms: Any, metadata: Any) -> str:
    told: dict[str, Any] = {}
    if given := tidy_tables.atoms_of("atoms", "" if atoms is None else atoms):
        told["atoms"] = [asdict(atom) for atom in given]
    if kept := tidy_tables.json_object("metadata", "" if metadata is None else metadata):
        told["metadata"] = kept
    return json.dumps(told, ensure_ascii=False, sort_keys=True) if told else ""


def parsed(text: bytes) -> Mapping[str, Any]:
    """The object beside a picture. Raises Unfit."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unfit("json", "", "The JSON beside the picture cannot be read.") from error
    if not isinstance(value, dict):
        raise Unfit("json", "", "The JSON beside the picture is no object.")
    return value
