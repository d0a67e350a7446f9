"""`IN` with thousands of values as one parameter: an import asks for the rows of each of its batches, and
Django and psycopg each handle every value of a list by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.db.models import F
from django.db.models.lookups import Lookup


class _AmongLookup(Lookup):
    lookup_name = "among"
    prepare_rhs = False

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*params, self.rhs]

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self.process_lhs(compiler, connection)
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, json.dumps(self.rhs)]  # noqa: S608


def among_lookup(field: str, values: Iterable[str | int]) -> Lookup[Any]:
    """A condition for `filter`: the field's text or number is one of these."""
    return _AmongLookup(F(field), list(values))
