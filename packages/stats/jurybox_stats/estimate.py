"""What every statistic returns: a number with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its 95 % interval (None where none was requested) and the n it rests on."""

    value: float
    low: float | None
    high: float | None
    n: int

    def as_dict(self) -> dict[str, float | int | None]:
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}


@dataclass(frozen=True, slots=True)
class WithoutInterval(Estimate):
    """A value of which nobody can honestly say how sure it is, and why."""

    reason: str

    def as_dict(self) -> dict[str, float | int | str | None]:  # type: ignore[override]
        return {**Estimate.as_dict(self), "no_interval": self.reason}


@dataclass(frozen=True, slots=True)
class CalibratedEstimate(Estimate):
    """A calibrated accuracy with its interval, and the epsilon it was calibrated to."""

    epsilon: float

    def as_dict(self) -> dict[str, float | int | None]:
        return {**Estimate.as_dict(self), "epsilon": self.epsilon}


@dataclass(frozen=True, slots=True)
class Undefined:
    """No number, and why. False, so that `if estimate:` asks "is there a number?"."""

    reason: str
    n: int = 0

    def __bool__(self) -> bool:
        return False

    def as_dict(self) -> dict[str, str | int]:
        return {"undefined": self.reason, "n": self.n}


Result = Estimate | Undefined
