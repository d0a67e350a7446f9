"""Schemathesis tries every operation of the API against its own schema: no answer is a 500."""

import hypothesis
import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db

EXAMPLES = 12


def _found(schema):
    for result in schema.get_all_operations():
        yield result.ok()


@pytest.fixture
def one_connection():
    """As Django's own test client: a request does not close the test's connection."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture
def tried(one_connection, study, alice):
    """A study with labels, scores, a run and a report, and its owner's token."""
    making.labels(study, {"early-0": {"ann": 1}, "late-0": {"ann": 0}})
    making.scores(study, {"early-0": 0.5, "late-0": "the engine was away"})
    reports.make_report(study=study)
    return {"Authorization": f"Token {making.token(alice.user)}"}


@pytest.mark.nightly("hundreds of drawn requests; hostile/test_odd_json.py has the odd ones")
def test_no_operation_answers_with_a_server_error(tried, study):
    # Two seconds of imports that only this test needs.
    import schemathesis

    from audit.wsgi import application

    token = tried
    schema = schemathesis.openapi.from_wsgi(
        "/api/v1/schema/?format=json", application, headers=token
    )
    names = []
    for operation in _found(schema):
        names.append(f"{operation.method.upper()} {operation.path}")
        _try(operation, token, study)
    assert len(names) >= 24
    assert "POST /api/v1/studies/{slug}/labels/bulk/" in names


def _try(operation, token, study):
    from schemathesis.checks import not_a_server_error

    @hypothesis.given(case=operation.as_strategy())
    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    def attempt(case):
        # Half of the attempts reach a study that is there; the others look for one that is not.
        if "slug" in (case.path_parameters or {}) and len(str(case.path_parameters["slug"])) % 2:
            case.path_parameters["slug"] = study.slug
        response = case.call(headers=token)
        case.validate_response(response, checks=[not_a_server_error])

    attempt()
