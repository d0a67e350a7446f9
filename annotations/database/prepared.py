"""Prepared queries, for those that run with every answer.

Django builds the SQL of a query each time it runs, which takes longer than the database needs for
it. Here the SQL is built once, with marks in place of the values; later calls only fill in values.
The results are ordinary model objects, related ones included.

The SQL goes to the driver unchanged, with the values beside it, so that SQLite reuses its compiled
statement, and PostgreSQL plans it once for each connection instead of once for each answer.

Why it is kept: on SQLite the image a person holds takes 0.23 ms of processor time instead of the
ORM's 2.3 ms, the look for an earlier submission 0.03 instead of 1.9 ms. Saving an answer and leasing
the next image with 16 connections: 1,614 answers per second instead of 388. See
docs/decisions/0003-prepared-sql-in-the-label-loop.md.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import get_related_populators
from django.db.models.signals import post_init, pre_init

# Marks are values that appear in no query otherwise, so that they are recognised among its
# parameters. They must be possible keys: Django drops a query that cannot match.
MARK = 2_147_000_000
# SQL, and the values for its places.
Part = tuple[str, Sequence[Any]]


class Prepared:
    """`Prepared(lambda mark: Image.objects.filter(pk=mark("image")))`, then `.first(image=7)`.

    The queryset must depend on its marks only. A text value is `mark.text("name")`, a UUID is
    `mark.uuid("name")`.
    """

    def __init__(self, build: Callable[[Marks], QuerySet]) -> None:
        self.build = build

    def first(self, **values: Any) -> Any:
        return next(iter(self.all(**values)), None)

    def all(self, *, after: Part = ("", ()), **values: Any) -> list[Any]:
        """`after`: what the same statement does before, as `WITH … AS (…)`."""
        _, _, compiler, converters, read = self._plan
        sql, params = self.part(**values)
        rows = ask(after[0] + sql, [*after[1], *params])
        if converters:
            rows = compiler.apply_converters(rows, converters)
        return [read(row) for row in rows]

    def part(self, **values: Any) -> Part:
        """The SQL with its values, for a larger statement."""
        sql, order, *_ = self._plan
        params = [values[name.key] if isinstance(name, _Mark) else name for name in order]
        native = connection.features.has_native_uuid_field
        return sql, [p.hex if isinstance(p, uuid.UUID) and not native else p for p in params]

    @functools.cached_property
    def _plan(self):
        marks = Marks()
        queryset = self.build(marks)
        compiler = queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        order = [marks.name_of(param) for param in params]
        converters = compiler.get_converters([column[0] for column in compiler.select])
        if not queryset.query.default_cols:  # values_list(): columns, no objects
            flat = len(compiler.select) == 1
            return sql, order, compiler, converters, (_only_column if flat else tuple)
        return sql, order, compiler, converters, _reader(compiler, connection.alias)


class _Mark:
    def __init__(self, key: str) -> None:
        self.key = key


class Marks:
    def __init__(self) -> None:
        self.known: dict[Any, _Mark] = {}

    def __call__(self, name: str) -> int:
        return self._mark(MARK + len(self.known), name)

    def text(self, name: str) -> str:
        return self._mark(f"mark {MARK + len(self.known)}", name)

    def uuid(self, name: str) -> uuid.UUID:
        mark = uuid.UUID(int=MARK + len(self.known))
        self.known[mark.hex] = self.known[mark] = _Mark(name)
        return mark

    def name_of(self, param: Any) -> Any:
        return self.known.get(param, param)

    def _mark(self, value: Any, name: str) -> Any:
        self.known[value] = _Mark(name)
        return value


def _only_column(row: Sequence[Any]) -> Any:
    return next(iter(row))


def _reader(compiler, alias: str) -> Callable[[Any], Model]:
    info = compiler.klass_info
    fields = info["select_fields"]
    start, end = fields[0], fields[-1] + 1
    names = [column[0].target.attname for column in compiler.select[start:end]]
    annotated = compiler.annotation_col_map
    # The stubs know the fourth argument of a later Django.
    related = get_related_populators(info, compiler.select, alias)  # type: ignore[call-arg]
    for populator in related:
        _make_quickly(populator)
    model = _Quickly(info["model"])

    def read(row) -> Model:
        made = model.from_db(alias, names, row[start:end])
        for name, column in annotated.items():
            setattr(made, name, row[column])
        for populator in related:
            populator.populate(row, made)
        return made

    return read


class _Quickly:
    """Makes objects of a model out of rows as its `from_db` does, without a call for each field:
    in half the time. What listens to a model's making would not hear of it."""

    def __init__(self, model: type[Model]) -> None:
        if pre_init.has_listeners(model) or post_init.has_listeners(model):
            raise TypeError(f"Something listens to the making of {model.__name__}.")
        self.model = model

    def from_db(self, alias: str, names: Sequence[str], values: Sequence[Any]) -> Model:
        made = self.model.__new__(self.model)
        made.__dict__.update(zip(names, values, strict=True))
        made._state = ModelState()
        made._state.db, made._state.adding = alias, False
        return made


