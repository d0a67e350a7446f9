"""What is expensive has an allowance for each person; other routes ask nothing more."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations.models import Job, RateCount
from annotations.rates import Rate
from annotations.studies import invitations
from audit.accounts import route_limits
from tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def few(monkeypatch):
    """Two of each are free."""
    rate = Rate("test", free=2, every=timedelta(hours=1))
    monkeypatch.setattr(route_limits, "LIMITS", dict.fromkeys(route_limits.LIMITS, rate))


def test_every_limited_route_exists():
    from tests.hostile.routes import ROWS

    assert {name for _, name in route_limits.LIMITS} <= set(ROWS)


def test_over_the_allowance_the_api_says_when_to_come_back(few, study, alice, bob):
    address = reverse("api-export", args=[study.slug, "labels"])
    header = {"Authorization": f"Token {making.token(alice.user)}"}
    answers = [Client().get(address, headers=header) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "Wait 60 minutes" in answers[2].json()["message"]
    assert int(answers[2].headers["Retry-After"]) > 3000
    other = {"Authorization": f"Token {making.token(bob.user)}"}
    assert Client().get(address, headers=other).status_code == 403


def test_a_page_says_it_too(few, as_alice, study):
    address = reverse("report-make", args=[study.slug])
    assert [as_alice.post(address).status_code < 400 for _ in range(2)] == [True, True]
    page = as_alice.post(address)
    assert page.status_code == 429
    assert "This was done too often." in page.text


def test_a_door_is_limited_by_network(few, study):
    door = reverse("join", args=[invitations.token_of(invitations.invite(study=study))])
    answers = [Client(REMOTE_ADDR=f"2001:db8::{n}").post(door, {}).status_code for n in range(3)]
    assert answers == [200, 200, 429]
    assert Client(REMOTE_ADDR="10.0.0.2").post(door, {}).status_code == 200
    assert Client(REMOTE_ADDR="2001:db8::1").get(door).status_code == 200


def test_labelling_asks_nothing_of_it(few, as_bob, study):
    with CaptureQueriesContext(connection) as asked:
        as_bob.get(reverse("label", args=[study.slug]))
        as_bob.post(reverse("label", args=[study.slug]), {})
    assert not [query for query in asked if "ratecount" in query["sql"]]
    assert not RateCount.objects.exists()


# Each kind of job, and the routes by which somebody has a worker do it; None: for no person, or cheap.
STARTED_BY = {
    "study copy": {"study-copy", "anchors-ask"},
    "answer": {"report-make", "api-reports"},
    "upload": {"imports", "api-imports", "study-new"},
    "card": {"run-card-measure", "api-run-card"},
    "self-check": {"self-check-ask"},
    "anchor scoring": {"anchors-score"},
    "deletion": None,
    "webhook message": None,
    "preview": None,
    "weight check": None,
}
# Computed while they wait, or files of any size.
AT_ONCE = {"test-judge", "api-test-judge"}


def test_whatever_makes_a_worker_work_has_a_rate():
    kinds = {model.KIND for model in Job.__subclasses__()}
    assert kinds == STARTED_BY.keys()
    limited = {name for _, name in route_limits.LIMITS}
    assert AT_ONCE.union(*filter(None, STARTED_BY.values())) - limited == set()
