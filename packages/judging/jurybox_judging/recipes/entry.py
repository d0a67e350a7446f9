"""A judge as data: what a recipe says, and what the catalogue holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """`method` and each part's engine are "module:class", from the table of `names`; a part has its
    engine's options.

    `options` are the method's. An option "objects.checkpoint" is the checkpoint of the part
    "objects". What is read from an entry alone may be kept by it.
    """

    title: str
    method: str
    parts: Mapping[str, tuple[str, Mapping[str, Any]]] = field(hash=False)
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)
    release_date: date | None = None
    needs: tuple[str, ...] = ()
    source: str = ""  # where its words are from
    about: str = ""  # what its score is, where the title does not say
    unit: str = ""  # one of `peoples_unit.UNITS`, where it is another than the method's
    download_gb: float | None = None  # of all its weights, where that is known
    is_own: bool = False  # somebody's of this installation, not one of the catalogue

    @property
    def all_options(self) -> dict[str, Any]:
        parts = {f"{kind}.{k}": v for kind, part in self.parts.items() for k, v in part[1].items()}
        return {**parts, **self.options}
