"""The reading pages of the audit in Chinese and in German, on a narrow phone with everything unfolded."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from tests import making
from tests.audit.pages.test_dashboards import build_large
from tests.browser.conftest import DESKTOP, save_screenshot, settled, wait_for_pictures
from tests.browser.test_languages import NARROW, expect_no_overflow
from tests.languages.test_reading_pages import OF_ANSWERS, REPORT_PAGES, address_of

UNFOLD = "document.querySelectorAll('details').forEach(fold => { fold.open = true })"


@pytest.mark.nightly("their words: tests/languages/test_reading_pages.py")
@pytest.mark.parametrize("language", ["de", "zh-hans"])
def test_no_reading_page_is_wider_than_a_phone(open_page, transactional_db, language):
    study = build_large()
    alice = User.objects.get(username="alice").memberships.get()
    image = study.images.first()
    addresses = {
        **{name: address_of(name, study) for name in (*REPORT_PAGES, *OF_ANSWERS)},
        "evidence": reverse("evidence", args=[study.slug, image.public_id]),
    }
    page = open_page(alice, f"/?lang={language}", size=NARROW)
    for name in OF_ANSWERS:
        page.goto(addresses[name])
    making.compute_waiting_answers()
    for name, address in addresses.items():
        page.goto(address)
        settled(page)
        page.evaluate(UNFOLD)
        wait_for_pictures(page)
        expect_no_overflow(page)
        save_screenshot(page, f"reading-{language}-{name}-narrow")
        page.set_viewport_size(DESKTOP)
        save_screenshot(page, f"reading-{language}-{name}")
        page.set_viewport_size(NARROW)
