"""Models that think before they answer: where their thinking begins, and how it is brought to an end."""

from __future__ import annotations

from typing import Any

OPENED, CLOSED = "<think>", "</think>"
_CLOSING = f"\n{CLOSED}\n\n"


def opens_thinking(text: str) -> str:
    """The mark that a chat template has written at the end of the text for the model; empty if none."""
    return f"{OPENED}\n" if text.rstrip().endswith(OPENED) else ""


def closing_tokens(tokenizer: Any, said: str, *, is_open: str) -> list[int]:
    """What ends the thinking that goes on; nothing where it has ended, or never began."""
    goes_on = (is_open or OPENED in said) and CLOSED not in said
    return list(tokenizer.encode(_CLOSING, add_special_tokens=False)) if goes_on else []
