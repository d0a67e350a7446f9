"""Reads a source and sorts what came, for the tests of the readers."""

from __future__ import annotations

import json
from pathlib import Path

from jurybox_formats import registry
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    Missing,
    PromptRecord,
    Rejected,
    Remark,
    ScoreRecord,
)

KINDS = {
    PromptRecord: "prompts",
    ImageRecord: "images",
    GeneratorRecord: "generators",
    LabelRecord: "labels",
    ScoreRecord: "scores",
    Rejected: "rejected",
    Missing: "missing",
    Remark: "remarks",
}


class Read:
    def __init__(self, format: str, path: Path, **more) -> None:
        for name in KINDS.values():
            setattr(self, name, [])
        for record in registry.records(format, Source(path, **more)):
            getattr(self, KINDS[type(record)]).append(record)


def written(folder: Path, **files) -> Path:
    """`name_ext=content` becomes name.ext; lists become JSONL, other values JSON, texts stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        stem, _, suffix = name.rpartition("_")
        if suffix == "jsonl":
            content = "".join(json.dumps(item) + "\n" for item in content)
        elif not isinstance(content, str):
            content = json.dumps(content, indent=1)
        (folder / f"{stem}.{suffix}").write_text(content, encoding="utf-8", newline="")
    return folder
