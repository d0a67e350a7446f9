"""Tables of the pages: seven columns stand beside the first one, the others fold under it."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string

from audit.exhibits import Table, row, statistics_table


def table(columns: int) -> Table:
    names = {f"auroc.{n}": f"judge {n}" for n in range(columns)}
    stats = {
        name: {"value": 0.5 + n / 100, "low": 0.4, "high": 0.8, "n": 60}
        for n, name in enumerate(names)
    }
    return statistics_table("all", "All judges", "generator", names, [row("early", stats, names)])


@pytest.mark.parametrize(
    ("columns", "widths"), [(0, [0]), (1, [1]), (7, [7]), (8, [7, 1]), (15, [7, 7, 1])]
)
def test_columns_stand_seven_at_a_time(columns, widths):
    found = table(columns)
    assert [len(part.heads) for part in found.parts] == widths
    assert [len(cells) for part in found.parts for _, cells in part.rows] == widths


def test_no_column_is_lost_and_each_keeps_its_number():
    parts = table(9).parts
    heads = [head["title"] for part in parts for head in part.heads]
    assert heads == [f"judge {n}" for n in range(9)]
    values = [cell.value for part in parts for _, cells in part.rows for cell, _ in cells]
    assert values == [f"0.5{n}0" for n in range(9)]


def test_the_page_folds_what_does_not_fit_and_names_it():
    page = render_to_string("audit/partials/table.html", {"table": table(9), "csv": ""})
    assert page.count("<details") == 1
    assert re.findall(r"id=\"(box-[\w-]*)", page) == ["box-all", "box-all2"]
    assert "<summary>2 more columns: judge 7 · judge 8</summary>" in page
    before, _, folded = page.partition("<details")
    assert "judge 6" in before and "0.570" not in before
    assert "0.570" in folded and "0.580" in folded
    # Each part has its first column.
    assert before.count('scope="row"') == folded.count('scope="row"') == 1


def test_a_table_that_fits_folds_nothing():
    page = render_to_string("audit/partials/table.html", {"table": table(7), "csv": ""})
    assert "<details" not in page
