"""An address is its account's once a link that was sent there was opened by its owner."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.test import Client
from django.urls import reverse

from annotations.errors import Refused, TooOften
from audit.account_pages import account
from audit.accounts import addresses

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(settings):
    settings.SENDS_MAIL = True
    return get_user_model().objects.create_user("dora", "dora@lab.example", "a-long-quiet-river")


def link_in_mail() -> str:
    return re.search(r"https?://\S+?(/account/email/\S+)", mail.outbox[-1].body)[1]


def test_the_link_that_was_sent_confirms_the_address(client, dora, monkeypatch):
    monkeypatch.setattr(account, "send", lambda task, *args: task(*args))
    client.force_login(dora)
    assert "is not confirmed yet" in client.get("/account/").text
    client.post(reverse("account-email-letter"))
    assert mail.outbox[0].to == ["dora@lab.example"]
    link = link_in_mail()
    assert "Confirm" in client.get(link).text
    assert not addresses.is_confirmed(dora)
    assert client.post(link).status_code == 302
    assert addresses.is_confirmed(dora)
    assert "is not confirmed yet" not in client.get("/account/").text


def test_a_link_confirms_nothing_for_another_account_or_a_changed_address(client, dora):
    path = addresses.path_for(dora)
    eve = get_user_model().objects.create_user("eve", "dora@lab.example")
    client.force_login(eve)
    assert client.post(path).status_code == 400
    dora.email = "new@lab.example"
    dora.save()
    other = Client()
    other.force_login(dora)
    assert other.post(path).status_code == 400
    assert other.post(reverse("account-email-confirm", args=["made-up"])).status_code == 400
    assert not addresses.is_confirmed(dora) and not addresses.is_confirmed(eve)


def test_few_letters_are_sent_and_none_without_an_address(dora):
    for _ in range(3):
        addresses.ask_for_letter(dora)
    with pytest.raises(TooOften):
        addresses.ask_for_letter(dora)
    dora.email = ""
    with pytest.raises(Refused, match="no address"):
        addresses.ask_for_letter(dora)


@pytest.mark.parametrize("other", ["mıke@lab.example", "mi\u212ae@lab.example", "mıKE@lab.example"])
def test_letters_of_other_scripts_are_not_those_that_a_database_folds_them_to(other):
    people = get_user_model().objects
    mike = people.create_user("mike", "MIKE@lab.example")
    addresses.note_confirmed(mike, "mike@lab.example")
    assert addresses.account_of("Mike@LAB.example") == mike
    assert addresses.account_of(other) is None
    # Nor does somebody who has confirmed such an address and typed the other have that.
    eve = people.create_user("eve", "mike@lab.example")
    addresses.note_confirmed(eve, other)
    assert not addresses.is_confirmed(eve)
    assert addresses.account_of("mike@lab.example") == mike
