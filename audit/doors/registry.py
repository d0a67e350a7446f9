"""Which questions have exhibits, and its parameters in an address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
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


def find_exhibits(name: str) -> Exhibits | None:
    """Of one question, without looking at the others."""
    module = questions.find_module("exhibits", name.replace("-", "_"))
    return None if module is None else module.EXHIBITS


def exhibits_called(name: str) -> Exhibits:
    found = find_exhibits(name)
    if found is None:
        raise Refused(f"There is no question “{name}”. There are: {', '.join(all_exhibits())}.")
    return found


def parameters_of(exhibits: Exhibits) -> tuple[Field[Any], ...]:
    return fields(exhibits.question.parameters)  # type: ignore[arg-type]


def parameter_names(exhibits: Exhibits) -> list[str]:
    return [field.name for field in parameters_of(exhibits)]


def read_parameters(exhibits: Exhibits, given: Mapping[str, str]) -> Any:
    """A question's own, of all that an address says. What is empty is as usual."""
    names = parameter_names(exhibits)
    return exhibits.question.parameters(**{name: given[name] for name in names if given.get(name)})
