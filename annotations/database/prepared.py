"""Queries that are asked with every answer: built once, asked many times.

Django builds a query anew each time it is asked, which takes longer than the database needs to
answer it. Here the builder runs once, with marks in place of the values; afterwards only values are
put in and rows are read. What comes out are the same objects as ever, related ones included.

The statements go to the driver as they are, with the values beside them: SQLite then knows them
again, and PostgreSQL plans them once for each connection instead of once for each answer.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

# Values that no builder writes, to be found again among the parameters of the finished statement;
# within the range of every key, or Django would know that nothing can be found.
MARK = 2_147_000_000


class Prepared:
    """`Prepared(lambda mark: Image.objects.filter(pk=mark("image")))`, then `.first(image=7)`.

    The queryset must not depend on anything but its marks. Text is marked as `mark.text("name")`, an
    identifier as `mark.uuid("name")`.
    """

    def __init__(self, build: Callable[[Marks], QuerySet]) -> None:
        self.build = build

    def first(self, **values: Any) -> Any:
        return next(iter(self.all(**values)), None)

    def all(self, **values: Any) -> list[Any]:
        sql, order, compiler, converters, read = self._plan
        params = [values[name.key] if isinstance(name, _Name) else name for name in order]
        native = connection.features.has_native_uuid_field
        params = [p.hex if isinstance(p, uuid.UUID) and not native else p for p in params]
        rows = ask(sql, params)
        if converters:
            rows = compiler.apply_converters(rows, converters)
        return [read(row) for row in rows]

    @functools.cached_property
    def _plan(self):
        marks = Marks()
        queryset = self.build(marks)
        compiler = queryset.query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        order = [marks.name_of(param) for param in params]
        converters = compiler.get_converters([column[0] for column in compiler.select])
        if queryset._fields is not None:
            flat = len(queryset._fields) == 1
            return sql, order, compiler, converters, (_alone if flat else tuple)
        return sql, order, compiler, converters, _reader(compiler, connection.alias)


class _Name:
    def __init__(self, key: str) -> None:
        self.key = key


class Marks:
    def __init__(self) -> None:
        self.known: dict[Any, _Name] = {}

    def __call__(self, name: str) -> int:
        return self._mark(MARK + len(self.known), name)

    def text(self, name: str) -> str:
        return self._mark(f"mark {MARK + len(self.known)}", name)

    def uuid(self, name: str) -> uuid.UUID:
        mark = uuid.UUID(int=MARK + len(self.known))
        self.known[mark.hex] = self.known[mark] = _Name(name)
        return mark

    def name_of(self, param: Any) -> Any:
        return self.known.get(param, param)

    def _mark(self, value: Any, name: str) -> Any:
        self.known[value] = _Name(name)
        return value


def _alone(row) -> Any:
    return next(iter(row))


def _reader(compiler, alias: str) -> Callable[[Any], Model]:
    info = compiler.klass_info
    fields = info["select_fields"]
    start, end = fields[0], fields[-1] + 1
    names = [column[0].target.attname for column in compiler.select[start:end]]
    related = get_related_populators(info, compiler.select, alias)

    def read(row) -> Model:
        made = info["model"].from_db(alias, names, row[start:end])
        for populator in related:
            populator.populate(row, made)
        return made

    return read


def insert(*rows: Model) -> None:
    """New rows of one model, in one statement that is put together once; each gets its key."""
    if not rows:
        return
    fields, start, one = _insert_into(type(rows[0]))
    params = [f.get_db_prep_save(f.pre_save(row, True), connection) for row in rows for f in fields]
    keys = ask(f"{start} {', '.join([one] * len(rows))} RETURNING id", params)
    for row, (key,) in zip(rows, keys, strict=True):
        row.pk = key
        row._state.adding, row._state.db = False, connection.alias


@functools.cache
def _insert_into(model: type[Model]) -> tuple[list, str, str]:
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    start = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES"
    return fields, start, f"({', '.join(['%s'] * len(fields))})"


def ask(statement: str, values: Sequence[Any]) -> list[tuple]:
    """The rows that a statement gives."""
    return _run(statement, values, lambda cursor: cursor.fetchall())


def execute(statement: str, *values: Any) -> int:
    """A statement as it stands; how many rows it changed."""
    return _run(statement, values, lambda cursor: cursor.rowcount)


def _run(statement: str, values: Sequence[Any], result: Callable[[Any], Any]) -> Any:
    here = connections[DEFAULT_DB_ALIAS]
    if here.queries_logged or here.execute_wrappers:
        # Somebody counts the queries, or wants to see them.
        with here.cursor() as cursor:
            cursor.execute(statement, values)
            return result(cursor)
    here.ensure_connection()
    here.validate_no_broken_transaction()
    with here.wrap_database_errors:
        if here.vendor == "sqlite":
            return result(here.connection.execute(_with_question_marks(statement), values))
        return result(here.Database.Cursor(here.connection).execute(statement, values))


@functools.lru_cache(maxsize=256)
def _with_question_marks(statement: str) -> str:
    return statement.replace("%s", "?").replace("%%", "%")
