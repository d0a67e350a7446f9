"""A picture that does not come, a connection that is gone, a second tab: no answer is lost or wrong."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Annotation, Assignment, Flag
from tests.browser.conftest import eventually
from tests.browser.test_labelling import LABEL, answers_of, expect_next_after, image_on
from tests.browser.test_look import take

PICTURE = "**/images/*/**"


def shown(page) -> None:
    page.wait_for_function("() => document.getElementById('labelling').dataset.picture === 'shown'")


def reserve_of(page, count: int) -> None:
    page.wait_for_function(
        """n => window.jurybox.reserve.count() >= n &&
            document.getElementById('labelling').dataset.picture === 'shown'""",
        arg=count,
    )


def forget_pictures(page) -> None:
    """The browser keeps no picture of its own accord, only what the page still holds."""
    browser = page.context.new_cdp_session(page)
    browser.send("Network.clearBrowserCache")
    browser.send("HeapProfiler.collectGarbage")


def waiting(page):
    return page.locator("#waiting")


@pytest.fixture
def slow_pictures(open_page, bob):
    """Bob's page, whose pictures wait until the test lets them go."""
    page = open_page(bob, "about:blank")
    held = []
    let_go = False

    def answer(route):
        if let_go:
            route.continue_()
        else:
            held.append(route)

    def go():
        nonlocal let_go
        let_go = True
        for route in held:
            route.continue_()

    page.route(PICTURE, answer)
    page.goto(LABEL, wait_until="domcontentloaded")
    return page, held, go


def test_a_slow_picture_is_waited_for_and_keys_do_nothing(slow_pictures, bob):
    page, held, go = slow_pictures
    eventually(page, lambda: held)
    page.keyboard.type("yn")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('labelling').dataset.picture === 'slow'")
    assert page.locator(".question input:checked").count() == 0
    first = image_on(page)
    go()
    shown(page)
    page.keyboard.type("yn")
    expect_next_after(page, first)
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("missing", "does not have this picture (404)"),
        ("corrupt", "its file is damaged"),
        ("gone", "there is no connection"),
    ],
)
def test_a_picture_that_does_not_come_locks_the_answers_until_it_does(open_page, bob, kind, words):
    page = open_page(bob, "about:blank")

    def answer(route):
        if kind == "missing":
            route.fulfill(status=404)
        elif kind == "gone":
            route.abort()
        else:
            route.fulfill(body=b"no picture", content_type="image/png")

    page.route(PICTURE, answer)
    page.goto(LABEL, wait_until="domcontentloaded")
    panel = page.get_by_role("alert").filter(has_text=words)
    expect(panel).to_be_visible()
    page.keyboard.type("yn")
    page.keyboard.press("Enter")
    assert page.locator(".question input:checked").count() == 0
    if kind == "missing":
        take(page, "label-trouble-desk")
    page.unroute(PICTURE)
    page.keyboard.press("r")
    shown(page)
    expect(panel).to_have_count(0)
    first = image_on(page)
    page.keyboard.type("yn")
    expect_next_after(page, first)
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}]
    open_page.expected("Failed to load resource")


