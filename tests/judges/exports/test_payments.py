"""Payments of crowd workers: what they did, their codes, and money only at a rate that somebody gave."""

import csv
import io
from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotations.models import Annotation, Assignment
from annotations.studies import crowd
from judges.exports.payments import COLUMNS, payment_rows, read_rate
from tests import making

pytestmark = pytest.mark.django_db
MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def paid(study):
    """W1 has finished in 90 seconds, W2 has a part, W3 has not begun; W4's times are not known."""
    link = crowd.open_to_crowd(study=study, images_each=2, completion_code="C0FFEE")
    done = {"W1": (60.0, 30.0), "W2": (45.5,), "W3": (), "W4": (None, 10.0)}
    for worker, seconds in done.items():
        member = crowd.enter_from_crowd(invitation=link, worker=worker)
        for image, spent in zip(study.images.order_by("key"), seconds, strict=False):
            Annotation.objects.create(
                study=study,
                image=image,
                annotator=member,
                form=study.form,
                seconds=spent,
                submitted_at=MOMENT,
            )
            Assignment.objects.create(
                study=study,
                image=image,
                annotator=member,
                state=Assignment.State.ANSWERED,
            )
    making.person(study, "ann")
    return study


def rows(study, rate="", per="hour", people="nobody"):
    return {row["worker"]: row for row in payment_rows(study, read_rate(rate, per), people=people)}


def test_who_has_finished_has_the_code_and_nobody_an_amount_without_a_rate(paid):
    found = rows(paid)
    assert list(found) == ["W1", "W2", "W3", "W4"]
    assert [row["state"] for row in found.values()] == [
        "finished",
        "not finished",
        "not begun",
        "finished",
    ]
    assert [row["completion_code"] for row in found.values()] == ["C0FFEE", "", "", "C0FFEE"]
    assert [row["images"] for row in found.values()] == [2, 1, 0, 2]
    assert [row["minutes"] for row in found.values()] == ["1.50", "0.76", "0", ""]
    assert {row["amount"] for row in found.values()} == {""}
    assert {row["no_amount_because"] for row in found.values()} == {"no rate was given"}


@pytest.mark.parametrize(
    ("rate", "per", "owed"),
    [
        # 90 s and 45.5 s of 12.00 an hour: 0.30 and 0.1516…
        ("12", "hour", ["0.30", "0.15", "0.00", ""]),
        ("0.1", "image", ["0.20", "0.10", "0.00", "0.20"]),
        ("2.505", "worker", ["2.51", "", "", "2.51"]),
    ],
)
def test_an_amount_is_the_rate_times_what_was_done(paid, rate, per, owed):
    found = rows(paid, rate, per)
    assert [row["amount"] for row in found.values()] == owed
    for row in found.values():
        assert bool(row["amount"]) != bool(row["no_amount_because"])


def test_without_a_time_there_is_no_hourly_amount_and_the_row_says_so(paid):
    row = rows(paid, "12")["W4"]
    assert row["no_amount_because"] == "the time of 1 of 2 images is not known"


def test_excluded_answers_were_work_and_withdrawn_ones_are_gone(paid):
    given = Annotation.objects.filter(annotator__worker="W1").order_by("pk")
    given.filter(pk=given[0].pk).update(state=Annotation.State.SET_ASIDE)
    row = rows(paid, "1", "image")["W1"]
    assert (row["images"], row["excluded"], row["amount"]) == (2, 1, "2.00")
    Annotation.objects.filter(annotator__worker="W1").update(state=Annotation.State.WITHDRAWN)
    assert rows(paid, "1", "image")["W1"]["images"] == 0


def send(client, study, kind, query=""):
    return client.get(reverse("export-file", args=[study.slug, "payments", kind]) + query)


def test_prolific_gets_ids_and_amounts_of_those_who_are_owed_something(paid, as_alice):
    answer = send(as_alice, paid, "prolific", "?people=nobody&rate=12")
    assert b"".join(answer.streaming_content) == b"W1,0.30\nW2,0.15\n"
    assert answer.headers["Content-Disposition"].endswith('-payments.prolific.txt"')
    for query, words in (("?rate=12", "names as they are"), ("?people=nobody", "Say the rate")):
        refused = send(as_alice, paid, "prolific", query)
        assert refused.status_code == 422
        assert words in refused.content.decode()


@pytest.mark.parametrize("rate", ["many", "0", "-1", "nan", "inf", "1e9"])
def test_what_is_no_rate_is_refused(paid, as_alice, rate):
    refused = send(as_alice, paid, "csv", f"?rate={rate}")
    assert refused.status_code == 422
    assert "A rate is a number above 0" in refused.content.decode()


def test_ids_of_workers_leave_for_the_owner_alone(paid, as_alice, client):
    found = csv.DictReader(
        io.StringIO(b"".join(send(as_alice, paid, "csv").streaming_content).decode())
    )
    assert all(row["worker"].startswith("person-") for row in found)
    client.force_login(making.person(paid, "rita", role="researcher").user)
    assert send(client, paid, "csv", "?people=nobody").status_code == 403
    assert send(client, paid, "csv").status_code == 200


def test_payments_are_of_a_whole_study(paid, as_alice):
    assert send(as_alice, paid, "csv", "?generator=late").status_code == 422
    page = as_alice.get(reverse("export", args=[paid.slug]) + "?generator=late").content.decode()
    assert "export-payments" not in page


def test_the_page_asks_for_the_rate_where_there_are_workers(paid, as_alice):
    where = reverse("export", args=[paid.slug])
    page = as_alice.get(where + "?rate=12.5&per=image").content.decode()
    assert 'name="rate" type="number" min="0.01" step="0.01" value="12.5"' in page
    assert "payments.csv?rate=12.5&amp;per=image" in page
    crowdless = making.study("none")
    making.person(crowdless, "alice", role="owner")
    assert 'name="rate"' not in as_alice.get(reverse("export", args=["none"])).content.decode()


def test_the_command_writes_the_same(paid, capsys):
    call_command("export", paid.slug, "payments", pseudonyms="nobody", rate="0.1", per="image")
    found = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert tuple(found[0]) == COLUMNS
    assert [(row["worker"], row["amount"]) for row in found] == [
        ("W1", "0.20"),
        ("W2", "0.10"),
        ("W3", "0.00"),
        ("W4", "0.20"),
    ]
