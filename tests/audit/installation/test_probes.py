"""Probes of a cluster or a load balancer call a machine by its address, over plain HTTP."""

from __future__ import annotations

from tests import ready_database
from tests.audit.test_settings import KEY, start

HOSTS = ("10.0.3.7:8000", "[2001:db8::7]:8000", "pod-17.cluster.local")
CODE = f"""
from django.test import Client

for host in {HOSTS}:
    client = Client(headers={{"host": host}})
    for path in ("/healthz", "/readyz", "/metrics", "/login/"):
        print(client.get(path).status_code)
    print(client.get("/login/", secure=True).status_code)
"""


def test_probes_are_answered_under_any_name_and_nothing_else_is(tmp_path):
    given = {"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY, "TRUSTED_PROXIES": "10.9.9.9"}
    ready_database.copy_sqlite(tmp_path / "jurybox.sqlite3")
    ended = start(tmp_path, CODE, LOG_LEVEL="ERROR", **given)
    # Without a token there is no page of metrics; a name that is not ours gets no page at all.
    assert ended.stdout.split() == ["200", "200", "404", "503", "400"] * len(HOSTS), ended.stderr
