"""A method is a frozen dataclass whose fields are its options; they are part of its identity."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar


@dataclass(frozen=True)
class Optioned:
    """Refuses unknown options and values of the wrong type with a sentence.

    An option has the type of its default. `CHOICES` lists the values that a text may have.
    """

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {}

    def __new__(cls, **given: Any) -> Any:
        known = [option.name for option in fields(cls)]
        unknown = [f"“{name}”" for name in given if name not in known]
        if unknown:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise TypeError(f"{cls.__name__} has no option {', '.join(unknown)}; {takes}.")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for option in fields(self):
            self._check(option.name, option.default, getattr(self, option.name))

    @property
    def options(self) -> dict[str, Any]:
        return asdict(self)

    def _check(self, name: str, default: Any, value: Any) -> None:
        if default is None:
            fits, wanted = value is None or _is_number(value), "a number"
        elif isinstance(default, bool):
            fits, wanted = isinstance(value, bool), "true or false"
        elif isinstance(default, int):
            fits, wanted = isinstance(value, int) and not isinstance(value, bool), "a whole number"
        elif isinstance(default, float):
            fits, wanted = _is_number(value), "a number"
        else:
            choices = self.CHOICES.get(name)
            fits = isinstance(value, str) and (choices is None or value in choices)
            wanted = f"one of {', '.join(choices)}" if choices else "a text"
        if not fits:
            raise ValueError(f"“{name}” must be {wanted}, not {value!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
