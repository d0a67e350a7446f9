import pytest

from audit.models import Meeting
from audit.people import stored as stored_agreement
from tests import making

pytestmark = pytest.mark.django_db


def refresh(study):
    if stored_agreement.is_due(study=study):
        stored_agreement.keep(study=study)


def test_a_small_study_is_never_behind(study):
    making.labels(study, {"early-0": {"ann": 1}})
    assert stored_agreement.current(study=study).body["forms"] == 1
    making.labels(study, {"early-0": {"ben": 1}})
    assert stored_agreement.current(study=study).body["forms"] == 2


def test_nothing_is_computed_twice(study, monkeypatch):
    made = stored_agreement.current(study=study).made_at
    making.labels(study, {"early-0": {"ann": 1}})
    later = stored_agreement.current(study=study).made_at
    assert later > made
    assert stored_agreement.current(study=study).made_at == later


def test_a_large_study_is_left_to_a_worker(study, monkeypatch):
    monkeypatch.setattr(stored_agreement, "AT_ONCE", 1)
    making.labels(study, {"early-0": {"ann": 1, "ben": 1}})
    assert stored_agreement.current(study=study) is None
    refresh(study)
    kept = stored_agreement.current(study=study)
    assert kept.body["forms"] == 2
    assert not stored_agreement.is_behind(kept)
    making.labels(study, {"early-1": {"ann": 1}})
    assert stored_agreement.current(study=study).body["forms"] == 2
    assert stored_agreement.is_behind(stored_agreement.current(study=study))


def test_a_worker_rests_between_two_readings(study, monkeypatch):
    monkeypatch.setattr(stored_agreement, "AT_ONCE", 0)
    making.labels(study, {"early-0": {"ann": 1}})
    refresh(study)
    Meeting.objects.update(seconds=100)
    making.labels(study, {"early-0": {"ben": 1}})
    refresh(study)
    assert Meeting.objects.get().body["forms"] == 1
    Meeting.objects.update(seconds=0)
    refresh(study)
    assert Meeting.objects.get().body["forms"] == 2
