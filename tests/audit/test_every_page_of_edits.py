"""Every page about a study of edits, followed link by link: each is there, and none claims without a number."""

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

import pytest

from annotations.models import Membership
from audit import demo
from audit.reports import make as reports
from tests import making

pytestmark = pytest.mark.django_db
LINK = re.compile(r'(?:href|hx-get)="([^"#]+)')
# Files and pages of single images; each kind is looked at once.
ONCE = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9A-Za-z_-]{22}\b|\d+")
PROMPTS = 24
NOT_HERE = {
    # Scores and prompts in a set's own files, of a study that was made from no set.
    "/studies/edits/export/labels.genai_bench",
    "/studies/edits/export/scores.geneval",
    "/studies/edits/export/scores.t2i_compbench",
    "/studies/edits/export/scores.official",
    "/studies/edits/export/prompts.official",
    # Nobody came through a crowd link.
    "/studies/edits/export/payments.prolific",
}
EMPTY_CLAIM = re.compile(r"\b(nan|undefined)\b|\bNone\b(?! are)|\(\s*\)|>\s*%")


@pytest.mark.nightly("some hundred pages; their parts have tests of their own")
def test_every_page_of_a_study_of_edits_is_there(client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = demo.build_edits(prompts=PROMPTS)
    reports.make_report(study=study)
    client.force_login(making.person(study, "alice", role=Membership.Role.OWNER).user)
    seen, todo, refused, claims = set(), ["/studies/edits/", "/studies/edits/audit/"], {}, {}
    while todo:
        address = todo.pop(0)
        kind = ONCE.sub("N", urlsplit(address).path)
        if kind in seen:
            continue
        seen.add(kind)
        answer = client.get(address)
        if answer.status_code not in (200, 302):
            refused[urlsplit(address).path] = answer.status_code
            continue
        if answer.streaming:
            # To its end: what is read in part breaks off the transaction of this test.
            b"".join(answer.streaming_content)
            continue
        if "html" not in answer.headers.get("Content-Type", ""):
            continue
        page = answer.content.decode()
        words = re.sub(r"<(script|style|template).*?</\1>|<[^>]+>", " ", page, flags=re.S)
        if found := EMPTY_CLAIM.search(unescape(words)):
            claims[address] = words[max(0, found.start() - 60) : found.end() + 20]
        for link in LINK.findall(page):
            there = urljoin(address, unescape(link))
            if there.startswith("/studies/edits"):
                todo.append(there)
    assert refused.keys() <= NOT_HERE, refused
    assert claims == {}
    for page in ("summary", "judge", "slices", "disagreements", "generators", "label", "pairs"):
        assert any(f"/{page}" in kind or kind.endswith("/audit/") for kind in seen), (page, seen)
