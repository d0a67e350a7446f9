"""Which questions have exhibits, and their parameters in an address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from functools import cache
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from annotations.access import place_of
from annotations.errors import Refused
from annotations.models import Study
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
    return [name_in_address(field) for field in parameters_of(exhibits)]


def name_in_address(field: Field[Any]) -> str:
    return field.metadata.get("name", field.name)


def read_parameters(exhibits: Exhibits, study: Study, given: Mapping[str, str]) -> Any:
    """A question's own, of all that an address says. What is empty is as usual."""
    named = {field.name: given.get(name_in_address(field)) for field in parameters_of(exhibits)}
    question = exhibits.question
    parameters = question.parameters(**{name: value for name, value in named.items() if value})
    return question.complete(study, parameters)


def refuse_hidden_studies(
    exhibits: Exhibits, parameters: Any, user: AbstractBaseUser | AnonymousUser
) -> None:
    """In the words for a study that does not exist."""
    for slug in exhibits.question.names_studies(parameters):
        place = place_of(user, slug)
        if place is None or not place.may_research:
            raise Refused(f"There is no study “{slug}”.")
