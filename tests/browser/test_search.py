"""Ctrl-K: before anything is typed, what this person opened last in this browser."""

from __future__ import annotations

from django.urls import reverse
from playwright.sync_api import expect


def test_what_was_opened_last_is_listed_until_words_are_typed(alice, open_page):
    page = open_page(alice, "/studies/shapes/")
    page.goto("/studies/shapes/data/")
    page.keyboard.press("Control+k")
    page.wait_for_url("**/search/**")
    recent = page.locator("[data-recent] li")
    expect(recent).to_have_count(2)
    addresses = [link.get_attribute("href") for link in recent.get_by_role("link").all()]
    assert addresses == ["/studies/shapes/data/", "/studies/shapes/"]
    with page.expect_response(lambda answer: "q=auroc" in answer.url):
        page.get_by_role("searchbox").fill("auroc")
    expect(page.locator("[data-recent]")).to_have_count(0)
    with page.expect_response(lambda answer: "q=" in answer.url):
        page.get_by_role("searchbox").fill("")
    expect(recent).to_have_count(2)


def test_it_is_forgotten_at_the_page_where_the_next_person_logs_in(alice, open_page):
    page = open_page(alice, "/studies/shapes/")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(f"**{reverse('login')}**")
    assert page.evaluate("localStorage.getItem('jurybox.recent')") is None
