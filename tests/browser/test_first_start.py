"""The first visit of a fresh installation, and a forgotten password: on a desk and on a phone."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Study
from audit import demo
from audit.accounts import reset_links
from audit.installation import proxies
from tests import making
from tests.browser.test_look import SIZES, take

PASSWORD, NEW = "a-long-and-quiet-river", "an-even-longer-river"


@pytest.mark.parametrize("size", SIZES)
def test_from_nothing_to_an_account_and_the_demo(open_page, client, size, monkeypatch):
    client.get("/")  # the first request of a process imports all that pages need
    page = open_page(None, "/", size=SIZES[size])
    expect(page.get_by_role("heading", name="Create the first account")).to_be_visible()
    take(page, f"first-start-{size}")
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("E-mail address").fill("ada@lab.example")
    page.get_by_label("Password", exact=True).fill("12345678")
    page.get_by_label("Repeat password").fill("12345678")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("entirely numeric")
    expect(page.get_by_label("Name", exact=True)).to_have_value("ada")
    take(page, f"first-start-refused-{size}")
    open_page.expected("422")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No study yet")).to_be_visible()
    take(page, f"first-home-{size}")

    monkeypatch.setattr(demo, "PROMPTS", 1)
    monkeypatch.setattr(demo, "GENERATORS", 2)
    page.get_by_role("button", name="Open the demo").click()
    expect(page.get_by_text("A worker draws the pictures")).to_be_visible()
    take(page, f"first-demo-{size}")
    demo.finish(Study.objects.get(slug="demo").pk)
    # The page asks by itself whether the worker is done.
    expect(page.get_by_text("of 2 images labelled")).to_be_visible()
    expect(page.get_by_text("A worker draws the pictures")).to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_somebody_from_another_machine_is_asked_for_the_code(open_page, size, monkeypatch):
    monkeypatch.setattr(proxies, "_comes_from_here", lambda *given: False)
    page = open_page(None, "/", size=SIZES[size])
    expect(page.get_by_label("Code from the terminal or the log")).to_be_focused()
    take(page, f"first-start-code-{size}")


@pytest.mark.nightly("tests/audit/account_pages has each step")
@pytest.mark.parametrize("size", SIZES)
def test_a_forgotten_password(open_page, alice, bob, settings, size):
    page = open_page(None, "/login/", size=SIZES[size])
    take(page, f"log-in-{size}")
    page.get_by_role("link", name="Forgot your password?").click()
    expect(page.get_by_text("This installation sends no mail.")).to_be_visible()
    take(page, f"forgot-without-mail-{size}")
    settings.SENDS_MAIL = True
    page.reload()
    page.get_by_label("Your name here, or your e-mail address").fill("nobody")
    take(page, f"forgot-{size}")
    page.keyboard.press("Enter")
    expect(page.get_by_text("a link is on its way")).to_be_visible()
    take(page, f"forgot-asked-{size}")

    owner = open_page(alice, "/studies/shapes/people/", size=SIZES[size])
    owner.get_by_role("button", name="Password link for bob").click()
    take(owner, f"reset-link-{size}")
    owner.get_by_role("button", name="Copy the link").click()
    expect(owner.locator("[data-copied]")).not_to_be_empty()
    link = owner.get_by_label("Link").input_value()

    page.goto(link)
    page.get_by_label("New password", exact=True).fill(NEW)
    page.get_by_label("New password confirmation").fill(NEW)
    take(page, f"reset-{size}")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The new password is set. Log in with it.")).to_be_visible()
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(NEW)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your studies")).to_be_visible()
    page.goto(link)
    expect(page.get_by_text("This link does not work any more")).to_be_visible()
    take(page, f"reset-used-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_ones_own_answers_and_address(open_page, bob, size):
    for _ in range(3):
        making.label(bob)
    bob.user.set_password(PASSWORD)
    bob.user.save()
    page = open_page(bob, reverse("account"), size=SIZES[size])
    page.get_by_role("textbox", name="Address").fill("bob@lab.example")
    page.get_by_label("Your password, to change it").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The password is not right.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Address")).to_have_value("bob@lab.example")
    open_page.expected("422")
    take(page, f"account-own-{size}")
    page.get_by_label("Your password, to change it").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("The e-mail address is changed.")).to_be_visible()
    assert User.objects.get(pk=bob.user.pk).email == "bob@lab.example"
    assert reset_links.accounts_for("bob@lab.example") == [bob.user.pk]
