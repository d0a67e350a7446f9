"""Names of statistics: no two numbers share one."""

from audit.handed_in.tables import OVERALL
from audit.paper_tables.correlations import CALIBRATED
from audit.papers import genai_bench
from audit.statistic_names import COMPARING, STATISTICS


def test_each_number_of_order_among_pairs_says_what_becomes_of_ties():
    rows = [row for row in STATISTICS.values() if row.key.startswith("pairwise_accuracy")]
    assert len(rows) == 5
    for row in rows:
        assert "ties" in row.name
        assert "ties" in row.heading
        assert ("calibrated" in row.name) == (
            row.key != row.key.removesuffix("calibrated") or "cross" in row.key
        )


def test_no_two_statistics_of_a_report_share_a_name_or_a_heading():
    for part in ("name", "heading"):
        names = [getattr(row, part) for row in COMPARING]
        assert len(set(names)) == len(names)


def test_documents_and_papers_call_calibrated_pairs_alike():
    assert "pairwise_accuracy_calibrated" in OVERALL
    assert STATISTICS["pairwise_accuracy_calibrated"].heading == CALIBRATED
    (table,) = genai_bench.PAPER.tables
    assert CALIBRATED in table.columns
