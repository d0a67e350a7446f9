import csv
from datetime import UTC, datetime, timedelta, timezone

import pytest

from annotations.exports import labels
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Annotation
from annotations.sources.records import LabelRecord

pytestmark = pytest.mark.django_db

MOMENTS = [
    datetime(2026, 1, 1, tzinfo=UTC),
    datetime(2026, 1, 1, 23, 59, 59, 999999, tzinfo=UTC),
    datetime(2025, 7, 1, 12, 0, 0, 120000, tzinfo=UTC),
    datetime(1999, 12, 31, 23, 30, tzinfo=timezone(timedelta(hours=-5, minutes=-30))),
]


def test_each_answer_carries_the_moment_of_its_annotation_to_the_microsecond(study):
    records = [
        LabelRecord("early-0", f"r{n}", question, 1, submitted_at=moment)
        for n, moment in enumerate(MOMENTS)
        for question in ("aligned", "quality")
    ]
    write_study.import_records(study=study, records=records, outcome=Outcome())
    rows = list(labels.label_rows(study, people="nobody"))
    asked = Annotation.objects.values_list("annotator__name", "submitted_at")
    there = {name: moment.astimezone(UTC).isoformat() for name, moment in asked}
    assert sorted(there.values()) == sorted(m.astimezone(UTC).isoformat() for m in MOMENTS)
    assert [row["submitted_at"] for row in rows] == [there[row["rater"]] for row in rows]
    assert len(rows) == 2 * len(MOMENTS)


def test_only_what_a_spreadsheet_would_run_gets_an_apostrophe(study):
    texts = ["=1+1", "'=1", "''", "'tis", "plain", "–5", "-5 apples", "＝1", "\t1", "a=b"]
    records = [LabelRecord("early-0", "ann", f"q{n}", text) for n, text in enumerate(texts)]
    outcome = Outcome()
    write_study.import_records(study=study, records=records, outcome=outcome)
    assert outcome.rejected == []
    written = "".join(labels.as_csv(labels.label_rows(study)))
    header, *rows = csv.reader(written.splitlines())
    shown = {row[header.index("question")]: row[header.index("value")] for row in rows}
    assert shown == {f"q{n}": labels.defused(text) for n, text in enumerate(texts)}
    assert (shown["q0"], shown["q1"], shown["q3"], shown["q4"]) == (
        "'=1+1", "''=1", "'tis", "plain",
    )  # fmt: skip
