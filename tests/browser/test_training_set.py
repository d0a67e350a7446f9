"""Choosing images to train on, and handing the borderline ones to people."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests import making
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_look import take


@pytest.fixture
def study(transactional_db):
    made = making.study(prompts=60)
    making.scores(made, {f"{name}-{n}": n / 60 for name in ("early", "late") for n in range(60)})
    return made


@pytest.mark.nightly("tests/audit/training has each step")
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_set_is_chosen_looked_at_and_its_borderline_images_go_to_people(open_page, alice, size):
    page = open_page(alice, reverse("training", args=["shapes"]), size=size)
    page.get_by_label("rule").select_option("paper")
    page.get_by_label("category").select_option("color")
    page.get_by_role("button", name="Choose and freeze").click()
    # Above .92 of 0/60 to 59/60: 56 to 59, by two generators.
    expect(page.get_by_text("8 of 120 images are taken, of 4 prompts")).to_be_visible()
    expect(page.get_by_role("heading", name="Borderline")).to_be_visible()
    take(page, f"training-{size['width']}")
    page.get_by_role("button", name="Have people confirm 30 borderline images").click()
    expect(page.get_by_text("those next to the threshold, and others by chance")).to_be_visible()
