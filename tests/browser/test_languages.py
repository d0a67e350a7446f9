"""From the log-in to the first answer in Chinese and in German, on a narrow phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Study
from audit.reports import make as reports
from tests import making
from tests.browser.conftest import DESKTOP, PHONE, save_screenshot
from tests.browser.test_labelling import PASSWORD
from tests.browser.test_new_study import file, zipped
from tests.browser.test_whole_way import PICTURES, TABLE

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


OWN = {
    "de": {
        "new": "Neue Studie",
        "becomes": "✓ Daraus werden 6 Bilder",
        "imported": "6 Bilder, 2 Generatoren",
        "label": "Bilder labeln",
        "judge": "Judge",
    },
    "zh-hans": {
        "new": "新建研究",
        "becomes": "✓ 将成为 6 张图片",
        "imported": "6 张图片、2 个生成器",
        "label": "标注图片",
        "judge": "评判模型",
    },
}
SIZES = {"desk": DESKTOP, "phone": PHONE, "narrow": NARROW}


@pytest.mark.nightly("its pages one by one, in brackets: tests/languages")
@pytest.mark.parametrize("language", OWN)
def test_a_newcomers_walk_from_own_pictures_to_the_summary(open_page, alice, worker, language):
    words = OWN[language]
    page = open_page(alice, f"/?lang={language}", size=NARROW)

    def look(name: str) -> None:
        for size, viewport in SIZES.items():
            page.set_viewport_size(viewport)
            expect_no_overflow(page)
            save_screenshot(page, f"newcomer-{language}-{name}-{size}")
        page.set_viewport_size(NARROW)

    page.get_by_role("link", name=words["new"]).first.click()
    look("1-new")
    archive = zipped(**PICTURES, **{"images.csv": TABLE.encode() + b"none.png,a cat,SDXL\n"})
    page.locator("#file").set_input_files([file("march.zip", archive)])
    expect(page.get_by_text(words["becomes"])).to_be_visible()
    page.locator("#found details summary").first.click()
    look("2-checked")
    page.locator('button[value="make"]').click()
    expect(page.get_by_text(words["imported"])).to_be_visible()
    look("3-imported")
    page.get_by_role("link", name=words["label"]).click()
    page.locator('#labelling[data-picture="shown"]').wait_for()
    look("4-label")
    page.keyboard.press("1")
    study = Study.objects.get(slug="march")
    images = study.images.order_by("pk")
    making.labels(study, {image.key: {"ann": 1, "ben": image.pk % 2} for image in images})
    page.goto(reverse("study", args=["march"]))
    look("5-overview")
    page.goto(reverse("runs", args=["march"]))
    look("6-judges")
    making.scores(study, {image.key: number / 10 for number, image in enumerate(images)})
    reports.make_report(study=study)
    page.goto(reverse("summary", args=["march"]))
    expect(page.locator("main")).to_contain_text(words["judge"])
    look("7-summary")
