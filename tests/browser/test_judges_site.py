"""The site of cards opened from disk, and a judge tested on a published set: desk and phone, light and dark."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from annotations.models import Membership
from annotations.storage.written_files import write_folder
from audit.cards.site.build import build_site
from audit.cards.site.read import read_cards
from tests import making
from tests.audit.cards.site.making import write_card
from tests.audit.test_judge.test_place import mmrb2, table
from tests.browser.conftest import save_screenshot
from tests.browser.test_look import SCHEMES, SIZES, check_width, violations


@pytest.fixture
def site(tmp_path):
    files = [write_card(tmp_path, "a.json"), write_card(tmp_path, "b.json", judge="Another")]
    folder = tmp_path / "site"
    write_folder(folder, build_site(read_cards(files)))
    return folder


@pytest.mark.nightly("every page in both themes; its links and tags are quick tests of the site")
@pytest.mark.parametrize("size", SIZES)
def test_the_site_opens_from_disk_and_asks_for_nothing_outside(chromium, site, size):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 3
    for scheme in SCHEMES:
        context = chromium.new_context(viewport=SIZES[size], color_scheme=scheme)
        page = context.new_page()
        requests: list[str] = []
        page.on("request", lambda request, seen=requests: seen.append(request.url))
        for file in pages:
            page.goto(file.as_uri())
            save_screenshot(page, f"site-{file.stem}-{size}-{scheme}")
            check_width(page, file.name)
            assert violations(page) == [], f"{file.name}, {scheme}"
        context.close()
        outside = [one for one in requests if not one.startswith(f"{site.as_uri()}/")]
        assert requests and outside == []


@pytest.mark.nightly("the way of a person through what tests/audit/test_judge sends")
@pytest.mark.parametrize("size", SIZES)
def test_a_judge_gets_its_place_on_the_page(open_page, tmp_path, size):
    owner: Membership = making.person(making.study(), "alice", role="owner")
    known = mmrb2(tmp_path)
    votes = table(tmp_path, [f"p{n},a,b" for n in range(40)])
    for scheme in SCHEMES:
        page = open_page(owner, size=SIZES[size], scheme=scheme)
        page.get_by_role("link", name="Test a judge").click()
        page.get_by_label("The set’s own file").set_input_files(known)
        page.get_by_label("The judge’s scores or votes").set_input_files(votes)
        page.get_by_role("button", name="Compare").click()
        page.get_by_role("rowheader", name="This judge").wait_for()
        assert urlsplit(page.url).path == "/test-judge/"
        save_screenshot(page, f"test-judge-{size}-{scheme}")
        check_width(page, "test-judge")
        assert violations(page) == []
