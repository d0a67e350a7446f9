"""Plug-ins of the operator: functions that the settings (JUDGE_PLUGINS) name, chosen elsewhere by their short name.

Nothing that comes from a browser, the API or a file names a module: it names one of these.

They are somebody else's code. One that raises, that does not return, or that returns something else than
it should is `PluginFailed`: a sentence, and nothing that is taken for a number.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeVar

from jurybox_formats.prompt_grammar.parse import parse
from jurybox_formats.sources.errors import Refused, without_folders
from jurybox_formats.sources.format import Reader
from jurybox_formats.sources.records import AtomRecord, Unreadable

T = TypeVar("T")
# For one prompt or one answer.
SECONDS = 60.0


# "module:function" by short name; none in a script without settings.
_read_named: Callable[[], Mapping[str, str]] = dict


def read_names_from(named: Callable[[], Mapping[str, str]]) -> None:
    global _read_named
    _read_named = named


def names() -> tuple[str, ...]:
    return tuple(_read_named())


class PluginFailed(Refused, ValueError):
    status = 422


def plugin(name: str, *, fits: Callable[..., bool]) -> Callable[..., Any]:
    """The function of this name; a ValueError where there is none. `fits`: whether what it returned, for
    what it was given, is what it should be."""
    known = _read_named()
    if name not in known:
        raise ValueError(f"There is no plug-in “{name[:60]}” in JUDGE_PLUGINS.")
    function = _loaded(known[name])

    def guarded(*given: Any) -> Any:
        returned = _within_time(name, function, given)
        try:
            if fits(returned, *given):
                return returned
        except Exception as error:
            raise _failed(name, error) from error
        shown = without_folders(repr(returned))[:80]
        raise PluginFailed(f"The plug-in “{name}” returned {shown}, which is not what it is for.")

    return guarded


def atom_reader(name: str) -> Reader | None:
    """What reads the atoms of prompts: the grammar, or the plug-in of this name; None for no name."""
    if name == "grammar":
        return parse
    return partial(_read_atoms, name) if name else None


def _read_atoms(name: str, prompt: str) -> Sequence[AtomRecord]:
    try:
        reader = plugin(name, fits=_are_atoms)
    except ValueError as error:
        raise Unreadable(str(error)) from error
    return reader(prompt)


def _are_atoms(returned: Any, prompt: str) -> bool:
    return isinstance(returned, tuple | list) and all(
        isinstance(one, AtomRecord) for one in returned
    )


class CallFailed(Exception):
    """It raised `error`, which may also be the wish to end the process."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


class CallHangs(Exception):
    pass


def call_within(seconds: float, name: str, function: Callable[..., T], *given: Any) -> T:
    """What somebody else's code returns. CallFailed where it raises, CallHangs where it does not return: in a
    thread (`name`), since it cannot be ended, but nobody waits for it."""
    returned: list[T] = []
    raised: list[BaseException] = []

    def call() -> None:
        try:
            returned.append(function(*given))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=call, name=name, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise CallFailed(raised[0]) from raised[0]
    if not returned:
        raise CallHangs
    return returned[0]


def _within_time(name: str, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    try:
        return call_within(SECONDS, f"plug-in {name}", function, *given)
    except CallFailed as failure:
        raise _failed(name, failure.error) from failure.error
    except CallHangs:
        raise PluginFailed(f"The plug-in “{name}” did not return within {SECONDS:g} s.") from None


def _failed(name: str, error: BaseException) -> PluginFailed:
    first = without_folders((str(error).strip() or "no message").splitlines()[0])[:200]
    return PluginFailed(f"The plug-in “{name}” failed: {type(error).__name__}: {first}")


@cache
def _loaded(path: str) -> Callable[..., Any]:
    module, _, function = path.partition(":")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"JUDGE_PLUGINS names {path}, which is not there: {error}.") from error
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {error}"[:200]
        raise ValueError(
            f"JUDGE_PLUGINS names {path}, which cannot be imported: {words}"
        ) from error
    if not callable(found):
        raise ValueError(f"JUDGE_PLUGINS names {path}, which cannot be called.")
    return found