def _make_quickly(populator: Any) -> None:
    populator.model_cls = _Quickly(populator.model_cls)
    for further in populator.related_populators:
        _make_quickly(further)


def insert(*rows: Model) -> None:
    """Insert rows of one model with one statement, whose SQL is cached; sets their keys."""
    if not rows:
        return
    _, start, marks = _insert_into(type(rows[0]))
    params = [value for row in rows for value in _values(row)]
    keys = ask(f"{start} VALUES {', '.join([f'({marks})'] * len(rows))} RETURNING id", params)
    for row, (key,) in zip(rows, keys, strict=True):
        inserted(row, key)


def insertion(row: Model) -> Part:
    """The row's INSERT as `… SELECT …`, for a larger statement that has a condition."""
    _, start, marks = _insert_into(type(row))
    return f"{start} SELECT {marks}", _values(row)


def inserted(row: Model, key: int) -> None:
    row.pk = key
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def _values(row: Model) -> list[Any]:
    fields, _, _ = _insert_into(type(row))
    # Requested once: behind `connection` is a look-up for each attribute.
    here = connections[DEFAULT_DB_ALIAS]
    return [field.get_db_prep_save(field.pre_save(row, True), here) for field in fields]


@functools.cache
def _insert_into(model: type[Model]) -> tuple[list, str, str]:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields if field.column)
    start = f"INSERT INTO {quote(model._meta.db_table)} ({columns})"
    return fields, start, ", ".join(["%s"] * len(fields))


def ask(statement: str, values: Sequence[Any], *, binary: bool = False) -> list[tuple]:
    """Run a SELECT; returns its rows. `binary`: bytes come as they are, where PostgreSQL would write each
    of them as two letters."""
    return _run(statement, values, lambda cursor: cursor.fetchall(), binary=binary)


def execute(statement: str, *values: Any) -> int:
    """Run a statement; returns how many rows it changed."""
    return _run(statement, values, lambda cursor: cursor.rowcount)


def _run(
    statement: str, values: Sequence[Any], result: Callable[[Any], Any], *, binary: bool = False
) -> Any:
    here = connections[DEFAULT_DB_ALIAS]
    if here.queries_logged or here.execute_wrappers:
        # Queries are being logged or counted, so use Django's cursor.
        with here.cursor() as cursor:
            cursor.execute(statement, values)
            return result(cursor)
    here.ensure_connection()
    here.validate_no_broken_transaction()
    with here.wrap_database_errors:
        if here.vendor == "sqlite":
            return result(here.connection.execute(_with_question_marks(statement), values))
        # Every backend names its driver so; the stubs' base class leaves it out.
        driver = here.Database  # type: ignore[attr-defined]
        return result(driver.Cursor(here.connection).execute(statement, values, binary=binary))


@functools.lru_cache(maxsize=256)
def _with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?").replace("%%", "%")
