"""An owner adds two languages by clicks; people are asked in theirs, and switch at the foot of the page."""

from __future__ import annotations

from playwright.sync_api import expect

from annotations.models import Annotation
from tests.browser.conftest import save_screenshot
from tests.browser.test_form_builder import PAGE, Clicks
from tests.browser.test_languages import NARROW, expect_no_overflow


def answer_all_yes(page):
    """By a key, as in English."""
    page.wait_for_function('document.activeElement?.closest(".question")')
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.keyboard.press("a")


def test_two_languages_by_clicks_and_an_answer_in_each(open_page, alice, bob, study):
    page = open_page(alice, PAGE)
    click = Clicks(page)
    click("Add German")
    expect(page.get_by_text("Translation by Jurybox").first).to_be_visible()
    click("Add Simplified Chinese")
    save_screenshot(page, "form-languages")
    click("Save as new version")
    expect(page.get_by_text("This study now asks geneval-audit v2.")).to_be_visible()
    page.set_viewport_size(NARROW)
    click("Edit German")
    expect_no_overflow(page)

    page = open_page(bob, "/studies/shapes/label/?lang=zh-hans", size=NARROW)
    expect(page.locator("legend").first).to_contain_text("图片与提示词是否一致？")
    expect(page.locator(".translated").first).to_have_text("译文")
    expect_no_overflow(page)
    save_screenshot(page, "form-in-chinese")
    answer_all_yes(page)
    page.locator(".labelling-foot [data-verb=undo]").wait_for()
    page.locator("footer.languages").get_by_role("button", name="Deutsch").click()
    expect(page.locator("legend").first).to_contain_text("Stimmt das Bild mit dem Prompt überein?")
    expect_no_overflow(page)
    answer_all_yes(page)
    expect(page.locator("#progress")).to_have_attribute("value", "2")
    own = Annotation.objects.filter(annotator=bob).order_by("pk")
    kept = own.values_list("language", "answers__value")
    assert list(kept) == [("zh-hans", 1.0)] * 2 + [("de", 1.0)] * 2
