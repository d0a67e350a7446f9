"""How people come into a study, in a browser: a link, known answers, practice, the first image."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Annotation, Image, PracticeAnswer
from annotations.studies import crowd, invitations, known_answers, practice
from annotations.studies import settings as study_settings
from tests import making
from tests.browser.test_look import SIZES, take


def make_known(study, *keys):
    for image in study.images.select_related("prompt", "study__form").filter(key__in=keys):
        known_answers.make(
            image=image,
            answers={"aligned": "1", "quality": "1"},
            explanation="Everything the prompt asks for is there.",
        )


def test_from_an_invitation_through_practice_to_the_first_image(open_page, alice, study):
    study.memberships.exclude(pk=alice.pk).filter(user__isnull=False).update(role="researcher")
    making.person(study, "carol").delete()
    owner = open_page(alice, "/studies/shapes/people/")
    owner.get_by_role("button", name="Create invite link").click()
    expect(owner.get_by_role("button", name="Copy the link")).to_be_visible()
    owner.get_by_role("button", name="Copy the link").click()
    expect(owner.get_by_text(re.compile("Copied|Ctrl"))).to_be_visible()
    chosen = owner.evaluate("getSelection().toString() || document.activeElement.value")
    link = owner.get_by_label("Link", exact=True).input_value()
    assert chosen == link

    # Known answers, from any image.
    for _ in range(2):
        owner.goto("/studies/shapes/known-answers/")
        owner.get_by_role("link", name="Add a gold question").click()
        owner.locator(".thumbs a").first.click()
        for choice in owner.locator('#known label.choice:has(input[value="1"])').all():
            choice.click()
        owner.get_by_label("Why").fill("Everything is there.")
        owner.get_by_role("button", name="Save").click()
        expect(owner.get_by_text("The gold question is saved.")).to_be_visible()
    owner.goto("/studies/shapes/practice/round/")
    owner.get_by_label("Images").fill("2")
    owner.get_by_role("button", name="Save").click()
    expect(owner.get_by_text("On: 2 images first")).to_be_visible()

    # The second person, by the link, fails and then passes, by keyboard alone.
    page = open_page(None, link)
    page.get_by_label("Name").fill("dora")
    for field in ("Password", "Repeat password"):
        page.get_by_label(field, exact=True).fill("a-long-and-quiet-river")
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("heading", name="Qualification first")).to_be_visible()
    for key, words in (("n", "Not passed yet"), ("y", "You passed")):
        expect(page.locator("#go-on")).to_be_focused()
        page.keyboard.press("Enter")
        for number in range(2):
            expect(page.get_by_text(f"Image {number + 1} of 2")).to_be_visible()
            expect(page.locator("#answers input[type=radio]").first).to_be_focused()
            if not number:
                page.reload()
                expect(page.locator("#answers input[type=radio]").first).to_be_focused()
            page.keyboard.press(key)
            page.keyboard.press(key)
            expect(page.get_by_role("button", name="Check")).to_be_focused()
            page.keyboard.press("Enter")
            expect(page.get_by_text("Everything is there.")).to_be_visible()
            expect(page.locator("#go-on")).to_be_focused()
            page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=words)).to_be_visible()
    before = Annotation.objects.count()
    assert PracticeAnswer.objects.count() == 4
    page.get_by_role("link", name="Start labelling").click()
    expect(page.locator("#workplace[data-image]")).to_be_visible()
    assert Annotation.objects.count() == before


def test_practice_has_the_keys_the_zoom_and_the_lock_of_the_label_page(open_page, bob, study):
    make_known(study, *study.images.order_by("pk").values_list("key", flat=True)[:2])
    practice.set_practice(study=study, images=2, pass_mark=80, tries=1)
    page = open_page(bob, "/studies/shapes/practice/")
    page.route("**/images/*/", lambda route: route.fulfill(status=404))
    page.keyboard.press("Enter")
    panel = page.get_by_role("alert").filter(has_text="does not have this picture (404)")
    expect(panel).to_be_visible()
    expect(panel.get_by_role("button", name="Skip")).to_be_hidden()
    page.keyboard.type("yy")
    page.keyboard.press("Enter")
    assert page.locator("#answers input:checked").count() == 0
    page.unroute("**/images/*/")
    page.keyboard.press("r")
    expect(panel).to_have_count(0)
    first = page.locator("#answers input[type=radio]").first
    expect(first).to_be_focused()
    # Own keys, as on the label page.
    page.keyboard.press("?")
    page.get_by_role("button", name="Choose your own keys").click()
    own = page.get_by_role("dialog", name="Your keys")
    own.get_by_role("button", name="Y", exact=True).click()
    page.keyboard.press("j")
    own.get_by_role("button", name="Close").click()
    page.keyboard.press("z")
    expect(page.locator(".stage.zoomed")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".stage.zoomed")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_have_text("This question has no answer yet")
    page.keyboard.type("jj")
    expect(page.get_by_role("button", name="Check")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#go-on")).to_be_focused()
    # A picture that arrives is shown as a whole.
    expect(page.locator('#labelling[data-picture="shown"]')).to_be_visible()
    page.keyboard.press("z")
    expect(page.locator(".stage.zoomed")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Image 2 of 2")).to_be_visible()
    # Keys are locked until its picture is there.
    expect(page.locator('#labelling[data-picture="shown"]')).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#go-on")).to_be_focused()
    assert [one.right for one in PracticeAnswer.objects.all()] == [2, 2]
    open_page.expected("Failed to load resource")


@pytest.mark.nightly("test_navigation.py has axe look at these pages")
@pytest.mark.parametrize("size", SIZES)
def test_the_pages_of_people_and_known_answers(open_page, alice, bob, study, size):
    make_known(study, *study.images.order_by("pk").values_list("key", flat=True)[:3])
    study_settings.set_fastest(study=study, seconds=5)
    link = invitations.invite(study=study, note="For Dora", by=alice.user)
    assert link.is_open
    making.label(bob)
    Annotation.objects.filter(annotator=bob).update(seconds=1.5)
    page = open_page(alice, "/studies/shapes/people/", size=SIZES[size])
    take(page, f"people-{size}")
    page.get_by_text("Crowdsourcing").click()
    page.get_by_text("Add an existing account").click()
    take(page, f"people-ways-in-{size}")
    page.goto("/studies/shapes/known-answers/")
    take(page, f"known-answers-{size}")
    page.goto("/studies/shapes/known-answers/choose/")
    take(page, f"known-answer-choose-{size}")
    image = Image.objects.filter(study=study, gold__isnull=False).first()
    page.goto(reverse("known-answer-edit", args=["shapes", image.public_id]))
    take(page, f"known-answer-edit-{size}")


@pytest.mark.nightly("tests/annotations/pages has the round; test_navigation.py its page")
@pytest.mark.parametrize("size", SIZES)
def test_the_pages_of_the_practice_round(open_page, alice, study, size):
    keys = study.images.order_by("pk").values_list("key", flat=True)[:3]
    make_known(study, *keys)
    practice.set_practice(study=study, images=1, pass_mark=80, tries=1)
    platform = crowd.open_to_crowd(study=study, completion_code="C0FFEE", screenout_code="SORRY1")
    worker = crowd.enter_from_crowd(invitation=platform, worker="W1")
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = open_page(worker, "/studies/shapes/label/", size=SIZES[size], **touch)
    take(page, f"practice-begin-{size}")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#answers")).to_be_visible()
    take(page, f"practice-image-{size}")
    for choice in page.locator('#answers label.choice:has(input[value="0"])').all():
        choice.click()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Everything the prompt asks for")).to_be_visible()
    take(page, f"practice-feedback-{size}")
    page.get_by_role("button", name="See the result").click()
    expect(page.get_by_text("SORRY1")).to_be_visible()
    take(page, f"practice-out-{size}")
    page = open_page(alice, "/studies/shapes/practice/round/", size=SIZES[size])
    take(page, f"practice-round-{size}")


@pytest.mark.nightly("test_navigation.py has axe look at these tables")
@pytest.mark.parametrize("size", SIZES)
def test_the_tables_of_prompts_generators_and_judges_dates(open_page, alice, study, size):
    making.scores(study, {}, name="dsg-qwen3-vl")
    study.generators.filter(pk=study.generators.first().pk).update(
        name="SDXL 1.0", release_date=None
    )
    page = open_page(alice, "/studies/shapes/prompts/", size=SIZES[size])
    take(page, f"prompts-{size}")
    page.goto("/studies/shapes/prompts/make/")
    page.get_by_role("button", name="Show ten").click()
    take(page, f"prompt-make-{size}")
    page.goto("/studies/shapes/prompts/write/")
    page.get_by_label("Prompts").fill("two red dogs\nTwo red dogs\na cat on a mat")
    page.get_by_role("button", name="Find their parts").click()
    take(page, f"prompt-write-{size}")
    page.goto("/studies/shapes/generators/")
    page.get_by_role("button", name="Take 2023-07-26").click()
    expect(page.get_by_label("Released").nth(-1)).to_be_visible()
    page.get_by_label("Released").first.fill("2024-10")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("take its first day").first).to_be_visible()
    take(page, f"generators-{size}")
    page.goto("/studies/shapes/runs/dates/")
    take(page, f"judge-dates-{size}")
    open_page.expected("422")
