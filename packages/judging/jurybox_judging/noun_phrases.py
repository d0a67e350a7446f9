"""The noun phrases of a prompt, for the methods that make questions of them.

The papers use spaCy. The default here is the small grammar of `jurybox_formats.prompt_grammar.parse`,
which needs no download; where spaCy and one of its English models are installed, the parser "spacy"
(or "spacy:MODEL") gives the papers' own phrases. A study that has its own phrases needs neither.
Another parser is a plug-in of the operator's: it takes the prompt and returns `Phrase`s.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from jurybox_formats.plugins import plugin
from jurybox_formats.prompt_grammar import parse as prompt_parser
from jurybox_judging.options import choice

# By name only: spaCy imports a package of any other name, or runs the code beside a folder's config.
MODELS = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")
SPACY = {"spacy": MODELS[0], **{f"spacy:{model}": model for model in MODELS}}
PARSERS = ("grammar", *SPACY)


@dataclass(frozen=True, slots=True)
class Phrase:
    """`text` with its article and attributes; `nouns` and `adjectives` are words of it."""

    text: str
    nouns: tuple[str, ...]
    adjectives: tuple[str, ...] = ()


Reader = Callable[[str], tuple[Phrase, ...]]


def parser_option() -> Any:
    return choice(
        "grammar",
        PARSERS,
        "What finds the noun phrases of a prompt: the grammar, spaCy or a plug-in.",
        takes_plugins=True,
    )


def check_reader(name: str) -> None:
    """A ValueError where it is not installed; nothing is imported to find out."""
    for needed in ("spacy", SPACY[name]) if name in SPACY else ():
        if needed not in sys.modules and importlib.util.find_spec(needed) is None:
            raise ValueError(_absent(SPACY[name], f"no package “{needed}”"))


def reader(name: str = "grammar") -> Reader:
    if name == "grammar":
        return by_grammar
    return _spacy(SPACY[name]) if name in SPACY else plugin(name, fits=_are_phrases)


def _are_phrases(returned: Any, prompt: str) -> bool:
    return isinstance(returned, tuple | list) and all(isinstance(one, Phrase) for one in returned)


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
        raise ValueError(_absent(model, str(error))) from error

    def read(prompt: str) -> tuple[Phrase, ...]:
        return tuple(
            Phrase(chunk.text, _phrase_parts("NOUN", chunk), _phrase_parts("ADJ", chunk))
            for chunk in language(prompt).noun_chunks
        )

    return read


def _absent(model: str, why: str) -> str:
    return (
        f"spaCy's model “{model}” is not installed here ({why}). "
        "Install it, or choose the parser “grammar”."
    )


def _phrase_parts(part_of_speech: str, chunk: Any) -> tuple[str, ...]:
    return tuple(token.text for token in chunk if token.pos_ == part_of_speech)
