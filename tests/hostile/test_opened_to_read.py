"""A database that was opened to be read: each page comes from it, or says why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from tests.hostile.routes import routes
from tests.hostile.test_read_only import REFUSED, ROLES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def cookies(world, django_db_blocker):
    """Of people who were logged in before the database was opened to be read."""
    with django_db_blocker.unblock():
        browsers = {role: Client() for role in ROLES}
        for role, browser in browsers.items():
            browser.force_login(world.people[role].user)
    name = settings.SESSION_COOKIE_NAME
    return {"nobody": ""} | {role: b.cookies[name].value for role, b in browsers.items()}


def opened_to_read() -> str:
    """The address of the tests' database, opened so that the database itself refuses every write."""
    known = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{known['NAME']}?mode=ro"
    person = quote(known["USER"]) + (f":{quote(known['PASSWORD'])}" if known["PASSWORD"] else "")
    place = f"{known['HOST']}:{known['PORT'] or 5432}/{known['NAME']}"
    return f"postgres://{person}@{place}?options=-c%20default_transaction_read_only%3Don"


@pytest.mark.nightly(
    "a process of its own on a database opened to read; above it refuses by a pragma"
)
def test_a_database_that_is_opened_to_read_serves_every_page_or_says_why_not(
    world, cookies, filled, capsys
):
    asked = {"cookies": cookies, "addresses": {name: filled(name, at) for name, at in routes()}}
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.read_only_walk"],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "audit.settings",
            "DATABASE_URL": opened_to_read(),
            "MEDIA_ROOT": str(world.media),
            "READ_ONLY": "True",
        },
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert {who: what for who, what in found.items() if what[0] >= 500} == {}
    refused = {who.split()[1] for who, (_, says) in found.items() if says}
    assert refused <= REFUSED
    assert all(status == 403 for status, says in found.values() if says)
    served = sum(status == 200 for status, _ in found.values())
    with capsys.disabled():
        print(f"\n{served} of {len(found)} served; {len(refused)} addresses say why not")
    assert served > 230
