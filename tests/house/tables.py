"""Tables of work to be done and of answers that were computed: each idea should have one."""

from __future__ import annotations

from django.apps import apps
from django.db.models import Model

from tests.house.files import APPS


def _fields(model: type[Model]) -> set[str]:
    return {field.name for field in model._meta.fields}


def _models() -> list[type[Model]]:
    found = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    return [model for model in found if not model._meta.proxy]


def job_tables() -> list[str]:
    """Rows that a worker claims by a lease."""
    return [model.__name__ for model in _models() if {"holder", "leased_until"} <= _fields(model)]


def answer_tables() -> list[str]:
    """Rows that can be computed again: they carry a stamp of what they were computed from."""
    return [
        model.__name__
        for model in _models()
        if "stamp" in _fields(model) and "study" in _fields(model)
    ]
