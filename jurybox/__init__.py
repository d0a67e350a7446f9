"""Jurybox as it is installed: the console script `jurybox`, and studies in a notebook.

from jurybox import Study
report = Study("demo").report()
report.chart("net_deviation")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from audit import VERSION as __version__

if TYPE_CHECKING:
    from jurybox.client import Client
    from jurybox.connection import JuryboxError, Problem
    from jurybox.report import Report
    from jurybox.study import Study

__all__ = ["Client", "JuryboxError", "Problem", "Report", "Study", "__version__"]

_PLACES = {
    "Client": "client",
    "JuryboxError": "connection",
    "Problem": "connection",
    "Report": "report",
    "Study": "study",
}


def __getattr__(name: str) -> Any:
    """The command line passes through here, and needs no client of the API."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"jurybox.{_PLACES[name]}"), name)
