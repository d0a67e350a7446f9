"""Dates of judges that the code does not know: kept for one study, read by its reports."""

from __future__ import annotations

import io
from datetime import date

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.versions import labels_version, start_reading_labels
from audit.reports import pairing
from judges.models import Run
from judges.runs import release_dates
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(study):
    making.labels(study, {i.key: {"ann": 1, "ben": 0} for i in study.images.order_by("pk")})
    return making.scores(study, {"early-0": 0.3, "late-0": 0.9})


def where(study):
    return reverse("judge-dates", args=[study.slug])


def test_a_date_is_what_reports_read_and_makes_the_newest_one_old(
    study, run, django_capture_on_commit_callbacks
):
    start_reading_labels(study.pk)
    before = labels_version(study.pk)
    with django_capture_on_commit_callbacks(execute=True):
        release_dates.set_dates(study=study, given={run.pk: "2023-05-06"})
    assert labels_version(study.pk) != before
    [judge] = pairing.pair(study=study, question="aligned").judges
    assert judge.release_date == date(2023, 5, 6)


def test_another_study_with_the_same_judge_keeps_its_own_date(study, run):
    other = making.scores(making.study("other"), {"early-0": 0.3})
    assert other.judge == run.judge
    release_dates.set_dates(study=study, given={run.pk: "2023-05-06", other.pk: "2020-01-01"})
    other.refresh_from_db()
    assert other.release_date is None


def test_a_date_that_the_code_knows_is_not_changed(study, run):
    run.judge.release_date = date(2024, 1, 1)
    run.judge.save()
    assert release_dates.set_dates(study=study, given={run.pk: "2020-01-01"}) == 0
    assert Run.objects.get(pk=run.pk).release_date == date(2024, 1, 1)


def test_a_mistake_stands_at_its_field_and_nothing_typed_is_lost(client, alice, study, run):
    client.force_login(alice.user)
    second = making.scores(study, {"early-0": 1.0}, name="other-judge")
    sent = {f"released-{run.pk}": "2024-10", f"released-{second.pk}": "2024-03-03"}
    response = client.post(where(study), sent)
    text = response.content.decode()
    assert response.status_code == 422
    assert "take its first day" in text
    assert 'value="2024-10"' in text
    assert 'value="2024-03-03"' in text
    assert not Run.objects.exclude(judge_released=None).exists()


def test_the_date_of_the_catalogue_is_offered_and_taken_with_a_click(client, alice, study):
    client.force_login(alice.user)
    run = making.scores(study, {"early-0": 1.0}, name="dsg-qwen3-vl")
    assert "Take 2025-09-01" in client.get(where(study)).content.decode()
    sent = {f"released-{run.pk}": "", "take": str(run.pk)}
    assert 'value="2025-09-01"' in client.post(where(study), sent).content.decode()
    client.post(where(study), {f"released-{run.pk}": "2025-09-01"})
    run.refresh_from_db()
    assert run.judge_released == date(2025, 9, 1)


def test_the_command_does_the_same(study, run):
    out = io.StringIO()
    call_command(
        "judge_dates", "shapes", "set", "some-judge", "--released", "2023-01-02", stdout=out
    )
    call_command("judge_dates", "shapes", "list", stdout=out)
    assert "some-judge 2023-01-02" in out.getvalue()
    with pytest.raises(CommandError, match="full date"):
        call_command("judge_dates", "shapes", "set", "some-judge", "--released", "2023")
    with pytest.raises(CommandError, match="No judge"):
        call_command("judge_dates", "shapes", "set", "nobody", "--released", "2023-01-02")


def test_more_judges_ask_nothing_more(client, alice, study, run):
    client.force_login(alice.user)

    def queries():
        with CaptureQueriesContext(connection) as asked:
            assert client.get(where(study)).status_code == 200
        return len(asked)

    queries()
    before = queries()
    for number in range(5):
        making.scores(study, {"early-0": 1.0}, name=f"judge-{number}")
    assert queries() == before
