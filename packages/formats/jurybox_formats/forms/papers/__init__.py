"""The papers' question forms, one file each, as plain data: its `FORMS`, and its `EARLIER` versions."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from jurybox_formats.forms.definition import Form

# Where a file's forms stand in menus, by its `ORDER`; a new one follows the others.
LAST = 1000
_FILES = [
    import_module(f"{__name__}.{file.stem}")
    for file in sorted(Path(__file__).parent.glob("*.py"))
    if "\nFORMS = (" in file.read_text(encoding="utf-8")
]
_FILES.sort(key=lambda module: getattr(module, "ORDER", LAST))
FORMS: dict[str, Form] = {form.slug: form for module in _FILES for form in module.FORMS}
# Earlier versions of them, by their digests. Studies that began with one keep it.
EARLIER: dict[str, Form] = {
    form.digest: form for module in _FILES for form in getattr(module, "EARLIER", ())
}
