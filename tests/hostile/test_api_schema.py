"""Requests drawn from the API's own schema, and mutated ones, for all of its operations; and drawn queries
and forms for every page: no answer is a 500.

`MUTATED=40000 .venv/bin/python -m pytest -n 0 -s tests/hostile/test_api_schema.py` tries as many in all.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter

import hypothesis
import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import strategies as some

from audit.reports import make as reports
from tests import making
from tests.hostile.routes import routes
from tests.jurybox.wheels import ROOT

pytestmark = pytest.mark.django_db

WANTED = int(os.environ.get("MUTATED", "0"))
# Of each operation in each of two ways, and of each page by each of two people: half of all each.
EXAMPLES = WANTED // 4 // 28 + 1 if WANTED else 12
OF_A_PAGE = WANTED // 4 // 190 + 1 if WANTED else 3
STEADY = hypothesis.settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)
# A page that waits for a provider, and probes of the installation itself.
NOT_TRIED = {"single-sign-on", "single-sign-on-back", "logout", "account-log-out-everywhere"}


# Every answer is one that the schema declares.
AS_DECLARED = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


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
def test_every_operation_answers_as_its_schema_declares(tried, study, capsys):
    # Two seconds of imports that only this test needs.
    import schemathesis

    from audit.wsgi import application

    schema = schemathesis.openapi.from_wsgi(
        "/api/v1/schema/?format=json", application, headers=tried
    )
    answers: Counter[int] = Counter()
    places = {
        "slug": study.slug,
        "image_id": "early-0",
        "run_id": study.runs.get().pk,
        "report_id": study.reports.get().pk,
        "judge": "geneval-builtin",
        "what": "labels",
        "name": "label-time",
    }
    names = []
    for operation in _found(schema):
        names.append(f"{operation.method.upper()} {operation.path}")
        for mode in schemathesis.GenerationMode:
            with transaction.atomic():
                _try(operation, mode, tried, places, answers)
                transaction.set_rollback(True)
    assert len(names) >= 24
    assert "POST /api/v1/studies/{slug}/labels/bulk/" in names
    with capsys.disabled():
        print(
            f"\n{answers.total():,} requests of the API, {len(names)} operations: {dict(answers)}"
        )


def _try(operation, mode, token, places, answers):
    from schemathesis import checks
    from schemathesis.core.errors import InvalidSchema

    checks.load_all_checks()
    names = [*AS_DECLARED, *(["negative_data_rejection"] if mode.is_negative else [])]
    held = [checks.CHECKS.get_one(name) for name in names]

    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), known=some.booleans())
    @hypothesis.settings(STEADY, max_examples=EXAMPLES)
    def attempt(case, known):
        # Half of the attempts reach what is there; the others look for what is not.
        if known:
            for name in case.path_parameters or {}:
                case.path_parameters[name] = places.get(name, case.path_parameters[name])
        # The check does not unpack an answer that is compressed.
        response = case.call(headers={**token, "Accept-Encoding": "identity"})
        answers[response.status_code] += 1
        case.validate_response(response, checks=held)

    # What takes nothing cannot be mutated.
    with contextlib.suppress(hypothesis.errors.Unsatisfiable, InvalidSchema):
        attempt()


ODD = some.one_of(
    some.text(max_size=40),
    some.sampled_from(
        [
            "",
            "0",
            "-1",
            "1e400",
            "nan",
            "٣",
            "\0",
            "a" * 5000,
            "[",
            "{}",
            "null",
            "../x",
            "%00",
            "1_0",
        ]
    ),
    some.integers().map(str),
    some.floats().map(str),
)
FORMS = some.dictionaries(some.text(max_size=20), some.lists(ODD, max_size=3), max_size=4)


def _named_by_the_pages() -> list[str]:
    """What pages read from addresses and forms, so that drawn requests reach it."""
    found: set[str] = set()
    for app in ("annotations", "judges", "audit"):
        for path in sorted((ROOT / app).rglob("*.py")):
            found |= set(
                re.findall(r"(?:GET|POST)(?:\.get\(|\.getlist\(|\[)\"([\w-]+)\"", path.read_text())
            )
    return sorted(found)


@pytest.mark.nightly(
    "hundreds of drawn queries and forms; hostile/test_fuzz.py has some of each kind"
)
def test_no_page_answers_with_a_server_error(clients, filled, capsys):
    names = some.sampled_from(_named_by_the_pages())
    forms = some.one_of(FORMS, some.dictionaries(names, some.lists(ODD, max_size=2), max_size=5))
    browsers = {role: clients(role) for role in ("owner", "annotator")}
    answers: Counter[int] = Counter()
    broken: list[tuple] = []
    for name, address in sorted(routes()):
        if name not in NOT_TRIED:
            _ask(filled(name, address), forms, browsers, answers, broken)
    with capsys.disabled():
        print(f"\n{answers.total():,} requests of pages: {dict(answers)}")
    assert broken == []


def _ask(address, forms, browsers, answers, broken):
    @hypothesis.given(query=forms, form=forms, is_post=some.booleans(), htmx=some.booleans())
    @hypothesis.settings(STEADY, max_examples=OF_A_PAGE)
    def attempt(query, form, is_post, htmx):
        asked = {"query_params": query, "headers": {"HX-Request": "true"} if htmx else {}}
        for role, browser in browsers.items():
            with transaction.atomic():
                answer = (
                    browser.post(address, form, **asked)
                    if is_post
                    else browser.get(address, **asked)
                )
                if answer.streaming:
                    b"".join(answer.streaming_content)
                transaction.set_rollback(True)
            answers[answer.status_code] += 1
            if answer.status_code >= 500:
                broken.append((address, role, "POST" if is_post else "GET", query, form))

    attempt()
