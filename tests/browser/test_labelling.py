"""The page where people live: keys, undo, and answers that survive whatever happens."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotations.forms.versions import publish_form
from annotations.models import Annotation, Assignment, Image
from jurybox_formats.forms.definition import YES_NO, Choice, Form, Question
from tests import making
from tests.browser.conftest import PHONE, eventually, make_study, save_screenshot

LABEL = "/studies/shapes/label/"
LIKERT = ("not at all", "badly", "partly", "well", "completely")
PASSWORD = "correct horse battery staple"


@pytest.fixture
def bob(bob):
    bob.user.set_password(PASSWORD)
    bob.user.save()
    return bob


def answers_of(person) -> list[dict[str, float]]:
    """Oldest first, as they stand in the database."""
    return [
        dict(annotation.answers.values_list("question", "value"))
        for annotation in Annotation.objects.filter(
            annotator=person, state=Annotation.State.COUNTED
        ).order_by("submitted_at")
    ]


def image_on(page) -> str:
    return page.locator("#workplace").get_attribute("data-image")


def expect_next_after(page, image: str) -> None:
    page.wait_for_function(
        """before => document.getElementById("workplace").dataset.image !== before &&
            document.getElementById("labelling").dataset.picture === "shown" """,
        arg=image,
    )


def test_a_person_logs_in_and_finds_their_study(open_page, bob):
    page = open_page(None, "/")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Your studies")).to_be_visible()
    page.get_by_role("link", name="Start labelling Shapes").click()
    expect(page.get_by_alt_text("The image to be judged")).to_be_visible()


def test_a_wrong_password_is_answered_in_words(open_page, bob):
    page = open_page(None, "/login/")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill("a guess")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert").filter(has_text="correct username")).to_be_visible()


def test_two_keys_answer_two_questions_and_bring_the_next_image(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.press("y")
    page.keyboard.press("n")
    expect_next_after(page, first)
    expect(page.get_by_role("status").first).to_have_text("saved · next is ready")
    expect(page.get_by_text("1 of 36")).to_be_visible()
    second = image_on(page)
    page.keyboard.press("a")
    expect_next_after(page, second)
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}, {"aligned": 1, "quality": 1}]
    assert Annotation.objects.get(image__public_id=first, annotator=bob).seconds < 60


def test_the_form_works_without_javascript(open_page, bob):
    page = open_page(bob, LABEL, java_script_enabled=False)
    aligned = page.get_by_role("group", name="align with the prompt")
    aligned.get_by_role("radio", name="Yes").check()
    quality = page.get_by_role("group", name="good quality")
    quality.get_by_role("radio", name="No").check()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("1 of 36")).to_be_visible()
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}]


def test_a_phone_labels_by_touch(open_page, bob):
    page = open_page(bob, LABEL, size=PHONE, has_touch=True, is_mobile=True)
    first = image_on(page)
    page.get_by_role("radio", name="No").first.tap()
    page.get_by_role("radio", name="Yes").last.tap()
    expect_next_after(page, first)
    assert answers_of(bob) == [{"aligned": 0, "quality": 1}]


def test_every_target_on_a_phone_is_large_enough_for_a_thumb(open_page, bob):
    page = open_page(bob, LABEL, size=PHONE, has_touch=True, is_mobile=True)
    too_small = page.evaluate(
        """() => [...document.querySelectorAll('button, .choice, .tabs a')]
            .filter(one => one.offsetParent && one.getBoundingClientRect().height < 44)
            .map(one => one.textContent.trim())"""
    )
    assert too_small == []


def test_undo_brings_the_image_back_with_its_answers_to_be_changed(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.type("yn")
    expect_next_after(page, first)
    second = image_on(page)
    page.keyboard.press("u")
    expect_next_after(page, second)
    assert image_on(page) == first
    expect(page.get_by_role("status").first).to_have_text("taken back")
    checked = page.locator(".question input:checked")
    assert [one.get_attribute("value") for one in checked.all()] == ["1", "0"]
    page.keyboard.type("ny")
    expect_next_after(page, first)
    assert answers_of(bob) == [{"aligned": 0, "quality": 1}]


def test_a_skipped_image_goes_to_somebody_else(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.press("s")
    expect_next_after(page, first)
    skipped = Assignment.objects.get(image__public_id=first, annotator=bob)
    assert skipped.state == Assignment.State.SKIPPED


def test_enter_with_an_open_question_sends_nothing_and_marks_it(open_page, bob):
    page = open_page(bob, LABEL)
    page.keyboard.press("y")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_have_text("This question has no answer yet")
    expect(page.locator(".question").nth(1).get_by_role("radio").first).to_be_focused()
    assert answers_of(bob) == []


def test_arrow_keys_choose_without_sending(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.press("y")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".question").nth(1).get_by_role("radio", name="No")).to_be_checked()
    assert image_on(page) == first
    page.keyboard.press("Enter")
    expect_next_after(page, first)
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}]


def test_who_wants_to_can_wait_for_enter(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Wait for Enter").check()
    page.get_by_role("button", name="Close").click()
    page.keyboard.type("yy")
    expect(page.get_by_role("status").first).to_have_text("Enter sends")
    assert image_on(page) == first
    page.keyboard.press("Enter")
    expect_next_after(page, first)


def test_a_scale_is_answered_with_its_digits(open_page, bob, study):
    scale = tuple(Choice(value, word) for value, word in enumerate(LIKERT, start=1))
    study.form = publish_form(
        Form(
            slug="likert",
            title="How well",
            source="",
            questions=(
                Question("likert", "How well does the image match the prompt?", scale),
                Question("aligned", "Does the image align with the prompt?", YES_NO),
            ),
        )
    )
    study.save()
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.press("4")
    save_screenshot(page, "label-scale", full=False)
    page.keyboard.press("y")
    expect_next_after(page, first)
    assert answers_of(bob) == [{"likert": 4, "aligned": 1}]


def test_choices_survive_a_reload(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.keyboard.press("n")
    page.reload()
    assert image_on(page) == first
    expect(page.locator(".question").first.get_by_role("radio", name="No")).to_be_checked()
    expect(page.locator(".question").nth(1).get_by_role("radio").first).to_be_focused()


def test_an_answer_given_offline_waits_and_is_sent_later(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    page.context.set_offline(True)
    page.keyboard.type("yn")
    words = page.get_by_text("offline · 1 answer waits here")
    expect(words).to_be_visible()
    page.set_viewport_size(PHONE)
    expect(words).to_be_in_viewport(ratio=1)
    words, bar = words.bounding_box(), page.locator(".labelling-foot").bounding_box()
    assert words["y"] + words["height"] <= bar["y"] + 1
    assert answers_of(bob) == []
    page.context.set_offline(False)
    expect_next_after(page, first)
    expect(page.locator("#waiting")).to_have_text("")
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}]
    open_page.expected("ERR_INTERNET", "htmx:")


def test_an_answer_given_offline_outlives_its_page(open_page, bob):
    page = open_page(bob, LABEL)
    # Its scripts and the next picture have come, too.
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.type("ny")
    expect(page.get_by_text("offline · 1 answer waits here")).to_be_visible()
    page.close()
    page.context.set_offline(False)
    again = page.context.new_page()
    again.goto(LABEL)
    expect(again.get_by_text("1 of 36")).to_be_visible()
    assert answers_of(bob) == [{"aligned": 0, "quality": 1}]
    open_page.expected("ERR_INTERNET", "htmx:")


def test_an_answer_that_waited_is_sent_from_the_page_of_another_study(open_page, bob):
    making.person(make_study(slug="other", title="Other"), "bob")
    page = open_page(bob, LABEL)
    # Its scripts and the next picture have come, too.
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.keyboard.type("ny")
    expect(page.get_by_text("offline · 1 answer waits here")).to_be_visible()
    page.context.set_offline(False)
    page.goto("/studies/other/label/")
    eventually(page, lambda: answers_of(bob) == [{"aligned": 0, "quality": 1}])
    expect(page.locator("#waiting")).to_have_text("")
    expect(page.get_by_role("link", name="Other")).to_be_visible()
    assert Image.objects.get(public_id=image_on(page)).study.slug == "other"
    open_page.expected("ERR_INTERNET", "htmx:")


def test_a_session_that_ran_out_costs_no_answer(open_page, bob):
    page = open_page(bob, LABEL)
    # A picture that is still on its way would be sent to the log-in page, which sets its own cookie.
    page.wait_for_load_state("networkidle")
    page.context.clear_cookies()
    page.keyboard.type("yn")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("1 of 36")).to_be_visible()
    assert answers_of(bob) == [{"aligned": 1, "quality": 0}]
    open_page.expected("403", "htmx:")


def test_closing_the_page_gives_the_image_back_but_reloading_keeps_it(open_page, bob):
    page = open_page(bob, LABEL)
    first = image_on(page)
    # The page asks for its reserve, which renews the leases, so they are made older after that.
    with page.expect_response(lambda response: response.url.endswith("/alive/")):
        page.reload()
    held = Assignment.objects.filter(annotator=bob, state=Assignment.State.LEASED)
    assert [one.image.public_id for one in held] == [first]
    held.update(leased_until=timezone.now() + timedelta(minutes=5))
    page.goto("/")
    eventually(page, lambda: not held.exists())


def test_a_closed_study_says_so_and_the_choices_stay(open_page, bob, study):
    page = open_page(bob, LABEL)
    study.status = "paused"
    study.save()
    page.keyboard.type("yn")
    expect(page.get_by_role("alert").filter(has_text="paused")).to_be_visible()
    assert answers_of(bob) == []


def test_the_last_image_ends_in_thanks(open_page, bob, study):
    Image.objects.filter(study=study).exclude(
        pk=Image.objects.filter(study=study).order_by("place").first().pk
    ).update(taken=4)
    page = open_page(bob, LABEL)
    page.keyboard.press("a")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def test_nothing_on_the_page_tells_who_made_the_image(open_page, bob, study):
    page = open_page(bob, LABEL)
    text = page.content()
    for generator in study.generators.all():
        assert generator.name not in text
    for image in study.images.all():
        assert image.key not in text
