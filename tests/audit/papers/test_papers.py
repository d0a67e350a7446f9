"""The published numbers are those that were printed."""

import pytest

from audit import papers
from audit.papers import geneval2


def test_every_fact_names_its_table_and_row():
    for paper in papers.PAPERS:
        assert paper.citation
        for table in paper.tables:
            for fact in table.rows:
                assert table.source in fact.source
                assert fact.label in fact.source
                assert len(fact.values) == len(table.columns)


def test_deviations_are_human_less_judge_as_far_as_they_were_printed():
    for table in geneval2.PAPER.tables[:2]:
        for fact in table.rows:
            judge, human, deviation = fact.values
            # Each of the three was rounded by itself.
            assert human - judge == pytest.approx(deviation, abs=0.11)


def test_a_dash_of_the_paper_stays_one():
    shown = [
        text for paper in papers.PAPERS for t in paper.tables for f in t.rows for text in f.shown
    ]
    assert "—" in shown
    assert "−2.4" in shown
    assert "None" not in shown
