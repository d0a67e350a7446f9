"""Drawn texts, files and parameters for every form and address: whoever sends them, no server error.

A few in every run, always the same; `make fuzz` draws new ones by the thousand.
"""

from __future__ import annotations

import os
import random
import re
import sys
import traceback
from collections import Counter, defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.signals import got_request_exception
from django.db import transaction

from tests.hostile.mangling import NASTY
from tests.hostile.routes import routes
from tests.making import png

pytestmark = pytest.mark.django_db
CASES, SEED = int(os.environ.get("FUZZ_FORMS", "60")), int(os.environ.get("FUZZ_SEED", "1"))
ROLES = ("owner", "owner", "superuser", "researcher", "annotator", "crowd", "stranger", "anonymous")
TEXTS = [content.decode(errors="replace") for content in NASTY] + [
    *("", " ", "0", "1", "2", "-0", "1e-300", "0.5", "٣", "1_0", str(2**31), str(2**64), "on"),
    *("aligned", "early-0", "early-0\nlate-0", "a" * 300, "a" * 30_000, "%00", "2026-02-30"),
    *("9999-12-31", "0001-01-01T00:00", "2026-01-01T00:00:00+99:00", "{}", "[]", "[[1]]", "a@b"),
    *("{prompt}", "http://[::1", "file:///etc/passwd", "javascript:1"),
]
FILES = [
    *(
        b"",
        b"\0",
        png(size=9),
        png(size=9)[:-20],
        b"PK\5\6" + b"\0" * 18,
        b"PAR1" * 9,
        b"early-0\n",
    ),
    *(b"image_id,score\nearly-0,1\n", b"image_id,score\nearly-0\n", b'{"a": [', b"\xff\xfea\0"),
    *(b"key;prompt\np0;x\n", b"[]", b"{}", b"null", b"prompt\n" + b"x" * 9_000),
]
NAMES = ("a.csv", "a.png", "a.jsonl", "a.zip", "a.json", "a.parquet", "a.po", "../a.csv", "a" * 300)
NAMED = re.compile(r'(?:GET|POST|FILES|params|data)\.get(?:list)?\(\s*"([\w-]+)"')
ROOT = Path(__file__).parents[2]


