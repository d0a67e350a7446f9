"""From the log-in to the first answer in Chinese and in German, on a narrow phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import save_screenshot
from tests.browser.test_labelling import PASSWORD

NARROW = {"width": 320, "height": 640}
WORDS = {
    "de": ("Benutzername", "Passwort", "Anmelden", "Mit dem Labeln beginnen", "gespeichert"),
    "zh-hans": ("用户名", "密码", "登录", "开始标注", "已保存"),
}


def expect_no_overflow(page) -> None:
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0, f"{page.url} is {wide} pixels too wide"


@pytest.mark.parametrize("language", WORDS)
def test_the_walk_to_the_first_answer(open_page, study, bob, language):
    bob.user.set_password(PASSWORD)
    bob.user.save()
    name, password, log_in, start, saved = WORDS[language]
    page = open_page(None, f"/login/?lang={language}", size=NARROW)
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect_no_overflow(page)
    save_screenshot(page, f"language-{language}-login")
    page.get_by_label(name).fill("bob")
    page.get_by_label(password).fill(PASSWORD)
    page.get_by_role("button", name=log_in).click()
    page.get_by_role("link", name=start).wait_for()
    expect_no_overflow(page)
    save_screenshot(page, f"language-{language}-home")
    page.get_by_role("link", name=start).click()
    page.locator('#labelling[data-picture="shown"]').wait_for()
    expect_no_overflow(page)
    save_screenshot(page, f"language-{language}-label")
    page.keyboard.press("a")
    page.locator(".labelling-foot [data-verb=undo]").wait_for()
    expect(page.locator("#state")).to_contain_text(saved)
    expect_no_overflow(page)
    page.keyboard.press("?")
    expect_no_overflow(page)
    save_screenshot(page, f"language-{language}-keys", full=False)
    page.keyboard.press("Escape")
    open_page.expected("404 (Not Found)")
    page.goto("/no/such/page/")
    expect_no_overflow(page)
    save_screenshot(page, f"language-{language}-missing")


def test_the_switch_is_reached_by_keyboard_and_needs_no_script(open_page, alice):
    page = open_page(alice, "/", java_script_enabled=False)
    page.get_by_role("button", name="Deutsch").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Ihre Studien")).to_be_visible()
