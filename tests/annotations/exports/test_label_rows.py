import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection

from annotations.exports import files, labels
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Annotation
from jurybox_formats.sources.records import LabelRecord

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


def varied_labels() -> Iterator[LabelRecord]:
    texts = ["=1+1", 'two, "quoted"', "two\r\nlines\r\n", "'tis", "ünï", "x" * 300, "can't tell"]
    numbers = [0.0, 1.0, -0.0, 2.5, 1e20, 1e-7, -3.0]
    for n, (text, number) in enumerate(zip(texts, numbers, strict=True)):
        more = {
            "seconds": (None, 1.0, 2.25)[n % 3],
            "submitted_at": MOMENTS[n % len(MOMENTS)],
            "form": ("", "an old, form")[n % 2],
            "language": ("", "de")[n % 2],
        }
        for image in ("early-0", "late-1"):
            for rater in ("=ann", 'b, "b"', "a\nc", "-dan"):
                yield LabelRecord(image, f"{rater}{n}", "words", text, **more)
                yield LabelRecord(image, f"{rater}{n}", "+number, of", number, **more)
                yield LabelRecord(image, f"{rater}{n}", "atom", n % 2, atom=n % 2, **more)


def test_labels_as_csv_are_the_lines_that_a_writer_makes_of_each_row(study):
    outcome = Outcome()
    write_study.import_records(study=study, records=varied_labels(), outcome=outcome)
    assert (outcome.rejected, outcome.answers) == ([], 2 * 4 * 7 * 3)
    for people in ("everybody", "nobody"):
        rows = labels.label_rows(study, people=people)
        assert "".join(labels.as_csv(rows)) == "".join(labels.as_csv(list(rows)))


def test_labels_as_csv_come_in_parts_whose_rows_are_counted(study, monkeypatch):
    monkeypatch.setattr(labels, "LINES", 5)
    write_study.import_records(study=study, records=varied_labels(), outcome=Outcome())
    rows = files.count_rows(labels.label_rows(study))
    parts = list(labels.as_csv(rows))
    assert len(parts) > 20
    read = list(csv.reader(io.StringIO("".join(parts), newline="")))
    assert (rows.count, len(read)) == (168, 169)


def test_neither_many_cells_nor_long_ones_are_remembered():
    cells = labels.Cells(lambda text: (text,))
    assert [cells[str(n)] for n in range(5000)] == [f"{n}," for n in range(5000)]
    assert cells["y" * 20_000] == "y" * 20_000 + ","
    assert 0 < len(cells) <= labels.REMEMBERED
    assert max(map(len, cells)) < labels.SHORT


def test_the_labels_of_some_images_are_found_by_these_images(study):
    if connection.vendor != "sqlite":
        pytest.skip("the plan of another database depends on how many rows there are")
    # With many images at once, SQLite would rather read all that the study has.
    plan = labels._answers_about(range(500)).explain()
    assert "annotation_by_state" not in plan
    assert "(image_id=?)" in plan