class Forms(HTMLParser):
    """What a page lets its reader send: `sent[method, address][field]` are the values that it offers."""

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.page, self.sent = page, {}
        self.fields: dict[str, list[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        for way in ("hx-get", "hx-post", "href" if tag == "a" else "src"):
            if way in given:
                self.open("post" if way == "hx-post" else "get", given[way])
        if tag == "form":
            self.open(given.get("method", "get").lower(), given.get("action") or self.page)
        elif tag in ("input", "select", "textarea", "button") and given.get("name"):
            self.field = given["name"]
            kind = "file" if given.get("type") == "file" else given.get("value", "")
            self.fields.setdefault(self.field, []).append(kind)
        elif tag == "option" and self.fields:
            self.fields.setdefault(self.field, []).append(given.get("value", ""))

    def open(self, method: str, address: str) -> None:
        parts = urlsplit(urljoin(self.page, address))
        if not parts.netloc and parts.path.startswith("/"):
            self.fields = self.sent.setdefault((method, parts.path), {})
            for name, value in parse_qsl(parts.query):
                self.fields.setdefault(name, []).append(value)


def read_whole(answer) -> bytes:
    """So that its file is closed, and what breaks half-way is met."""
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def forms_of_pages(browser, filled) -> list[tuple[str, str, dict[str, list[str]]]]:
    """Every address, with the fields of the forms that lead there."""
    found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for name, address in sorted(routes()):
        page = filled(name, address).partition("?")[0]
        answer = browser.get(page)
        found["post" if answer.status_code == 405 else "get", page].update()
        text = read_whole(answer)
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            for where, fields in Forms(page, text.decode()).sent.items():
                for field, values in fields.items():
                    found[where].setdefault(field, []).extend(values)
    return [(*where, fields) for where, fields in sorted(found.items())]


def draw_fields(draw: random.Random, fields: dict[str, list[str]], words: list[str]):
    sent: dict[str, list[str | SimpleUploadedFile]] = {}
    extra = {word: [""] for word in draw.sample(words, draw.choice((0, 0, 1, 3)))}
    for name, values in {**fields, **extra}.items():
        for _ in range(draw.choice((0, 1, 1, 1, 1, 1, 1, 2))):
            text = draw.choice(values if draw.random() < 0.6 else TEXTS)
            file = SimpleUploadedFile(draw.choice(NAMES), draw.choice(FILES))
            is_file = ("file" in values) != (draw.random() < 0.05)
            sent.setdefault(name, []).append(file if is_file else text)
    return sent


def test_what_is_drawn_for_a_form_breaks_no_page(clients, filled):
    draw, statuses = random.Random(SEED), Counter()
    apps = (
        file for app in ("annotations", "audit", "judges") for file in (ROOT / app).rglob("*.py")
    )
    words = sorted({word for file in apps for word in NAMED.findall(file.read_text())})
    forms = forms_of_pages(clients("owner"), filled)
    assert len(forms) > 250 and len(words) > 50
    broken: dict[str, str] = {}

    def keep(**kwargs):
        error, trace = sys.exc_info()[1], traceback.format_exc()
        kind = f"{type(error).__name__} {traceback.extract_tb(error.__traceback__)[-1]}"
        if kind not in broken:
            broken[kind] = f"{role} {method} {address} {sent!r:.2000}\n{trace}"
            print(broken[kind], flush=True)

    got_request_exception.connect(keep)
    for number in range(CASES):
        (method, address, fields), role = draw.choice(forms), draw.choice(ROLES)
        sent, browser = draw_fields(draw, fields, words), clients(role)
        more = {"HX-Request": "true"} if draw.random() < 0.3 else {}
        with transaction.atomic():
            if method == "get":
                pairs = ((name, text) for name, texts in sent.items() for text in texts)
                query = "&".join(f"{quote(name)}={quote(str(text))}" for name, text in pairs)
                answer = browser.get(f"{address}?{query}", headers=more)
            else:
                answer = browser.post(address, sent, headers=more)
            read_whole(answer)
            statuses[answer.status_code] += 1
            transaction.set_rollback(True)
        if number % 500 == 499:
            print(number + 1, dict(statuses), flush=True)
    assert not broken, "\n".join(broken.values())
    assert set(statuses) < set(range(200, 500)) | {503}


@pytest.mark.parametrize("odd", ["9" * 5000, str(2**64), "²", "٣", "1:2", "-1"])
def test_no_number_or_next_page_of_a_request_is_too_odd(clients, world, odd):
    """What the fuzz met once, and its like."""
    browser, study = clients("owner"), f"/studies/{world.study.slug}"
    image = world.gaps["<slug:public_id>"]
    for address in (
        *("charts/histogram.svg?report={}", "reports/changes/?a={0}&b={0}"),
        *(
            "data/?selection={0}&page={0}",
            f"data/{image}/?at={{}}",
            "gallery/?generator={0}&page={0}",
        ),
        f"known-answers/images/{image}/?selection={{0}}&at={{0}}",
        "questions/label-time/report.html?report={}",
    ):
        answer = browser.get(f"{study}/{address.format(quote(odd))}")
        assert answer.status_code < 500 and b"no such address" not in answer.content, address
    for address, sent in (
        ("/language/", {"next": odd}),
        (f"{study}/generators/", {f"note-{odd}": "x"}),
        (f"{study}/runs/dates/", {f"released-{odd}": "2026-01-01"}),
        (f"{study}/imports/files/", {"do": f"without-{odd}"}),
        ("/account/tokens/", {"days": odd, "name": "x"}),
    ):
        assert browser.post(address, sent).status_code < 500, address
