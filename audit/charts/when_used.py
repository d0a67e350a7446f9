"""What draws, imported with the first drawing: it takes a second and many megabytes, and most programs
draw nothing."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    import typst
    import vl_convert
else:

    @cache
    def _load(name: str) -> Any:
        module = import_module(name)
        if name == "altair":
            # A chart is checked once it is whole: not each part of it as well, with all that it holds.
            module.utils.schemapi.disable_debug_mode()
        return module

    class _Module:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            return getattr(_load(self._name), name)

    alt, typst, vl_convert = map(_Module, ("altair", "typst", "vl_convert"))

__all__ = ["alt", "typst", "vl_convert"]
