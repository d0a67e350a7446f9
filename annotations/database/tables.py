"""How the first migrations write a table: its fields by name, its rules beside them.

Migrations of 0.2.0 rest on this file as it is; it does not change.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.migrations import CreateModel
from django.db.models import (
    SET_NULL,
    BaseConstraint,
    BigAutoField,
    CharField,
    DateTimeField,
    Field,
    ForeignKey,
    Index,
    PositiveSmallIntegerField,
    TextField,
)


def table(
    name: str,
    ordering: list[Any],
    /,
    *rules: Index | BaseConstraint,
    plural: str = "",
    **fields: Field[Any, Any],
) -> CreateModel:
    """Where no field is its key, the table gets one of its own."""
    options: dict[str, Any] = {"ordering": ordering}
    if plural:
        options["verbose_name_plural"] = plural
    options["indexes"] = [rule for rule in rules if isinstance(rule, Index)]
    options["constraints"] = [rule for rule in rules if isinstance(rule, BaseConstraint)]
    if not any(field.primary_key for field in fields.values()):
        own = BigAutoField("ID", primary_key=True, auto_created=True, serialize=False)
        fields = {"id": own, **fields}
    return CreateModel(name, list(fields.items()), options)


def account(**options: Any) -> ForeignKey[Any, Any]:
    """Somebody with an account; the row stays when the account goes."""
    return ForeignKey(
        settings.AUTH_USER_MODEL, SET_NULL, null=True, blank=True, related_name="+", **options
    )


def job() -> dict[str, Any]:
    """What every job for a worker has: who holds it, how often it was tried, why it was given up."""
    return {
        "holder": CharField(max_length=32, blank=True),
        "leased_until": DateTimeField(null=True, blank=True),
        "tries": PositiveSmallIntegerField(default=0),
        "reason": TextField(blank=True, help_text="Why it was given up, in a sentence."),
    }
