"""What happens to accounts is in the event log, for superusers."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations import event_log
from annotations.models import Event
from annotations.studies import personal_data
from audit.accounts import lockout

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"


@pytest.fixture
def dora():
    return get_user_model().objects.create_user("dora", password=PASSWORD)


@pytest.fixture
def root():
    return get_user_model().objects.create_superuser("root", password=PASSWORD)


def log_in(password: str, name: str = "dora"):
    return Client().post("/login/", {"username": name, "password": password})


def told() -> list[tuple[str, str, str]]:
    rows = Event.objects.filter(study=None).order_by("pk")
    return [(str(event.by or ""), event.words, str(event.account or "")) for event in rows]


def test_a_log_in_leaves_an_event(dora):
    log_in(PASSWORD)
    assert told() == [("dora", "logged in", "dora")]


def test_wrong_passwords_are_counted_not_told_one_by_one(dora):
    for _ in range(12):
        log_in("wrong")
    words = "gave 5 wrong passwords in a row; further tries have to wait"
    assert told() == [("", words, "dora")]


def test_who_sprays_many_names_is_told_of_once_and_no_name_is_kept():
    for number in range(2 * lockout.OF_A_NETWORK.free):
        log_in("wrong", name=f"mistyped-{number}")
    assert told() == [("", "tried too many passwords from one network", "")]


def test_a_changed_password_leaves_an_event_and_a_new_account_none(dora):
    dora.set_password("other-and-long")
    dora.save()
    dora.first_name = "Dora"
    dora.save()
    assert [words for _, words, _ in told()] == ["changed the password"]


def test_superusers_read_it_and_nobody_else(client, dora, root):
    log_in(PASSWORD)
    client.force_login(dora)
    assert client.get(reverse("installation-events")).status_code == 404
    client.force_login(root)
    page = client.get(reverse("installation-events"))
    assert page.status_code == 200
    assert "logged in" in page.text
    assert page.text.count("<html") == 1
    part = client.get(reverse("installation-events"), headers={"HX-Request": "true"})
    assert "<html" not in part.text
    assert "logged in" in part.text


def test_the_page_asks_as_much_with_ten_events_more(client, root, django_assert_num_queries):
    client.force_login(root)
    with CaptureQueriesContext(connection) as few:
        client.get(reverse("installation-events"))
    for _ in range(10):
        event_log.note_account("logged in", "logged in", account=root, by=root)
    with django_assert_num_queries(len(few)):
        client.get(reverse("installation-events"))


def test_an_erased_account_is_erased_here_too(dora):
    log_in(PASSWORD)
    assert personal_data.everything_kept(dora)["events"][0]["words"] == "logged in"
    personal_data.erase(dora)
    assert told() == [("", "logged in", "")]


def test_the_pages_say_truly_who_could_change_an_entry(client, root, as_alice, study):
    for page in (
        as_alice.get(reverse("events", args=[study.slug])),
        (client.force_login(root), client.get(reverse("installation-events")))[1],
    ):
        assert "Nobody can change" not in page.text
        assert "only the administrator of the database could" in page.text
