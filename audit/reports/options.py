"""The options of a report. The defaults are what every page shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from audit import VERSION
from audit.statistic_names import CONSENSUS
from jurybox_formats.forms.scales import Scale

__all__ = ["CONSENSUS", "RESAMPLES", "SEED", "Options", "sign"]

RESAMPLES = 2000
SEED = 0


def sign(data: str, interval: str) -> dict[str, Any]:
    """What stands under every number of an answer. `data`: the digest of what it was computed from."""
    return {
        "version": VERSION,
        "data": data,
        "interval": interval,
        "resamples": RESAMPLES,
        "seed": SEED,
    }


@dataclass(frozen=True, slots=True)
class Options:
    question: str | None = None
    judges: tuple[str, ...] | None = None
    seed: int = SEED
    resamples: int = RESAMPLES
    positive_at: float | None = None  # the cut of the question's scale
    threshold: float | None = None
    consensus: str = "usual"

    def with_scale_cut(self, scale: Scale) -> Options:
        """With the cut of the scale where none was requested."""
        return self if self.positive_at is not None else replace(self, positive_at=scale.cut)

    def changed_options(self) -> dict[str, Any]:
        """Only what differs from the defaults, so that {} is the report that everybody sees."""
        usual = Options()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name in self.__dataclass_fields__
            if (value := getattr(self, name)) != getattr(usual, name)
        }
