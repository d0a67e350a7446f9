"""Several pictures in one question: their order, and the words that name each before it."""

from __future__ import annotations

from PIL import Image

from jurybox_judging.protocols import Shown


def named_pictures(shown: Shown) -> tuple[tuple[str, Image.Image], ...]:
    """In their order, each with the name of its place; a picture alone has none."""
    return (("", shown),) if isinstance(shown, Image.Image) else shown


def title_of(number: int, name: str) -> str:
    """What stands before a picture; a question about “the source” must say which it is."""
    return f"Picture {number} ({name}):" if name else ""
