"""Which questions have exhibits, and their parameters in an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from functools import cache
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from annotations.access import place_of
from annotations.errors import Refused
from annotations.models import Study
from audit import questions
from audit.exhibits import Body, Exhibits


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
    """Of what is computed, and of what is shown of it."""
    return (*fields(exhibits.question.parameters), *fields(exhibits.view))  # type: ignore[arg-type]


def parameter_names(exhibits: Exhibits) -> list[str]:
    return [name_in_address(field) for field in parameters_of(exhibits)]


def name_in_address(field: Field[Any]) -> str:
    return field.metadata.get("name", field.name)


def read_parameters(exhibits: Exhibits, study: Study, given: Mapping[str, str]) -> Any:
    """A question's own, of all that an address says. What is empty is as usual."""
    question = exhibits.question
    return question.complete(study, _read(question.parameters, given))


def show_body(
    exhibits: Exhibits,
    study: Study,
    body: Body,
    given: Mapping[str, str],
    *,
    names: bool = False,
) -> Body:
    """What the doors show of an answer: as `given` chooses; without people's names unless `names`."""
    return body and exhibits.show(study, body, _read(exhibits.view, given), names)


def _read(kind: Callable[..., Any], given: Mapping[str, str]) -> Any:
    named = {field.name: given.get(name_in_address(field)) for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in named.items() if value})


def refuse_hidden_studies(
    exhibits: Exhibits, parameters: Any, user: AbstractBaseUser | AnonymousUser
) -> None:
    """In the words for a study that does not exist."""
    for slug in exhibits.question.names_studies(parameters):
        place = place_of(user, slug)
        if place is None or not place.may_research:
            raise Refused(f"There is no study “{slug}”.")
