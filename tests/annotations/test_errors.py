"""What goes wrong in the middle of a request is told in words, on the page and through the API."""

from __future__ import annotations

import errno

import pytest
from django.db import OperationalError
from django.urls import reverse

from annotations.labelling import record
from tests import making

pytestmark = pytest.mark.django_db
FULL = OSError(errno.ENOSPC, "No space left on device", "/srv/jurybox/var")
AWAY = OperationalError("could not connect to server at 10.1.2.3")


@pytest.mark.parametrize("error", [FULL, AWAY, OperationalError("database or disk is full")])
def test_where_nothing_can_be_written_the_page_says_what_became_of_the_answer(
    as_bob, study, monkeypatch, error
):
    as_bob.raise_request_exception = False
    monkeypatch.setattr(record, "record_label", _fail(error))
    monkeypatch.setattr(record, "record_and_give_next", _fail(error))
    page = as_bob.get(reverse("label", args=[study.slug])).text
    sent = _sent(page)
    for headers in ({}, {"HX-Request": "true"}):
        answer = as_bob.post(reverse("label", args=[study.slug]), sent, headers=headers)
        assert answer.status_code == 503
        assert "What you just sent was not saved" in answer.text
        assert "10.1.2.3" not in answer.text
        assert "/srv" not in answer.text


def _fail(error: Exception):
    def fail(*_, **__):
        raise error

    return fail


def _sent(page: str) -> dict[str, str]:
    import re

    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    return {**hidden, "answer-aligned": "1", "answer-quality": "1", "seconds": "1"}


def test_a_program_gets_the_sentence_as_json(client, study, bob, monkeypatch):
    from annotations.labelling import assign

    client.raise_request_exception = False
    monkeypatch.setattr(assign, "next_image", _fail(AWAY))
    token = making.token(bob.user)
    answer = client.post(
        f"/api/v1/studies/{study.slug}/next/", headers={"Authorization": f"Token {token}"}
    )
    assert answer.status_code == 503
    assert answer.json()["message"].startswith("The database does not answer")


def test_another_failure_stays_a_failure(as_bob, study, monkeypatch):
    as_bob.raise_request_exception = False
    monkeypatch.setattr(
        "annotations.pages.label.place_or_404", _fail(OSError(errno.EIO, "I/O error"))
    )
    making.label(study.memberships.get(name="bob"))
    assert as_bob.get(reverse("label", args=[study.slug])).status_code == 500


def test_a_character_that_one_database_refuses_is_a_sentence_and_no_crash(as_bob, study):
    """PostgreSQL holds no NUL in a text; SQLite finds nobody of that name."""
    from django.db import connection

    as_bob.raise_request_exception = False
    image = study.images.first()
    study.memberships.filter(name="bob").update(role="researcher")
    address = reverse("look", args=[study.slug, image.public_id])
    answer = as_bob.get(address, {"judge": "a\x00b"})
    assert answer.status_code == (400 if connection.vendor == "postgresql" else 200)
    if answer.status_code == 400:
        assert "contains a NUL character" in answer.text
