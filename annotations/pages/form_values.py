"""Numbers as a page form sends them."""

from __future__ import annotations

from annotations.errors import StudyRefused


def whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise StudyRefused(f"“{text[:40]}” is not a whole number; nothing was changed.") from None


def number(text: str) -> float:
    """With a point or a comma."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        raise StudyRefused(f"“{text[:40]}” is not a number; nothing was changed.") from None
