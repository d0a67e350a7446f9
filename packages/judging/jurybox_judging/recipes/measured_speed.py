"""Seconds an image where somebody measured them on published weights: the rows of docs/real-weights.md that have
some. Nothing is reckoned from other weights or other machines.
"""

from __future__ import annotations

from dataclasses import dataclass

from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES

NOT_YET = "not yet"


@dataclass(frozen=True, slots=True)
class Measured:
    device: str
    seconds: float
    date: str

    @property
    def in_words(self) -> str:
        return f"{self.seconds:g} s ({self.device}, {self.date})"


# By the engine's short name and its weights, which are empty where they lie in a package.
MEASURED: dict[tuple[str, str], tuple[Measured, ...]] = {
    ("rapidocr", ""): (Measured("2 cores of x86_64", 0.65, "2026-11-26"),),
}
_SHORT = {engine.path: short for short, engine in ENGINES.items()}


def measured_speed(entry: Entry) -> tuple[Measured, ...]:
    """Of a judge with one engine; those of several are no sum of what each takes alone."""
    if len(entry.parts) != 1:
        return ()
    ((path, options),) = entry.parts.values()
    return MEASURED.get((_SHORT.get(path, ""), str(options.get("checkpoint", ""))), ())
