"""Each CSV link gives the table it stands at: its header and its first row are those of the page."""

import csv
import io
import re
from datetime import timedelta
from html import unescape

import pytest
from django.db.models import F
from django.urls import reverse

from annotations.models import Annotation
from audit.reports import make as reports
from tests import making
from tests.audit.pages.test_dashboards import judge_all

pytestmark = pytest.mark.django_db
LINK = re.compile(r'<a href="([^"]*)" download>CSV<span class="visually-hidden"> of (.*?)</span>')


@pytest.fixture
def large(alice):
    study = making.study("large", prompts=40)
    making.person(study, "alice", role="owner")
    judge_all(study)
    judge_all(study, name="other-judge", verdicts=False)
    # Given at a known time, as an import without times is not.
    Annotation.objects.update(submitted_at=F("created_at") - timedelta(days=1))
    reports.make_report(study=study)
    return study


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def table_after(page: str, title: str) -> tuple[list[str], str, str]:
    """The heads of the table below a heading, the first cell of its first row, and its next one."""
    part = page.split(f">{title}</h2>")[-1].split("<table")[1].split("</table>")[0]
    heads = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", part.split("</thead>")[0], re.S)
    row = part.split("<tbody>")[1].split("</tr>")[0]
    label = re.search(r'<th scope="row[a-z]*">(.*?)</th>', row, re.S)[1]
    cell = re.search(r"<td[^>]*>(.*?)</td>|$", row, re.S)[1] or ""
    label = re.sub(r'<span class="since">.*?</span>', "", label, flags=re.S)
    return [plain(head).rstrip(" ↑↓") for head in heads], plain(label), plain(cell)


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("side-by-side", 5),  # all statistics, differences, and three of uses
        ("slices", 3),  # side by side, and each of the two judges
        ("judge", 5),  # the chart, all images, by generator, since its release, its curve
        ("leaderboard", 4),
        ("why", 3),  # causes, both sides, alarms
        ("assisted", 1),
        ("agreement", 5),
    ],
)
def test_a_csv_link_gives_the_table_it_stands_at(as_alice, large, name, links):
    page = as_alice.get(reverse(name, args=["large"])).content.decode()
    found = [(unescape(url), unescape(title)) for url, title in LINK.findall(page)]
    assert len(found) == links, found
    assert len({url for url, _ in found}) == links
    for url, title in found:
        if name == "judge" and "table=" not in url:
            continue  # the numbers of the chart
        answer = as_alice.get(url)
        assert answer.status_code == 200
        rows = list(csv.reader(io.StringIO(answer.content.decode())))
        heads, label, cell = table_after(unescape(page), title)
        assert rows[0][: len(heads)] == heads
        if name != "agreement":  # where files have pseudonyms
            assert rows[1][0] == label
        shown = re.match(r"[-−+]?[\d.]+", cell)
        if shown:
            digits = shown[0].replace("−", "-").lstrip("+")
            places = len(digits.partition(".")[2])
            assert f"{float(rows[1][1]):.{places}f}" == digits


def test_a_table_that_is_not_on_the_page_is_not_found(as_alice, large):
    where = reverse("table", args=["large", "slices"])
    assert as_alice.get(f"{where}?table=nothing").status_code == 404
    assert as_alice.get(where).status_code == 200
