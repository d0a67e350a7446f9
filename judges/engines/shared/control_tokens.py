"""A text that somebody wrote must stay a text: no token in it may end the question or open a turn.

Tokenizers turn such marks into their own control tokens wherever they stand, also in a prompt that
a stranger wrote to steer the judge.
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
