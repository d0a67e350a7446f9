from datetime import timedelta

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, get_user_model
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils import timezone

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(client):
    user = get_user_model().objects.create_user("dora", password="a-long-and-quiet-river")
    assert client.login(username="dora", password="a-long-and-quiet-river")
    return user


def is_in(client):
    return client.get(reverse("home")).status_code == 200


def test_a_session_lasts_until_the_log_out_and_its_cookie_is_worth_nothing_after(client, dora):
    key = client.cookies["sessionid"].value
    assert is_in(client)
    client.post(reverse("logout"))
    client.cookies["sessionid"] = key
    assert not is_in(client)


def test_who_logged_in_before_the_accounts_were_moved_stays_logged_in(client, dora):
    session = client.session
    session[BACKEND_SESSION_KEY] = "audit.accounts.Accounts"
    session.save()
    assert is_in(client)


def test_a_session_that_has_expired_is_none(client, dora):
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not is_in(client)


def test_an_account_that_was_closed_is_out_at_once(client, dora):
    dora.is_active = False
    dora.save()
    assert not is_in(client)


def test_a_new_password_ends_the_sessions_from_before(client, dora):
    dora.set_password("another-long-river")
    dora.save()
    assert not is_in(client)


def test_a_wrong_password_opens_nothing(client, dora):
    assert not type(client)().login(username="dora", password="wrong")
