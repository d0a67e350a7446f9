"""From an empty page of runs to a judge that asks a model server, by clicks alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_look import SIZES, take
from tests.judging.engines.openai_stand_in import spoken, standing_in, told


def sees_red(asked, before):
    return told(("Yes", 0.9), ("No", 0.1)) if asked.body.get("logprobs") else spoken("Yes.")


@pytest.mark.nightly("tests/judges/model_servers has each step")
@pytest.mark.parametrize("size", SIZES)
def test_a_model_server_is_added_tried_and_asked(open_page, alice, study, settings, size):
    settings.JUDGE_SERVERS = ["loopback"]
    alice.user.is_superuser = True
    alice.user.save()
    page = open_page(alice, f"/studies/{study.slug}/runs/", size=SIZES[size])
    take(page, f"first-judge-ways-{size}")
    page.get_by_role("link", name="Ask a model server").click()
    take(page, f"servers-empty-{size}")
    with standing_in(sees_red) as there:
        page.get_by_label("Address").fill(there.url)
        page.get_by_label("Model", exact=True).fill("seer")
        page.get_by_label("Key").fill("sk-never-to-be-seen")
        page.get_by_text("Prices and budget").click()
        page.get_by_label("Price of a million tokens in").fill("0.4")
        page.get_by_label("Price of a million tokens out").fill("1.6")
        page.get_by_role("button", name="Add and try").click()
        expect(page.get_by_text("Ready", exact=True)).to_be_visible()
        take(page, f"servers-{size}")
        row = page.get_by_role("listitem").filter(has_text="VQAScore (a server's model)")
        row.get_by_role("button", name="Start").click()
        expect(page.locator("h3", has_text="VQAScore (a server's model)").first).to_be_visible()
