"""The published numbers are those that were printed."""

import hashlib
import json

import pytest

from audit import papers
from audit.papers import geneval2

# Of each paper's rows, as they were typed from it.
TYPED = {
    "geneval2": "42254988c7b9",
    "geneval": "a713355f992a",
    "genai-bench": "3f0764b54725",
    "compbench": "7a3c5ff1b4ef",
    "m3t2ibench": "06bb32bf5eae",
}


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


def test_a_number_of_a_paper_changes_only_on_purpose():
    """Where the paper says otherwise, correct the number and write the new digest down."""
    digests = {}
    for paper in papers.PAPERS:
        rows = [(fact.source, fact.values, fact.cells) for t in paper.tables for fact in t.rows]
        digests[paper.slug] = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]
    assert digests == TYPED


def test_a_dash_of_the_paper_stays_one():
    shown = [
        text for paper in papers.PAPERS for t in paper.tables for f in t.rows for text in f.cells
    ]
    assert "—" in shown
    assert "−2.4" in shown
    assert "None" not in shown
