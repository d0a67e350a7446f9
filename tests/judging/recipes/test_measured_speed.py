"""Seconds an image: only what somebody measured, and the same as docs/real-weights.md says."""

from pathlib import Path

from judges.runs.queries import judge_info
from jurybox_judging import catalogue
from jurybox_judging.recipes.measured_speed import NOT_YET, measured_speed
from jurybox_judging.recipes.option_tables import judge_page

PAGE = Path(__file__).parents[3] / "docs" / "real-weights.md"


def measured_rows():
    """Judge and seconds, of rows that have some."""
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    cells = [[cell.strip() for cell in row] for row in rows if len(row) > 8]
    return {
        row[1].strip("`"): float(row[5]) for row in cells if row[5].replace(".", "", 1).isdigit()
    }


def test_what_was_measured_is_what_the_page_of_published_weights_says():
    rows = measured_rows()
    assert rows
    for name, seconds in rows.items():
        (one,) = measured_speed(catalogue.JUDGES[name])
        assert one.seconds == seconds
        assert one.date in PAGE.read_text(encoding="utf-8")
    told = {
        entry.parts[next(iter(entry.parts))][0]
        for entry in catalogue.JUDGES.values()
        if measured_speed(entry)
    }
    assert len(told) == len(rows)


def test_the_table_says_not_yet_where_nobody_has():
    page = judge_page(catalogue.JUDGES)
    lines = {line.split("|")[1].strip(): line for line in page.splitlines() if line.count("|") == 7}
    assert lines["`text-words`"].endswith("| 0.65 s (2 cores of x86_64, 2026-11-26) |")
    assert lines["`geneval`"].endswith(f"| {NOT_YET} |")
    assert "mPLUG-large" in page


def test_the_command_and_the_page_say_it_too():
    assert "An image took 0.65 s on 2 cores of x86_64." in judge_info("text-words").sentence
    assert judge_info("geneval").measured == []
