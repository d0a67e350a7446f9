"""The page Why: its numbers are those of `manage.py why --json`, at desk and on a phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import AnchorSet, StoredAnswer
from audit.words import why as words
from audit.words.numbers import cell
from judges.anchors import jobs
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.browser.conftest import DESKTOP, PHONE, show_second_half, wait_for_pictures
from tests.browser.test_look import take
from tests.judges.anchors.test_score import judged
from tests.judges.self_checks.bench import bench


@pytest.fixture
def study(transactional_db):
    made = making.study(prompts=40, files=False)
    judge_all(made)
    judge_all(made, name="other-judge", verdicts=False)
    return made


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_every_cause_is_the_commands(open_page, alice, study, size, scheme):
    page = open_page(alice, reverse("why", args=["shapes"]), size=size, scheme=scheme)
    expect(page.get_by_role("heading", name="Why the gap changed", level=1)).to_be_visible()
    wait_for_pictures(page)
    body = StoredAnswer.objects.get().body
    page.locator("#fold-causes > summary").click()
    rows = page.get_by_role("region", name="What moved the gap").get_by_role("row")
    for part, estimate in body["parts"].items():
        shown = cell("net_deviation", estimate)
        row = rows.filter(has_text=words.name(part)).first
        assert shown.value in row.inner_text()
    take(page, f"why-{size['width']}-{scheme}")


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_anchors_are_frozen_and_their_certificate_is_read(
    open_page, transactional_db, size, scheme
):
    study = bench(40)
    owner = making.person(study, "alice", role="owner")
    run = judged(study)
    page = open_page(owner, reverse("why", args=["bench"]), size=size, scheme=scheme)
    page.locator("#fold-anchors > summary").click()
    page.get_by_label("images").fill("30")
    page.get_by_role("button", name="Create anchor set").click()
    # The way back is to the judge, whose second half loads when it is seen.
    show_second_half(page, "why")
    expect(page.get_by_text("30 of 40 images were frozen on")).to_be_visible()
    jobs.score_here(run=run, anchors=AnchorSet.objects.get())
    page.reload()
    show_second_half(page, "why")
    expect(page.get_by_text("30 of 30 anchors gave the same score on")).to_be_visible()
    expect(page.get_by_role("button", name="Score the anchors again")).to_be_visible()
    page.locator("#fold-anchors").scroll_into_view_if_needed()
    take(page, f"why-anchors-{size['width']}-{scheme}")
