"""Probes of a cluster or a load balancer call a machine by its address, over plain HTTP."""

from __future__ import annotations

import pytest

from tests.audit.test_settings import KEY, start


@pytest.mark.parametrize("host", ["10.0.3.7:8000", "[2001:db8::7]:8000", "pod-17.cluster.local"])
def test_probes_are_answered_under_any_name_and_nothing_else_is(tmp_path, host):
    code = (
        "from django.core.management import call_command; call_command('migrate', verbosity=0);"
        f"from django.test import Client; c = Client(headers={{'host': {host!r}}});"
        "print(*(c.get(path).status_code for path in"
        " ('/healthz', '/readyz', '/metrics', '/login/')),"
        " c.get('/login/', secure=True).status_code)"
    )
    given = {"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY, "TRUSTED_PROXIES": "10.9.9.9"}
    ended = start(tmp_path, code, LOG_LEVEL="ERROR", **given)
    # Without a token there is no page of metrics; a name that is not ours gets no page at all.
    assert ended.stdout.split() == ["200", "200", "404", "503", "400"], ended.stderr
