"""Texts must not contain control tokens, which could end the question or begin a turn.

Tokenizers recognise these marks anywhere, also in a prompt that a stranger wrote to steer the
judge.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def marks_of(tokenizer: Any, *more: str) -> tuple[str, ...]:
    added = tokenizer.added_tokens_decoder.values()
    special = {token.content for token in added if token.special}
    return tuple(sorted({*special, *tokenizer.all_special_tokens, *more} - {""}))


def expect_none(text: str, marks: Iterable[str]) -> None:
    for mark in marks:
        if mark in text:
            raise ValueError(f"The question contains “{mark}”, a mark of the model's own.")
