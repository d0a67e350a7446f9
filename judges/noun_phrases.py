"""The noun phrases of a prompt, for the methods that make questions of them.

The papers use spaCy. The default here is the small grammar of `annotations.prompt_grammar.parse`,
which needs no download; where spaCy and one of its models are installed, the parser "spacy" (or
"spacy:MODEL") gives the papers' own phrases. A study that has its own phrases needs neither.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from annotations.prompt_grammar import parse as prompt_parser

MODEL = "en_core_web_sm"


@dataclass(frozen=True, slots=True)
class Phrase:
    """`text` with its article and attributes; `nouns` and `adjectives` are words of it."""

    text: str
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...] = ()


Reader = Callable[[str], tuple[Phrase, ...]]


def reader(name: str = "grammar") -> Reader:
    """Raises ValueError for an unknown parser, before any prompt is read."""
    if name == "grammar":
        return by_grammar
    family, _, model = name.partition(":")
    if family == "spacy":
        return _spacy(model or MODEL)
    raise ValueError(f"A parser is “grammar”, “spacy” or “spacy:MODEL”, not “{name}”.")


@lru_cache(maxsize=10_000)
def by_grammar(prompt: str) -> tuple[Phrase, ...]:
    """The words of a phrase that name the thing stand last in it."""
    things, _ = prompt_parser.read(prompt)
    return tuple(
        Phrase(
            thing.phrase,
            tuple(thing.phrase.split()[-len(thing.noun.split()) :]),
            tuple(thing.attributes),
        )
        for thing in things
    )


@cache
def _spacy(model: str) -> Reader:
    """Loaded once per process; the official loops load it for every image."""
    try:
        language = importlib.import_module("spacy").load(model)
    except (ImportError, OSError) as error:
        raise ValueError(
            f"spaCy's model “{model}” is not installed here ({error}). "
            "Install it, or choose the parser “grammar”."
        ) from error

    def read(prompt: str) -> tuple[Phrase, ...]:
        return tuple(
            Phrase(chunk.text, _of("NOUN", chunk), _of("ADJ", chunk))
            for chunk in language(prompt).noun_chunks
        )

    return read


def _of(part_of_speech: str, chunk: Any) -> tuple[str, ...]:
    return tuple(token.text for token in chunk if token.pos_ == part_of_speech)
