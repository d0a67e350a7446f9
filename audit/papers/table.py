"""A printed table as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fact:
    """One row as printed. `source` names table and row; a dash in the paper is None."""

    label: str
    values: tuple[float | None, ...]
    source: str
    places: int

    @property
    def cells(self) -> list[str]:
        return [
            "—" if value is None else f"{value:.{self.places}f}".replace("-", "−")
            for value in self.values
        ]


@dataclass(frozen=True, slots=True)
class Published:
    source: str
    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[Fact, ...]
    # Columns that mean the same as a statistic of a report with one of these scales.
    same: Mapping[str, str] = field(default_factory=dict)
    scales: tuple[str, ...] = ("yes/no",)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    slug: str
    name: str
    citation: str
    tables: tuple[Published, ...]


def rows(
    source: str, facts: Mapping[str, tuple[float | None, ...]], *, places: int
) -> tuple[Fact, ...]:
    return tuple(
        Fact(label, values, f"{source}, row {label}", places) for label, values in facts.items()
    )
