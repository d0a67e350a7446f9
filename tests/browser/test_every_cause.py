"""Each cause of a moved gap once, from the sides that somebody types to the bar that stands alone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Generator, StoredAnswer
from audit.words import why as words
from audit.words.numbers import cell
from tests import making
from tests.browser import planted_causes as causes
from tests.browser.conftest import DESKTOP, PHONE, show_second_half, wait_for_pictures
from tests.browser.test_look import take


def holds_0(estimate):
    low = estimate["value"] if estimate["low"] is None else estimate["low"]
    high = estimate["value"] if estimate["high"] is None else estimate["high"]
    return low <= 0 <= high


@pytest.mark.parametrize("cause", causes.CAUSES)
@pytest.mark.nightly("drawn worlds; test_why.py looks at the page")
def test_the_planted_cause_alone_is_beyond_chance(open_page, transactional_db, cause):
    study = causes.planted(cause)
    owner = making.person(study, "alice", role="owner")
    page = open_page(owner, reverse("why", args=[cause]), size=PHONE if cause == "mix" else DESKTOP)
    # No generator has a release date: the page asks for two sides.
    assert not Generator.objects.exclude(release_date=None).exists()
    expect(page.get_by_text("two sides that you name")).to_be_visible()
    if cause == "judge":
        # What is chosen leads to the judge's page, whose second half loads when it is seen.
        page.locator("#why-judge").select_option(causes.OLD)
        page.wait_for_url(f"**/audit/judge/?**judge={causes.OLD}**")
        show_second_half(page, "why")
        page.locator("#why-judge_now").select_option(causes.NEW)
        page.wait_for_url(f"**judge_now={causes.NEW}**")
        show_second_half(page, "why")
    page.get_by_label("from", exact=True).fill(causes.THEN)
    page.get_by_label("to", exact=True).fill(causes.NOW)
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/audit/judge/?**from=**")
    show_second_half(page, "why")
    page.locator("#fold-causes > summary").click()
    rows = page.get_by_role("region", name="What moved the gap").get_by_role("row")
    expect(rows.first).to_be_visible()
    body = StoredAnswer.objects.get(study=study).body
    assert body["together"] == []
    assert {part for part in body["parts"] if not holds_0(body["parts"][part])} == {cause}
    for part, estimate in body["parts"].items():
        shown = cell("net_deviation", estimate)
        assert shown.value in rows.filter(has_text=words.name(part)).first.inner_text()
    # What was typed and chosen stays.
    expect(page.get_by_label("from", exact=True)).to_have_value(causes.THEN)
    if cause == "judge":
        expect(page.locator("#why-judge_now")).to_have_value(causes.NEW)
    wait_for_pictures(page)
    page.locator("#fold-alarms > summary").click()
    expect(page.get_by_role("heading", name="Alarms")).to_be_visible()
    told = page.locator("#why > .sentences:not([aria-label])")
    expect(told).to_contain_text(f"come from {words.NAMES[cause]}")
    take(page, f"why-{cause}")
