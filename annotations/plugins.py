"""Plug-ins of the operator: functions that the settings name, chosen elsewhere by their short name.

Nothing that comes from a browser, the API or a file names a module: it names one of these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def names() -> tuple[str, ...]:
    """Those of JUDGE_PLUGINS; none in a script without settings."""
    return tuple(_named())


def plugin(name: str) -> Callable[..., Any]:
    """The function of this name; a ValueError where there is none."""
    known = _named()
    if name not in known:
        raise ValueError(f"There is no plug-in “{name[:60]}” in JUDGE_PLUGINS.")
    return _loaded(known[name])


@cache
def _loaded(path: str) -> Callable[..., Any]:
    module, _, function = path.partition(":")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"JUDGE_PLUGINS names {path}, which is not there: {error}.") from error
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
