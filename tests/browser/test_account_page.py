"""The account page and the log-in: tokens, the second factor, by keyboard, on a desk and on a phone."""

from __future__ import annotations

import base64
import re

import pytest
from playwright.sync_api import expect

from audit.accounts import one_time_codes
from tests import making
from tests.browser.test_look import SIZES, take

PASSWORD = "a-long-and-quiet-river"


@pytest.fixture
def owner(alice):
    alice.user.set_password(PASSWORD)
    alice.user.is_superuser = True
    alice.user.save()
    making.token(alice.user)
    return alice


def code(letters: str) -> str:
    step = next(one_time_codes.steps_around())
    return one_time_codes.code_at(base64.b32decode(letters), step)


@pytest.mark.nightly("tests/audit/accounts has each step")
@pytest.mark.parametrize("size", SIZES)
def test_tokens_and_the_second_factor(open_page, owner, size):
    page = open_page(owner, "/account/", size=SIZES[size])
    take(page, f"account-{size}")
    page.get_by_label("What it is for").fill("notebook")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Token", exact=True)).to_have_value(re.compile("^jb_.{40}"))
    take(page, f"account-token-{size}")
    page.get_by_label("Your password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("svg.qr")).to_be_visible()
    take(page, f"account-qr-{size}")
    letters = page.get_by_label("Without a camera").input_value()
    page.get_by_label("6-digit code").fill(code(letters))
    page.keyboard.press("Enter")
    expect(page.get_by_text("The second factor is on.")).to_be_visible()
    recovery = page.locator(".recovery code").first.inner_text()
    take(page, f"account-recovery-{size}")

    other = open_page(None, "/login/", size=SIZES[size])
    other.get_by_label("Username").fill("alice")
    other.get_by_label("Password").fill(PASSWORD)
    other.keyboard.press("Enter")
    expect(other.get_by_label("Code")).to_be_focused()
    take(other, f"log-in-code-{size}")
    other.keyboard.type(recovery)
    other.keyboard.press("Enter")
    expect(other.get_by_role("heading", name="Your studies")).to_be_visible()
    other.goto("/events/")
    expect(other.get_by_text("used a recovery code; 9 are left")).to_be_visible()
    take(other, f"installation-events-{size}")
