"""The scripts of a page as one file, so that a first visit makes one request for all of them. Nobody builds it:
it is written when the files of the pages are looked for, and again when one of its parts has changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage, Storage

# In the order in which they run.
LABEL = (
    "memory",
    "outbox",
    "form",
    "stage",
    "mark",
    "picture",
    "reserve",
    "tabs",
    "settings",
    "answer",
)
PRACTICE = ("memory", "form", "stage", "mark", "picture", "settings", "answer")
PARTS = {
    "label-page.js": (*(f"label-{name}.js" for name in LABEL), "label.js"),
    "practice-page.js": (*(f"label-{name}.js" for name in PRACTICE), "practice.js"),
}


class PageScripts(BaseFinder):
    def __init__(self, *_: Any, **__: Any) -> None:
        self.storage = FileSystemStorage(location=Path(settings.VAR_DIR) / "page-scripts")

    def check(self, **_: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        if path not in PARTS:
            return []
        file = str(self.write(path))
        return [file] if find_all else file

    def list(self, ignore_patterns: Any) -> Iterator[tuple[str, Storage]]:
        for name in PARTS:
            self.write(name)
            yield name, self.storage

    def write(self, name: str) -> Path:
        file = Path(self.storage.path(name))
        script = joined(name)
        if not file.exists() or file.read_text(encoding="utf-8") != script:
            file.parent.mkdir(parents=True, exist_ok=True)
            draft = file.with_name(f"{name}.{uuid.uuid4().hex}")
            draft.write_text(script, encoding="utf-8")
            draft.replace(file)
        return file


def joined(name: str) -> str:
    """Each part in a block of its own, so that what it declares stays its own. Lines that are comments, or
    empty, stay behind."""
    return "".join(f"{{\n{_code_of(part)}\n}}\n" for part in PARTS[name])


def _code_of(part: str) -> str:
    text = (settings.PAGES_DIR / "static" / part).read_text(encoding="utf-8")
    stripped = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in stripped if line and not line.startswith("//"))
