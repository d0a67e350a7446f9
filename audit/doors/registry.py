"""Which questions have exhibits, and its parameters in an address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

from annotations.errors import Refused
from audit import questions
from audit.exhibits import Exhibits


@cache
def all_exhibits() -> dict[str, Exhibits]:
    """By the question's name."""
    found = (module.EXHIBITS for module in questions.modules_called("exhibits"))
    return {exhibits.name: exhibits for exhibits in found}


def exhibits_called(name: str) -> Exhibits:
    found = all_exhibits().get(name)
    if found is None:
        raise Refused(f"There is no question “{name}”. There are: {', '.join(all_exhibits())}.")
    return found


def parameter_names(exhibits: Exhibits) -> list[str]:
    return [field.name for field in fields(exhibits.question.parameters)]  # type: ignore[arg-type]


def read_parameters(exhibits: Exhibits, given: Mapping[str, str]) -> Any:
    """A question's own, of all that an address says."""
    names = parameter_names(exhibits)
    return exhibits.question.parameters(**{name: given[name] for name in names if name in given})
