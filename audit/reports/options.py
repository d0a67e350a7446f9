"""What a report was asked for. The defaults are what every page shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RESAMPLES = 2000
SEED = 0
POSITIVE_AT = 4.0
# The rules of `annotations.consensus` that a report may rest on; "usual" is the majority for a
# yes/no and the mean for ratings and ranks.
CONSENSUS = ("usual", "adjudicated", "unanimous")


@dataclass(frozen=True, slots=True)
class Options:
    question: str | None = None
    judges: tuple[str, ...] | None = None
    seed: int = SEED
    resamples: int = RESAMPLES
    positive_at: float = POSITIVE_AT
    threshold: float | None = None
    consensus: str = CONSENSUS[0]

    def changed(self) -> dict[str, Any]:
        """Only what differs from the defaults, so that {} is the report that everybody sees."""
        usual = Options()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in self.__dataclass_fields__
            if (value := getattr(self, name)) != getattr(usual, name)
        }
