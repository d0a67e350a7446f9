"""The table of doors in docs/data.md is what is counted; `pytest -s tests/doors/test_table.py` prints it."""

from pathlib import Path

import pytest
from django.db import transaction

from tests.doors.table import DOORS, in_markdown, try_door

pytestmark = pytest.mark.django_db
PAGE = Path(__file__).resolve().parents[2] / "docs" / "data.md"


def test_the_table_of_doors_says_what_is_counted(tmp_path):
    pytest.importorskip("pyarrow")
    rows = []
    for number, door in enumerate(DOORS):
        folder = tmp_path / str(number)
        folder.mkdir()
        with transaction.atomic():
            rows.append(try_door(door, folder))
            transaction.set_rollback(True)
    assert [row for row in rows if row[-1] != "yes"] == []
    table = in_markdown(rows)
    print(f"\n{table}")
    assert table in PAGE.read_text()
