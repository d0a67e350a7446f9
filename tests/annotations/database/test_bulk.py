import sqlite3

import pytest
from django.db import connection

from annotations.database import bulk
from annotations.models import Generator

pytestmark = pytest.mark.django_db
FIELDS = ("study", "name", "family", "note", "image_count")


def inserted(study, count: int) -> list[str]:
    rows = ((study.pk, f"g{n}", "", "", 0) for n in range(count))
    bulk.insert(Generator, FIELDS, rows)
    found = Generator.objects.filter(study=study, name__startswith="g").order_by("pk")
    names = list(found.values_list("name", flat=True))
    found.delete()
    return names


def test_any_number_of_rows_is_written_in_their_order(study, monkeypatch):
    monkeypatch.setattr(bulk, "AT_ONCE", 5)
    for count in (0, 1, 4, 5, 6, 10, 23):
        assert inserted(study, count) == [f"g{n}" for n in range(count)]


def test_no_statement_has_more_values_than_the_database_takes(study):
    if connection.vendor != "sqlite":
        pytest.skip("another database gets a stream of rows")
    raw = connection.connection
    before = raw.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 11)
    try:
        assert inserted(study, 7) == [f"g{n}" for n in range(7)]
    finally:
        raw.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)
