"""Every page that the navigation names, at both sizes and in both themes. A page that is added to
`audit/navigation.py` is looked at here without another line."""

from __future__ import annotations

import pytest
from django.urls import NoReverseMatch, reverse
from playwright.sync_api import Page, expect

from annotations.models import Study
from audit import navigation
from audit.reports import make as reports
from judges.runs import lifecycle, score_chunk
from tests import making
from tests.browser.conftest import PHONE, make_study, save_screenshot
from tests.browser.test_look import SIZES, take

MOST_TABS = 40


@pytest.fixture
def study(saved):
    """With a judge and a report."""
    return saved(build_study)


def build_study() -> Study:
    made = make_study()
    score_chunk.work_off(run=lifecycle.start_run(study=made, name="geneval-builtin"))
    reports.make_report(study=made)
    return made


def there(name: str) -> bool:
    try:
        reverse(name, args=["shapes"])
    except NoReverseMatch:
        return False
    return True


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("section", navigation.SECTIONS, ids=lambda section: str(section.title))
def test_every_page_of_a_section(open_page, alice, study, section, size):
    page = open_page(alice, "/studies/shapes/", size=SIZES[size])
    for one in [page for tab in section.pages for page in (tab, *tab.below)]:
        if not there(one.name):
            continue
        page.goto(reverse(one.name, args=["shapes"]))
        if not one.bare:
            expect(page.get_by_role("heading", level=1)).to_have_text(str(one.title))
        assert page.locator(".top").bounding_box()["height"] <= 64
        if size == "phone":
            page.locator(".menu > summary").click()
        sections = page.get_by_role("navigation", name="Study").get_by_role("link")
        for link in sections.all():
            expect(link).to_be_in_viewport(ratio=0.9)
        take(page, f"nav-{one.name}-{size}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.nightly("tests/audit/pages opens each page of an empty study")
def test_every_page_of_an_empty_study(open_page, size):
    empty = make_study(slug="empty", title="Nothing yet", images=False)
    dan = making.person(empty, "dan", role="owner")
    page = open_page(dan, "/studies/empty/", size=SIZES[size])
    take(page, f"nav-empty-study-{size}")
    for name in navigation.PAGES:
        if there(name):
            page.goto(reverse(name, args=["empty"]))
            take(page, f"nav-empty-{name}-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_the_tour(open_page, alice, study, size):
    page = open_page(alice, "/", size=SIZES[size])
    save_screenshot(page, f"tour-home-{size}")
    page.goto("/studies/shapes/")
    take(page, f"nav-study-{size}")
    page.goto("/")
    page.get_by_role("link", name="Read the two-minute tour").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The tour")
    take(page, f"tour-{size}")


def test_the_tour_is_closed_by_keyboard_and_stays_closed(open_page):
    empty = make_study(slug="empty", title="Nothing yet", images=False)
    page = open_page(making.person(empty, "dan", role="owner"), "/studies/empty/")
    take(page, "tour-on-an-empty-study")
    page.get_by_role("button", name="Close the tour for good").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What Jurybox does")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="What Jurybox does")).to_have_count(0)


def press_tab_until(page: Page, name: str, *, within: str) -> None:
    """As somebody does who has no mouse: from the top of the page to the link, seeing where one is."""
    link = page.get_by_role("navigation", name=within).get_by_role("link", name=name, exact=True)
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches(':focus-visible')")
        if link.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"{name} is not reached with {MOST_TABS} presses of Tab")


def test_by_keyboard_alone_one_walks_through_the_tabs(open_page, alice, study):
    audit = next(section for section in navigation.SECTIONS if section.title == "Audit")
    assert len(audit.pages) == 6
    page = open_page(alice, "/studies/shapes/")
    press_tab_until(page, "Audit", within="Study")
    page.keyboard.press("Enter")
    for tab in audit.pages:
        page.wait_for_load_state("load")
        expect(page.get_by_role("heading", level=1)).to_have_text(str(audit.pages[0].title))
        if tab is not audit.pages[0]:
            press_tab_until(page, str(tab.title), within="Audit")
            page.keyboard.press("Enter")
            page.wait_for_url(f"**{reverse(tab.name, args=['shapes'])}*")
            page.wait_for_load_state("load")
        expect(page.get_by_role("heading", level=1)).to_have_text(str(tab.title))
        # Past the navigation: the first thing that one can use in the page itself.
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null"), tab.title
        page.goto(reverse(audit.pages[0].name, args=["shapes"]))


def test_by_keyboard_one_goes_from_the_sections_to_their_pages(open_page, alice, study):
    page = open_page(alice, "/studies/shapes/people/", size=PHONE)
    sections = page.get_by_role("navigation", name="Study").get_by_role("link")
    menu = page.locator(".menu > summary")
    expect(sections.get_by_text("Settings")).to_be_hidden()
    menu.focus()
    page.keyboard.press("Enter")
    sections.get_by_text("Settings").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/manage/")
    menu.focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Skip to the content").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    pages = page.get_by_role("navigation", name="Settings").get_by_role("link")
    expect(pages.first).to_have_attribute("aria-current", "page")
    pages.first.focus()
    page.keyboard.press("Tab")
    expect(pages.nth(1)).to_be_focused()
