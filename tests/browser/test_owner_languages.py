"""The pages of owners and of judges in German, whose words are long, and in Chinese, on the narrowest phone; and
links with a language."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Image
from annotations.studies import invitations, known_answers, practice
from audit.reports import make as reports
from tests.audit.pages.test_dashboards import judge_all
from tests.browser.conftest import save_screenshot
from tests.browser.test_languages import NARROW, expect_no_overflow
from tests.languages.test_judge_pages import addresses_of, build_judged
from tests.languages.test_owner_pages import PAGES

WORDLESS = re.compile(r"\W+")


@pytest.fixture
def lived_in(study, alice):
    judge_all(study)
    for image in Image.objects.filter(study=study).order_by("key")[:2]:
        known_answers.make(image=image, answers={"aligned": "1"}, explanation="")
    practice.set_practice(study=study, images=2, pass_mark=80, tries=1)
    invitations.invite(study=study, by=alice.user, role="annotator", uses=3, days=7)
    reports.make_report(study=study)
    return study


@pytest.mark.nightly("the pages themselves, in brackets: tests/languages")
@pytest.mark.parametrize("language", ["de", "zh-hans"])
def test_no_page_of_owners_is_wider_than_a_narrow_phone(open_page, lived_in, alice, language):
    image = lived_in.images.order_by("key").first().public_id
    addresses = [reverse(name, args=[lived_in.slug]) for name in PAGES]
    addresses += [
        reverse(name, args=[lived_in.slug, image])
        for name in ("data-image", "disagreement", "known-answer-edit")
    ]
    addresses += [reverse(name) for name in ("search", "test-judge", "account")]
    page = open_page(alice, f"/?lang={language}", size=NARROW)
    expect_all_to_fit(page, addresses, f"owner-{language}")


@pytest.mark.nightly("the pages themselves, in brackets: tests/languages")
@pytest.mark.parametrize("language", ["de", "zh-hans"])
def test_no_page_of_judges_is_wider_than_a_narrow_phone(open_page, study, alice, language):
    judged = build_judged(alice.user)
    page = open_page(alice, f"/?lang={language}", size=NARROW)
    options = reverse("run-options", args=[judged.slug, "clip-score-transformers"])
    expect_all_to_fit(page, [*addresses_of(judged).values(), options], f"judge-{language}")


def expect_all_to_fit(page, addresses, name) -> None:
    too_wide = []
    for address in addresses:
        page.goto(address)
        for closed in page.locator("main details:not([open]) > summary").all():
            if closed.is_visible():
                closed.click()
        try:
            expect_no_overflow(page)
        except AssertionError as error:
            too_wide.append(str(error))
        save_screenshot(page, f"{name}-{WORDLESS.sub('-', address).strip('-')}")
    assert too_wide == []


def test_an_invite_link_takes_a_language(open_page, study, alice):
    invitations.invite(study=study, by=alice.user, role="annotator")
    page = open_page(alice, reverse("people", args=[study.slug]))
    link = page.get_by_label("Link", exact=True)
    plain = link.input_value()
    page.get_by_label("Its pages in").select_option("zh-hans")
    expect(link).to_have_value(f"{plain}?lang=zh-hans")
    page.get_by_label("Its pages in").select_option("")
    expect(link).to_have_value(plain)
