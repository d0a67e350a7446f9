"""Odd JSON and odd parameters are refused with a sentence: no route breaks over them."""

from __future__ import annotations

import base64
import json
import re

import pytest

from tests.hostile.routes import routes

pytestmark = pytest.mark.django_db
API = sorted(
    (name, address)
    for name, address in routes()
    if address.startswith("api/v1/") and name not in ("schema", "api-token")
)
VALUES = {
    "NUL": r'"a\u0000b"',
    "half a character": r'"\ud800"',
    "half a character as a key": r'{"\ud800": 1}',
    "5,000 digits": "9" * 5000,
    "beyond 64 bits": str(2**64),
    "below 64 bits": str(-(2**64)),
    "beyond all floats": "1e999",
    "NaN": "NaN",
    "minus infinity": "-Infinity",
    "true": "true",
    "nothing": "null",
    "a list": "[]",
    "a list of lists": "[[[1]]]",
    "an object": "{}",
    "an object of objects": '{"a": {"b": {"c": null}}}',
    "a long text": '"' + "a" * 300_000 + '"',
    "an empty text": '""',
    "a number with a fraction": "0.5",
    "deep lists": "[" * 100_000 + "]" * 100_000,
    "deep objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "somewhat deep lists": "[" * 900 + "]" * 900,
    "not closed": "[" * 1_000,
    "the same key twice": '{"a": 1, "a": 2}',
    "a line end": r'"\r\n"',
    "from right to left": r'"‮abc"',
}
# Where a value can stand: field by field, each in a body that is sound otherwise.
BODIES = {
    "api-labels": ("image", "form", "submission", "answers", "seconds"),
    "api-labels-bulk": ("image", "form", "submission", "answers", "seconds"),
    "api-runs": ("judge", "options"),
    "api-imports": ("file", "kind", "format", "generator", "judge", "dry_run", "strict"),
}
IDS = ("0", "-1", str(2**31), str(2**63), str(2**64), "9" * 5000, "%00", "%ff", "a" * 3000)
# A cursor is base64 of a query: p is the position.
CURSORS = tuple(
    base64.b64encode(f"p={p}".encode()).decode()
    for p in (2**64, "9" * 5000, "NaN", "\0", "x", "-1", "1e999")
)
WORDS = (
    "%00",
    "%ED%A0%80",
    "%ff",
    str(2**64),
    "9" * 5000,
    "NaN",
    "1e999",
    "",
    "%5B%5D",
    "a" * 9000,
)
PARAMETERS = (
    *("cursor", "page_size", "format", "prompt_id", "image_id", "generator", "variant", "state"),
) + ("question", "judge", "failed", "consensus", "page")


def sound(world) -> dict[str, object]:
    image = world.study.images.get(key="late-1")
    return {
        "image": image.public_id,
        "form": world.study.form_id,
        "submission": "00000000-0000-4000-8000-000000000000",
        "answers": {"aligned": 1, "quality": 0},
        "seconds": 3.5,
        "judge": "geneval-builtin",
        "options": {"threshold": 0.5},
    }


def refused_with_a_sentence(answer) -> bool:
    if answer.status_code < 400:
        return True
    if answer.status_code in (404, 405):
        return True
    return answer.status_code < 500 and bool(re.search(r"[a-z]{2,} [a-z]{2,}", _text(answer)))


def _text(answer) -> str:
    return answer.content.decode(errors="replace")


def bodies(name: str, world, text: str):
    """The value alone, in each field, and inside what holds others."""
    yield text
    yield f"[{text}]"
    given = sound(world)
    for field in BODIES.get(name, ()):
        for value in (text, f'{{"aligned": {text}}}', f'{{"a": [{text}]}}', f"[{text}]"):
            parts = [
                f"{json.dumps(other)}: {value if other == field else json.dumps(given[other])}"
                for other in BODIES[name]
                if other in given or other == field
            ]
            whole = "{" + ", ".join(parts) + "}"
            yield f"[{whole}]" if name == "api-labels-bulk" else whole


TAKING = [(name, address) for name, address in API if name in (*BODIES, "api-reports")]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize(("name", "address"), TAKING, ids=[name for name, _ in TAKING])
def test_an_odd_body_is_refused(clients, filled, world, name, address, kind):
    browser = clients("owner")
    where = filled(name, address)
    for body in bodies(name, world, VALUES[kind]):
        answer = browser.post(where, body, content_type="application/json")
        assert refused_with_a_sentence(answer), (
            answer.status_code,
            body[:200],
            _text(answer)[:300],
        )


@pytest.mark.parametrize(("name", "address"), API, ids=[name for name, _ in API])
def test_an_odd_parameter_is_refused(clients, filled, name, address):
    browser = clients("owner")
    where = filled(name, address)
    for at, parameter in enumerate(PARAMETERS):
        # Another word for each; the next test has all of them for all.
        check_word(browser, where, parameter, WORDS[(at + len(name)) % len(WORDS)])


@pytest.mark.nightly("every odd word in every parameter; the test above has one in each")
@pytest.mark.parametrize(("name", "address"), API, ids=[name for name, _ in API])
def test_every_odd_parameter_is_refused(clients, filled, name, address):
    browser = clients("owner")
    where = filled(name, address)
    for parameter in PARAMETERS:
        for word in WORDS:
            check_word(browser, where, parameter, word)


def check_word(browser, where: str, parameter: str, word: str) -> None:
    answer = browser.get(f"{where}?{parameter}={word}")
    assert answer.status_code < 500, (answer.status_code, parameter, word[:20])


@pytest.mark.parametrize(
    ("name", "address"),
    [row for row in sorted(routes()) if "<int:" in row[1]],
    ids=[name for name, address in sorted(routes()) if "<int:" in address],
)
def test_an_odd_id_is_not_found(clients, filled, name, address):
    browser = clients("owner")
    for number in IDS:
        where = filled(name, re.sub("<int:[^>]*>", number, address))
        for verb in ("get", "post"):
            answer = getattr(browser, verb)(where)
            assert answer.status_code < 500, (answer.status_code, verb, number[:30])