def test_half_a_picture_on_the_disk_is_not_judged(open_page, bob, media):
    files = [path for path in media.rglob("images/**/*.png")]
    whole = {path: path.read_bytes() for path in files}
    for path, content in whole.items():
        path.write_bytes(content[: len(content) // 2])
    page = open_page(bob, "about:blank")
    page.goto(LABEL, wait_until="domcontentloaded")
    panel = page.get_by_role("alert").filter(has_text="its file is damaged")
    expect(panel).to_be_visible()
    page.keyboard.type("yn")
    page.keyboard.press("Enter")
    assert page.locator(".question input:checked").count() == 0
    for path, content in whole.items():
        path.write_bytes(content)
    page.keyboard.press("r")
    shown(page)
    expect(panel).to_have_count(0)
    assert answers_of(bob) == []
    open_page.expected("Failed to load resource")


def test_a_broken_picture_is_flagged_and_skipped(open_page, bob):
    page = open_page(bob, "about:blank")
    page.route(PICTURE, lambda route: route.fulfill(status=404))
    page.goto(LABEL, wait_until="domcontentloaded")
    panel = page.get_by_role("alert").filter(has_text="does not have this picture")
    first = image_on(page)
    panel.get_by_role("button", name="Flag").click()
    page.get_by_role("dialog").get_by_role("button", name="Flag").click()
    eventually(page, lambda: Flag.objects.filter(image__public_id=first).exists())
    page.unroute(PICTURE)
    panel.get_by_role("button", name="Skip").click()
    expect_next_after(page, first)
    shown(page)
    expect(panel).to_have_count(0)
    assert Assignment.objects.get(annotator=bob, image__public_id=first).state == "skipped"
    assert answers_of(bob) == []
    open_page.expected("Failed to load resource")


def test_thirty_answers_without_a_connection_are_stored_once_and_in_order(open_page, bob, settings):
    # Bob is alone, so that he may have half of what is left in reserve.
    settings.LABEL_RESERVE = 30
    page = open_page(bob, LABEL)
    seen, given = [], []
    while len(given) < 30:
        # 17 after the first of 36; of the 18 that are left then, 8; and so on.
        here = min(30 - len(given), 1 + (36 - len(given)) // 2)
        reserve_of(page, here - 1)
        page.context.set_offline(True)
        for number in range(here):
            image = image_on(page)
            seen.append(image)
            keys = "yn" if len(seen) % 3 else "ny"
            given.append({"aligned": int(keys[0] == "y"), "quality": int(keys[1] == "y")})
            page.keyboard.type(keys)
            words = f"{number + 1} answer{'s wait' if number else ' waits'} here"
            expect(waiting(page)).to_have_text(f"offline · {words}")
            if number < here - 1:
                expect_next_after(page, image)
        stored = len(given) - here
        assert Annotation.objects.filter(annotator=bob).count() == stored
        page.context.set_offline(False)
        # What has not left the page yet leaves it when it is opened again.
        page.reload()
        expect(waiting(page)).to_have_text("")
        eventually(page, lambda: len(answers_of(bob)) == len(given))
        page.reload()
    assert answers_of(bob) == given
    stored = Annotation.objects.filter(annotator=bob).order_by("pk")
    assert [one.image.public_id for one in stored] == seen
    assert len(set(seen)) == 30
    open_page.expected("ERR_INTERNET", "htmx:", "ERR_NETWORK", "ERR_ABORTED")


def test_an_answer_that_waits_is_taken_back_without_a_connection(open_page, bob):
    page = open_page(bob, LABEL)
    reserve_of(page, 3)
    first = image_on(page)
    page.context.set_offline(True)
    page.keyboard.type("yn")
    expect_next_after(page, first)
    second = image_on(page)
    page.keyboard.type("yn")
    expect_next_after(page, second)
    third = image_on(page)
    forget_pictures(page)
    page.keyboard.press("u")
    expect_next_after(page, third)
    assert image_on(page) == second
    expect(page.locator("#state")).to_have_text("taken back")
    expect(waiting(page)).to_have_text("offline · 1 answer waits here")
    page.keyboard.type("ny")
    expect_next_after(page, second)
    assert image_on(page) == third
    page.context.set_offline(False)
    expect(waiting(page)).to_have_text("")
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}, {"aligned": 0, "quality": 1}]
    assert not Annotation.objects.filter(revision__gt=1).exists()
    open_page.expected("ERR_INTERNET", "htmx:")


def test_what_is_skipped_without_a_connection_is_skipped_in_its_turn(open_page, bob):
    page = open_page(bob, LABEL)
    reserve_of(page, 3)
    first = image_on(page)
    page.context.set_offline(True)
    page.keyboard.press("s")
    expect_next_after(page, first)
    second = image_on(page)
    page.keyboard.type("yn")
    expect_next_after(page, second)
    page.context.set_offline(False)
    expect(waiting(page)).to_have_text("")
    assert Assignment.objects.get(annotator=bob, state="skipped").image.public_id == first
    assert Annotation.objects.get(annotator=bob).image.public_id == second
    open_page.expected("ERR_INTERNET", "htmx:")


def test_at_the_end_of_the_reserve_the_page_says_so_and_waits(open_page, bob, settings):
    settings.LABEL_RESERVE = 1
    page = open_page(bob, LABEL)
    reserve_of(page, 1)
    first = image_on(page)
    page.context.set_offline(True)
    page.keyboard.type("yn")
    expect_next_after(page, first)
    second = image_on(page)
    page.keyboard.type("ny")
    expect(page.locator("#state")).to_contain_text("No more images are here")
    page.keyboard.type("yn")
    assert image_on(page) == second
    page.context.set_offline(False)
    expect_next_after(page, second)
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}, {"aligned": 0, "quality": 1}]
    open_page.expected("ERR_INTERNET", "htmx:")


def test_a_second_tab_says_so_and_goes_on_instead_of_the_first(open_page, bob):
    first = open_page(bob, LABEL)
    shown(first)
    second = first.context.new_page()
    second.goto(LABEL)
    dialog = second.get_by_role("dialog", name="This study is open in another tab")
    expect(dialog).to_be_visible()
    second.keyboard.type("yn")
    take(second, "label-second-tab-desk")
    image = image_on(first)
    first.keyboard.type("ny")
    expect_next_after(first, image)
    dialog.get_by_role("button", name="Go on here").click()
    expect(first.get_by_role("dialog", name="This study is open in another tab")).to_be_visible()
    second.wait_for_function(
        "image => document.getElementById('workplace')?.dataset.image === image",
        arg=image_on(first),
    )
    shown(second)
    expect(dialog).to_be_hidden()
    first.keyboard.type("yn")
    image = image_on(second)
    second.keyboard.type("yy")
    expect_next_after(second, image)
    assert answers_of(bob) == [{"aligned": 0, "quality": 1}, {"aligned": 1, "quality": 1}]
    assert not Annotation.objects.filter(revision__gt=1).exists()
