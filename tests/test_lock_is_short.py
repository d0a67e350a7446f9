"""What takes long in an import or a report is done outside its transactions: SQLite has one writer at
a time, and people label meanwhile."""

import pytest
from django.db import connection

from annotations.imports import write_labels, write_study
from annotations.imports.outcome import Outcome
from annotations.models import Annotation, Answer
from audit.reports import gallery, make, summary
from judges.intake import imported_scores
from judges.models import Score
from jurybox_formats.sources.records import LabelRecord, ScoreRecord
from tests import making

pytestmark = pytest.mark.django_db(transaction=True)


def spied(monkeypatch, place, name) -> list[bool]:
    """Whether each call came inside a transaction."""
    calls: list[bool] = []
    ours = getattr(place, name)

    def called(*given, **more):
        calls.append(connection.in_atomic_block)
        return ours(*given, **more)

    monkeypatch.setattr(place, name, called)
    return calls


def test_rows_of_labels_are_checked_between_short_transactions(study, monkeypatch):
    monkeypatch.setattr(write_labels, "AT_ONCE", 2)
    checked = spied(monkeypatch, write_labels.LabelWriter, "_fit_together")
    written = spied(monkeypatch, write_labels.LabelWriter, "_annotations")
    names = ("aligned", "quality", "note")
    records = [LabelRecord("early-0", who, name, 1) for who in ("ann", "ben") for name in names]
    outcome = Outcome()
    write_study.import_records(study=study, records=records, outcome=outcome)
    # PostgreSQL has many writers at a time.
    parts = 3 if connection.vendor == "sqlite" else 1
    assert checked == [False] * parts and written == [True] * parts
    # A person's answers about an image are one form, also where two transactions brought them.
    assert (outcome.annotations, outcome.answers) == (2, 6)
    assert (Annotation.objects.count(), Answer.objects.count()) == (2, 6)


def test_scores_are_written_by_short_transactions(study, monkeypatch):
    monkeypatch.setattr(imported_scores, "AT_ONCE", 3)
    written = spied(monkeypatch, imported_scores.ScoreWriter, "_write_scores")
    keys = study.images.values_list("key", flat=True)
    outcome = Outcome()
    imported_scores.import_records(
        study=study, records=[ScoreRecord(key, "j", 0.5) for key in keys], outcome=outcome
    )
    assert written == [True] * 3
    assert Score.objects.count() == outcome.scores == 8


def test_a_report_is_computed_and_packed_before_it_is_stored(study, monkeypatch):
    making.labels(study, {image.key: {"ann": 1} for image in study.images.all()})
    making.scores(study, {"early-0": 0.9, "late-0": 0.2})
    long = [spied(monkeypatch, summary, "summarize_body"), spied(monkeypatch, gallery, "packed")]
    stored = spied(monkeypatch, gallery, "keep")
    report = make.make_report(study=study)
    assert long == [[False], [False]] and stored == [True]
    assert report.columns.exists()
