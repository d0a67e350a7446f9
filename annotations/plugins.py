"""Plug-ins of the operator: functions that the settings name, chosen elsewhere by their short name.

Nothing that comes from a browser, the API or a file names a module: it names one of these.

They are somebody else's code. One that raises, that does not return, or that returns something else than
it was asked for is `PluginFailed`: a sentence, and nothing that is taken for a number.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from annotations.errors import Refused, without_folders

# For one prompt or one answer.
SECONDS = 60.0


def names() -> tuple[str, ...]:
    """Those of JUDGE_PLUGINS; none in a script without settings."""
    return tuple(_named())


class PluginFailed(Refused, ValueError):
    status = 422


def plugin(name: str, *, fits: Callable[..., bool]) -> Callable[..., Any]:
    """The function of this name; a ValueError where there is none. `fits`: whether what it returned, for
    what it was given, is what it was asked for."""
    known = _named()
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


def _within_time(name: str, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    """In a thread: one that hangs cannot be ended, but nobody waits for it."""
    returned: list[Any] = []
    raised: list[BaseException] = []

    def call() -> None:
        try:
            returned.append(function(*given))
        except BaseException as error:  # It may also try to end the process.
            raised.append(error)

    thread = threading.Thread(target=call, name=f"plug-in {name}", daemon=True)
    thread.start()
    thread.join(SECONDS)
    if raised:
        raise _failed(name, raised[0]) from raised[0]
    if not returned:
        raise PluginFailed(f"The plug-in “{name}” did not return within {SECONDS:g} s.")
    return returned[0]


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


def _named() -> dict[str, str]:
    # Methods and engines are plain Python, and their scripts import no Django.
    if "django.conf" not in sys.modules:
        return {}
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured

    try:
        return getattr(settings, "JUDGE_PLUGINS", {})
    except ImproperlyConfigured:
        return {}
