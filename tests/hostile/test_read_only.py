"""READ_ONLY reads only: on a database that refuses every write, each page comes or says why not."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from annotations.database.read_only import SENTENCE
from tests.hostile.routes import routes

pytestmark = pytest.mark.django_db
# What is done, not looked at: each says why not.
REFUSED = {"label", "compare", "practice", "finished", "single-sign-on", "single-sign-on-back"}
# A page that counts, one that keeps what it computed, a limited export, the API, an account.
QUICK = {"study", "agreement", "leaderboard", "api-export", "account", "people"}
ALL = sorted(routes())
ROLES = ("annotator", "owner", "superuser")


@pytest.fixture
def refusing(settings, world, clients):
    """Browsers that are logged in already, as the database was before it refused."""
    settings.READ_ONLY = True
    browsers = {role: clients(role) for role in ROLES}
    # Beside Django, which would not let a broken transaction end it.
    if connection.vendor == "sqlite":
        connection.connection.execute("PRAGMA query_only = ON")
    else:
        connection.connection.execute("SET TRANSACTION READ ONLY")
    yield browsers
    if connection.vendor == "sqlite":
        connection.connection.execute("PRAGMA query_only = OFF")


def test_pages_of_each_kind_are_served(refusing, filled):
    for name, address in ALL:
        if name in QUICK:
            with transaction.atomic():
                answer = refusing["owner"].get(filled(name, address))
                assert answer.status_code == 200, name
                transaction.set_rollback(True)


@pytest.mark.nightly("every page on a database that refuses; the test above has one of each kind")
def test_every_page_is_served_or_says_why_not(refusing, filled):
    served, refused, broken = 0, set(), []
    for name, address in ALL:
        for role in ("owner", "superuser"):
            with transaction.atomic():
                answer = refusing[role].get(filled(name, address))
                streams = answer.streaming
                content = b"".join(answer.streaming_content) if streams else answer.content
                transaction.set_rollback(True)
            if answer.status_code >= 500:
                broken.append((role, name))
            if answer.status_code == 200:
                served += 1
            if SENTENCE.encode() in content:
                assert answer.status_code == 403, name
                refused.add(name)
    assert broken == []
    assert refused <= REFUSED
    assert served > 150


@pytest.mark.nightly("every page, watched; the test above would fail at the same writes")
def test_nothing_is_written_by_looking_where_the_database_would_let_it(settings, clients, filled):
    settings.READ_ONLY = True
    browser = clients("superuser")
    written = []

    def watch(execute, sql, params, many, context):
        # What is refused does not come back from here.
        done = execute(sql, params, many, context)
        if sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE")):
            written.append(sql[:80])
        return done

    with connection.execute_wrapper(watch):
        for name, address in ALL:
            with transaction.atomic():
                answer = browser.get(filled(name, address))
                if answer.streaming:
                    b"".join(answer.streaming_content)
                transaction.set_rollback(True)
            # Who is logged in stands in the session, which a full installation keeps in a table.
            assert [sql for sql in written if "django_session" not in sql] == [], name


def test_a_log_in_that_cannot_be_kept_says_why(settings, world, refusing):
    client = Client()
    given = {"username": "alice", "password": "a-long-and-quiet-river"}
    with transaction.atomic():
        answer = client.post(reverse("login"), given)
        transaction.set_rollback(True)
    assert answer.status_code == 403
    assert SENTENCE in answer.text
