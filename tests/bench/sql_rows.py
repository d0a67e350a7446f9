"""Rows of large studies, made by the database itself with one INSERT … SELECT for a table, on SQLite and
PostgreSQL: a million rows take seconds, where Python makes some ten thousand a second."""

from __future__ import annotations

from django.db import connection, models


def insert(model: type[models.Model], source: str, **columns: str) -> None:
    """One row for each of `source`, which stands behind FROM. `columns`: their SQL; the others get their
    defaults, UUIDs of their own, and now."""
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    for field in fields:
        if field.column in columns:
            continue
        if isinstance(field, models.UUIDField):
            columns[field.column] = NEW_UUID[connection.vendor]
        elif isinstance(field, models.DateTimeField) and not field.null:
            columns[field.column] = "CURRENT_TIMESTAMP"
    defaults = [field for field in fields if field.column not in columns]
    names = ", ".join(f'"{name}"' for name in [*columns, *(field.column for field in defaults)])
    values = ", ".join([*columns.values(), *(typed(field) for field in defaults)])
    given = [field.get_db_prep_save(field.get_default(), connection) for field in defaults]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({names}) SELECT {values} FROM {source}",
            given,
        )


NEW_UUID = {"sqlite": "lower(hex(randomblob(16)))", "postgresql": "gen_random_uuid()"}


def typed(field: models.Field) -> str:
    # PostgreSQL guesses text, and SQLite would make a number of what is cast to a time.
    return f"CAST(%s AS {field.db_type(connection)})" if connection.vendor == "postgresql" else "%s"
