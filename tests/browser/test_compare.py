"""Pairs by keyboard alone, on a phone, and without a connection."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotations.labelling.assign import lease_length
from annotations.models import Pair, PairAssignment, PairPlan, PairVote
from annotations.pairs import draws
from tests.browser.conftest import PHONE, eventually
from tests.browser.test_look import take


@pytest.fixture
def page_of_pairs(study):
    draws.draw(study=study, per_prompt=1)
    return f"/studies/{study.slug}/compare/"


def pair_on(page) -> str:
    return page.locator("#workplace").get_attribute("data-pair")


def expect_another(page, before: str) -> None:
    page.wait_for_function(
        """before => document.getElementById('workplace').dataset.pair !== before &&
            document.getElementById('labelling').dataset.picture === 'shown'""",
        arg=before,
    )


def expect_whole(page) -> None:
    """No picture is larger than its frame, which would cut it."""
    cut = """all => all.map(one => {
        const [image, frame] = [one, one.parentElement].map(item => item.getBoundingClientRect());
        return image.height - frame.height + image.width - frame.width;
    })"""
    assert page.locator(".frame img").evaluate_all(cut) == [0, 0]


def test_pairs_are_compared_by_keys_alone(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs)
    take(page, "compare")
    expect_whole(page)
    first = pair_on(page)
    page.keyboard.press("ArrowLeft")
    expect_another(page, first)
    vote = PairVote.objects.get()
    assert vote.value == vote.left
    assert vote.seconds > 0
    second = pair_on(page)
    page.keyboard.press("ArrowDown")
    expect_another(page, second)
    page.keyboard.press("u")
    page.wait_for_function(
        "second => document.getElementById('workplace').dataset.pair === second", arg=second
    )
    assert PairVote.objects.filter(current=True).count() == 1


def test_zoom_moves_both_images(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs)
    page.keyboard.press("z")
    page.locator(".frame").first.hover(position={"x": 20, "y": 20})
    origins = page.locator(".frame img").evaluate_all(
        "all => all.map(one => getComputedStyle(one).transformOrigin)"
    )
    assert len(set(origins)) == 1
    assert page.locator("#sides.zoomed").count() == 1


def test_a_second_question_is_answered_by_the_next_key(open_page, bob, page_of_pairs):
    PairPlan.objects.update(asks_quality=True)
    page = open_page(bob, page_of_pairs)
    first = pair_on(page)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("c")
    expect_another(page, first)
    said = dict(PairVote.objects.values_list("question", "value"))
    assert said == {"match": "neither", "quality": "cannot_tell"}


def test_on_a_phone_the_images_stand_one_above_the_other(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs, size=PHONE, has_touch=True)
    take(page, "compare-phone")
    expect_whole(page)
    boxes = [page.locator(".side").nth(number).bounding_box() for number in (0, 1)]
    assert boxes[0]["x"] == boxes[1]["x"]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    first = pair_on(page)
    page.get_by_text("Right", exact=True).last.tap()
    expect_another(page, first)
    assert PairVote.objects.get().value != PairVote.objects.get().left


def swipe(page, across: int, down: int) -> None:
    """One finger, from the middle of the upper image."""
    box = page.locator(".frame").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    at = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    touch.send("Input.dispatchTouchEvent", at)
    for step in range(1, 6):
        point = {"x": x + across * step / 5, "y": y + down * step / 5}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_swipe_to_the_side_is_a_vote_and_one_up_or_down_is_none(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs, size=PHONE, has_touch=True, is_mobile=True)
    first = pair_on(page)
    swipe(page, 10, -120)
    swipe(page, 40, 0)
    swipe(page, -120, 10)
    expect_another(page, first)
    vote = PairVote.objects.get()
    assert vote.value == vote.left
    second = pair_on(page)
    swipe(page, 120, 0)
    expect_another(page, second)
    vote = PairVote.objects.latest("pk")
    assert {vote.value, vote.left} == {"first", "second"}


def test_a_page_that_is_left_gives_its_pair_back(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs)
    # Longer ago than a reload would be.
    earlier = timezone.now() + lease_length(bob.study) - timedelta(minutes=1)
    PairAssignment.objects.update(leased_until=earlier)
    page.goto("/")
    eventually(page, lambda: not PairAssignment.objects.filter(state="leased").exists())
    assert Pair.objects.filter(taken__gt=0).count() == 0


def test_an_open_page_keeps_its_pair(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs)
    earlier = timezone.now() + timedelta(minutes=1)
    PairAssignment.objects.update(leased_until=earlier)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    eventually(page, lambda: PairAssignment.objects.get().leased_until > earlier)


def test_a_vote_without_a_connection_waits_and_is_sent(open_page, bob, page_of_pairs):
    page = open_page(bob, page_of_pairs)
    open_page.expected("ERR_INTERNET_DISCONNECTED")
    first = pair_on(page)
    page.context.set_offline(True)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#waiting")).to_contain_text("1 answer waits here")
    assert not PairVote.objects.exists()
    page.context.set_offline(False)
    eventually(page, lambda: PairVote.objects.count() == 1)
    expect_another(page, first)
