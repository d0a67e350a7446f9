"""The options of a judge. Every option of a method and of an engine is declared once, as a field of
its class: type, range, choices, default and a sentence of help.

The page, the API, the commands and the tables of docs/judge-tables.md are made from these declarations,
and what does not fit one is refused before a run exists. Nothing here knows Django.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from jurybox_formats import plugins

MOST_TOKENS = 4_096  # of a reply
LONGEST = 200  # characters of a text, unless its declaration says otherwise
_KEY = "option"
# What an option may name of the machine or the network; the operator's settings decide (`allowed`).
WEIGHTS, FILE, SERVER = "weights", "file", "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """`kind`: flag, whole, number, text, texts or fields. `names` says what a text names that only
    the operator allows. `is_fact`: it can change what an engine answers, and is stated as a fact of
    it. `takes_plugins`: besides the choices, the name of any plug-in of the settings."""

    kind: str
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    own_choices: tuple[str, ...] = ()
    longest: int = LONGEST
    most: int = 1
    names: str = ""
    takes_plugins: bool = False
    is_fact: bool = False
    may_be_none: bool = False
    fits: Callable[[Any], bool] | None = None
    form: str = ""  # in words, where `fits` decides

    @property
    def choices(self) -> tuple[str, ...]:
        return (*self.own_choices, *plugins.names()) if self.takes_plugins else self.own_choices

    @property
    def requirement(self) -> str:
        """What its value must be, in words."""
        words = {
            "flag": "true or false",
            "whole": "a whole number",
            "number": "a number",
            "text": "a text",
            "texts": f"a list of 1 to {self.most} texts",
            "fields": "an object of fields",
        }[self.kind]
        if self.choices:
            return f"one of {', '.join(choice or 'nothing' for choice in self.choices)}"
        if self.minimum is not None and self.maximum is not None:
            words += f" from {_plain(self.minimum)} to {_plain(self.maximum)}"
        if self.kind in ("text", "texts", "fields"):
            words += f" of at most {self.longest:,} characters"
        return f"{words}, {self.form}" if self.form else words

    @property
    def shown_default(self) -> str:
        """As a person would type it."""
        return self.default if isinstance(self.default, str) else json.dumps(self.default)

    def as_json(self, name: str) -> dict[str, Any]:
        """The declaration as plain data, for programs."""
        return {
            "name": name,
            "type": "choice" if self.choices else self.kind,
            "default": self.default,
            "wanted": self.requirement,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "choices": list(self.choices),
            "longest": self.longest if self.kind in ("text", "texts", "fields") else None,
            "help": self.help,
        }

    def check(self, name: str, value: Any) -> None:
        """A ValueError with a sentence that names the option and what it wants."""
        if not self._holds(value):
            raise ValueError(f"“{name}” must be {self.requirement}, not {shorten_value(value)}.")

    def _holds(self, value: Any) -> bool:
        if value is None:
            return self.may_be_none
        if self.kind == "flag":
            return isinstance(value, bool)
        if self.kind in ("whole", "number"):
            return self._is_number(value)
        if self.kind == "fields":
            return self._is_object(value)
        if self.kind == "texts":
            return isinstance(value, list | tuple) and (
                0 < len(value) <= self.most and all(self._is_text(text) for text in value)
            )
        return self._is_text(value)

    def _is_number(self, value: Any) -> bool:
        kinds = int if self.kind == "whole" else int | float
        if not isinstance(value, kinds) or isinstance(value, bool):
            return False
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        # An integer may be too long for a float, but not for a comparison. NaN lies nowhere.
        return low <= value <= high and (isinstance(value, int) or math.isfinite(value))

    def _is_text(self, value: Any) -> bool:
        if not isinstance(value, str) or len(value) > self.longest or not is_clean(value):
            return False
        if self.choices:
            return value in self.choices
        return self.fits is None or self.fits(value)

    def _is_object(self, value: Any) -> bool:
        if not isinstance(value, Mapping):
            return False
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return False
        return len(text) <= self.longest and is_clean(text)


def flag(default: bool, help: str, **more: Any) -> Any:
    return _field(Option(kind="flag", default=default, help=help, **more))


def whole(default: int, help: str, *, minimum: int, maximum: int, **more: Any) -> Any:
    option = Option(kind="whole", default=default, help=help, minimum=minimum, maximum=maximum)
    return _field(dataclasses.replace(option, **more))


def real(default: float | None, help: str, *, minimum: float, maximum: float, **more: Any) -> Any:
    """Without a default it may be left out altogether."""
    option = Option(kind="number", default=default, help=help, minimum=minimum, maximum=maximum)
    return _field(dataclasses.replace(option, may_be_none=default is None, **more))


def free_text(default: str, help: str, **more: Any) -> Any:
    return _field(Option(kind="text", default=default, help=help, **more))


def choice(default: str, choices: Sequence[str], help: str, **more: Any) -> Any:
    return _field(
        Option(kind="text", default=default, help=help, own_choices=tuple(choices), **more)
    )


def texts(default: Sequence[str] | None, help: str, *, most: int, **more: Any) -> Any:
    """Without a default it may be left out altogether."""
    given = None if default is None else tuple(default)
    return _field(
        Option(kind="texts", default=given, help=help, most=most, may_be_none=given is None, **more)
    )


def fields_of_request(help: str, *, longest: int) -> Any:
    return _field(Option(kind="fields", default=None, help=help, longest=longest, may_be_none=True))


def weights_of(default: str, help: str, **more: Any) -> Any:
    """A folder, a file or a name on a hub, as far as JUDGE_WEIGHTS allows it."""
    return free_text(default, help, names=WEIGHTS, **more)


def _field(option: Option) -> Any:
    return dataclasses.field(default=option.default, metadata={_KEY: option})


def declared(kind: Any) -> Mapping[str, Option]:
    """The options of a method's or an engine's class, in the order of its fields."""
    return _read_fields(kind)


@functools.cache
def _read_fields(kind: Any) -> Mapping[str, Option]:
    if not dataclasses.is_dataclass(kind):
        return MappingProxyType({})
    found = {f.name: f.metadata[_KEY] for f in dataclasses.fields(kind) if _KEY in f.metadata}
    return MappingProxyType(found)


class Declared:
    """The base of all classes with declared options; dataclasses call `__post_init__`."""

    def __post_init__(self) -> None:
        for name, option in declared(type(self)).items():
            option.check(name, getattr(self, name))


@dataclass(frozen=True)
class Optioned(Declared):
    """A method: a frozen dataclass whose options are part of its identity."""

    def __new__(cls, **given: Any) -> Any:
        known = list(declared(cls))
        unknown = [f"“{shown_name(name)}”" for name in given if name not in known]
        if unknown:
            takes = f"it has {', '.join(known)}" if known else "it has none"
            raise TypeError(f"{cls.__name__} has no option {', '.join(unknown)}; {takes}.")
        return super().__new__(cls)

    @property
    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in declared(type(self))}


def typed(option: Option | None, text: str) -> Any:
    """A value as a person types it: 0.4, true, [1, 2]; a text where the option is one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Also a number with more digits than Python reads.
        return text
    wants_text = option is not None and option.kind == "text"
    return text if wants_text and not isinstance(value, str) else value


def _plain(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 60
_short.maxlist = _short.maxdict = _short.maxtuple = 3
_short.maxlevel = 2


def shorten_value(value: Any) -> str:
    """Short enough for a sentence, whatever it is."""
    try:
        return _short.repr(value)[:120]
    except ValueError:
        return "a number of thousands of digits"


def shown_name(name: Any) -> str:
    words = name if isinstance(name, str) else shorten_value(name)
    return words if len(words) <= 60 else f"{words[:59]}…"


def is_clean(text: str) -> bool:
    """Databases refuse a NUL, and half a surrogate pair is no letter."""
    return "\0" not in text and re.search(r"[\ud800-\udfff]", text) is None
