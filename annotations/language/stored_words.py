"""Sentences that workers and refusals say in English, in the language of a page.

What a check or an import says is stored, and programs read it: it stays English. The translations know each such
sentence with its values as places, as it stands in the code (“%(name)s” is empty.); here its values are found
again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from django.utils import translation
from django.utils.translation import gettext, trans_real

PLACE = re.compile(r"%\((\w+)\)s")
# Two sentences that were put together.
BETWEEN = re.compile(r"(?<=[.!?:]) (?=\S)")
LONGEST, MOST_SENTENCES = 2000, 12
# A number’s unit and its interval, which stand in sentences of all kinds.
NUMBERS = re.compile(
    # What stands in quotation marks is somebody’s own.
    r"“[^”]*”|„[^“]*“|(?<![\w.])(?P<low>[+−]?\d[\d.,]*) to (?P<high>[+−]?\d[\d.,]*)"
    r"|(?<=\d )(?P<unit>points(?: a year)?)(?= \()|\((?P<none>no interval)\)"
)
NUMBER = re.compile(r"[+−]?\d[\d.,]*(?: points)?(?: \([^()]*\))")
NUMBERED = re.compile(r"(.*[^ ]) ([+−]?\d[\d.,]*(?: points)?(?: \([^()]*\))?)")
# A sentence with fewer letters of its own could be anything.
LEAST, LONGEST_PART = 7, 5
LONGEST_NAME = 60
ENGLISH = "en"


# Names of judges, generators and slices that could be taken for words or ends of sentences. A letter that no
# language has stands for each while its sentence is translated.
ODD = re.compile(r"[:.,;!?()“”„‘’%]|\d \w|\w \d| to ")
STAND_IN, MOST_NAMES = 0xE000, 500
_names: dict[str, None] = {}


class Pattern(NamedTuple):
    message: str
    parts: tuple[str, ...]  # what stands before, between and after its places
    names: tuple[str, ...]


def say(text: str) -> str:
    """As it is where no translation is known."""
    return translate_stored(str(text)) or text


def keep_names(names: Iterable[str]) -> None:
    """Of the report at hand; the last ones are kept."""
    for name in names:
        if ODD.search(name) or len(name) > LONGEST_NAME:
            _names.pop(name, None)
            _names[name] = None
    for name in [*_names][:-MOST_NAMES]:
        _names.pop(name, None)


def translate_stored(text: str) -> str:
    """Empty where no translation is known."""
    language = translation.get_language() or ENGLISH
    if not text or language == ENGLISH or len(text) > LONGEST:
        return ""
    stand_ins: dict[str, str] = {}
    for name in sorted((name for name in [*_names] if name in text), key=len, reverse=True):
        stand_in = chr(STAND_IN + len(stand_ins))
        stand_ins[stand_in], text = name, text.replace(name, stand_in)
    translated = _translate(language, text)
    for stand_in, name in stand_ins.items():
        translated = translated.replace(stand_in, name)
    return translated


@lru_cache(maxsize=1024)
def _translate(language: str, text: str) -> str:
    # What gettext says of no words at all is the head of its file.
    found = _find_translation(language, text) if text else ""
    return _translate_numbers(found) if found else ""


def _translate_numbers(text: str) -> str:
    return NUMBERS.sub(_translate_number, text)


def _translate_number(found: re.Match[str]) -> str:
    if found["low"]:
        return gettext("%(low)s to %(high)s") % {"low": found["low"], "high": found["high"]}
    if found["unit"]:
        return gettext("points") if found["unit"] == "points" else gettext("points a year")
    return f"({gettext('no interval')})" if found["none"] else found[0]


def _find_translation(language: str, text: str) -> str:
    exact = gettext(text)
    if exact != text:
        return exact
    # Before its whole, or the first of two sentences would be taken for a value of the second.
    ends = [found.start() for found in BETWEEN.finditer(text)][:MOST_SENTENCES]
    for end in reversed(ends):
        first = _translate(language, text[:end])
        rest = _translate(language, text[end + 1 :]) if first else ""
        if rest:
            return f"{first}{'' if language.startswith('zh') else ' '}{rest}"
    return (
        _fill_pattern(language, text)
        or _translate_after_colon(language, text)
        or _translate_part(language, text)
    )


def _translate_part(language: str, text: str) -> str:
    """What is a sentence by its full stop alone, or without it; or says a number of what stands before it,
    as "Line 3:" does."""
    stop = "。" if language.startswith("zh") else "."
    if text.endswith("."):
        translated = _translate(language, text[:-1])
        return f"{translated}{stop}" if translated else ""
    if " " in text and (whole := _fill_pattern(language, f"{text}.")):
        return whole.removesuffix(stop)
    # A reason that stands alone begins with a capital.
    lower = f"{text[:1].lower()}{text[1:]}"
    if lower != text and (reason := gettext(lower)) != lower:
        return f"{reason[:1].upper()}{reason[1:]}"
    if NUMBER.fullmatch(text):
        return text
    found = NUMBERED.fullmatch(text.removesuffix(":"))
    translated = _translate(language, found[1]) if found else ""
    if not found or not translated:
        return ""
    colon = "：" if language.startswith("zh") else ":"
    return f"{translated} {found[2]}{colon if text.endswith(':') else ''}"


def _translate_after_colon(language: str, text: str) -> str:
    """Of whom it is said stands before it."""
    before, colon, rest = text.partition(": ")
    translated = _translate(language, rest) if colon else ""
    if not translated:
        return ""
    mark = "：" if language.startswith("zh") else ": "
    return f"{_translate(language, before) or before}{mark}{translated}"


def _fill_pattern(language: str, text: str) -> str:
    for pattern in _patterns(language):
        values = _values(pattern.parts, text)
        if values is not None:
            places = zip(pattern.names, values, pattern.parts[:-1], strict=True)
            # In quotation marks stands a file's own word, even where it is one of ours.
            said = {
                name: value if before.endswith("“") else _translate(language, value) or value
                for name, value, before in places
            }
            return gettext(pattern.message) % said
    return ""


def _values(parts: tuple[str, ...], text: str) -> list[str] | None:
    """What stands at the places; each as short as it can be."""
    if not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return None
    at, end = len(parts[0]), len(text) - len(parts[-1])
    values = []
    for part in parts[1:-1]:
        found = text.find(part, at, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(part)
    return [*values, text[at:end]] if at <= end else None


@lru_cache(maxsize=8)
def _patterns(language: str) -> tuple[Pattern, ...]:
    """Those with most words of their own first."""
    catalogue = getattr(trans_real.translation(language), "_catalog", None)
    # One with a plural is known by its number, too. The catalogue has no way through it but `keys`.
    keys = catalogue.keys() if catalogue is not None else ()
    messages = {key for key in keys if isinstance(key, str)}
    patterns = []
    for message in messages:
        pieces = PLACE.split(message)
        parts = tuple(piece.replace("%%", "%") for piece in pieces[::2])
        longest = max(len(part.strip()) for part in parts)
        if len(parts) > 1 and sum(map(len, parts)) >= LEAST and longest >= LONGEST_PART:
            patterns.append(Pattern(message, parts, tuple(pieces[1::2])))
    return tuple(sorted(patterns, key=lambda one: (-sum(map(len, one.parts)), one.message)))
