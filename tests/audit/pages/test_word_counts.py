"""How many words a page shows before anything on it is opened."""

import re
from html.parser import HTMLParser

import pytest
from django.urls import reverse

from audit.reports import make as reports
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.large_study import large_study

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}
MOST = {"summary": 150, "judge": 350, "leaderboard": 200, "agreement": 250}
VOID = {"img", "input", "br", "source", "meta", "link", "path", "circle", "wbr"}
UNREAD = {"script", "select", "svg", "head", "header", "footer", "nav", "skip", "visually-hidden"}


class Words(HTMLParser):
    """Those of the page itself, but not of menus and marks, of what is folded, or what screen readers alone read."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.words = [("", True)], 0

    def handle_starttag(self, tag, attributes):
        facts, (parent, shown) = dict(attributes), self.open[-1]
        shown = tag == "summary" if parent == "folded" else shown
        if {tag, *(facts.get("class") or "").split()} & UNREAD:
            shown = False
        if tag == "details" and "open" not in facts and shown:
            tag = "folded"
        if tag not in VOID:
            self.open.append((tag, shown))

    def handle_endtag(self, tag):
        if tag not in VOID:
            self.open.pop()

    def handle_data(self, text):
        parent, shown = self.open[-1]
        if shown and parent != "folded":
            self.words += len([word for word in text.split() if re.search(r"\w", word)])


def two_judges():
    study = making.study("judged", prompts=40)
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    return study


@pytest.mark.parametrize(
    "build", [two_judges, lambda: large_study(prompts=40, generators=4, tags=6)]
)
def test_a_page_is_read_in_a_minute(client, build):
    study = build()
    reports.make_report(study=study)
    client.force_login(making.person(study, "alice", role="owner").user)
    counted = {}
    for name in (*MOST, "why"):
        address = reverse(name, args=[study.slug])
        more = HTMX if name == "why" else {}
        client.get(address, **more)
        making.compute_waiting_answers()
        page = Words()
        page.feed(client.get(address, **more).text)
        counted[name] = page.words
    counted["judge"] += counted.pop("why")
    assert {name: n for name, n in counted.items() if n > MOST[name]} == {}, counted
