"""How people come and go, in a browser: links, a crowd's first and last page, what is kept how long."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Assignment, Image
from annotations.studies import crowd, invitations
from annotations.studies import settings as study_settings
from tests import making
from tests.browser.test_look import SIZES, take


def door(link):
    return reverse(link.kind.replace("person", "join"), args=[invitations.token_of(link)])


@pytest.mark.nightly("tests/annotations/studies has each step")
@pytest.mark.parametrize("size", SIZES)
def test_a_worker_begins_and_cannot_be_pushed_out(open_page, study, size):
    link = crowd.open_to_crowd(study=study, images_each=20, completion_code="C0FFEE")
    where = f"{door(link)}?PROLIFIC_PID=5f1a0b2c3d4e5f6a7b8c9d0e"
    page = open_page(None, where, size=SIZES[size])
    take(page, f"crowd-start-{size}")
    code = page.locator("#resume-code").inner_text()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#workplace")).to_be_visible()

    other = open_page(None, where, size=SIZES[size])
    take(other, f"crowd-elsewhere-{size}")
    other.get_by_label("Your code").fill("AAAA-AAAA")
    other.get_by_role("button", name="Continue here").click()
    expect(other.get_by_role("alert").filter(has_text="not the code")).to_be_visible()
    take(other, f"crowd-wrong-code-{size}")
    page.reload()
    expect(page.locator("#workplace")).to_be_visible()
    other.get_by_label("Your code").fill(code)
    other.get_by_role("button", name="Continue here").click()
    expect(other.locator("#workplace")).to_be_visible()
    open_page.expected("409")


@pytest.mark.parametrize("size", SIZES)
def test_a_worker_who_skipped_is_told_why_there_is_no_code(open_page, study, size):
    link = crowd.open_to_crowd(study=study, images_each=30, completion_code="C0FFEE")
    worker = crowd.enter_from_crowd(invitation=link, worker="W1")
    making.label(worker)
    page = open_page(worker, "/studies/shapes/label/", size=SIZES[size])
    # Whoever leaves at once takes the request along.
    with page.expect_response(re.compile("/label/skip/")):
        page.get_by_role("button", name=re.compile("Skip")).click()
    page.goto("/studies/shapes/finished/")
    expect(page.get_by_text("You skipped 1")).to_be_visible()
    take(page, f"crowd-not-done-{size}")
    Image.objects.update(taken=99)
    study.assignments.filter(state__in=Assignment.HELD).delete()
    page.goto("/studies/shapes/finished/")
    expect(page.get_by_text("others have answered since")).to_be_visible()
    take(page, f"crowd-no-code-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_an_invitation_makes_an_account(open_page, study, size):
    link = invitations.invite(study=study, role="researcher")
    page = open_page(None, door(link), size=SIZES[size])
    take(page, f"join-{size}")
    page.get_by_label("Name").fill("dora")
    page.get_by_label("Password", exact=True).fill("a-long-and-quiet-river")
    page.get_by_label("Repeat password").fill("a-long-and-quiet-sea")
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("alert").filter(has_text="differ")).to_be_visible()
    take(page, f"join-mistake-{size}")
    for field in ("Password", "Repeat password"):
        page.get_by_label(field, exact=True).fill("a-long-and-quiet-river")
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_text("Your account is “dora”")).to_be_visible()
    take(page, f"join-done-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_an_owner_sees_links_and_lets_somebody_in_again(open_page, study, alice, bob, size):
    group = invitations.invite(study=study, note="The lab next door", uses=12, by=alice.user)
    once = invitations.invite(study=study, role="researcher", note="For Fay", by=alice.user)
    for link, name in ((group, "dora"), (group, "emil"), (once, "fay")):
        making.person(study, name).delete()
        user = bob.user.__class__.objects.get(username=name)
        invitations.accept(invitation=link, user=user)
    open_to_all = crowd.open_to_crowd(
        study=study, images_each=20, completion_code="C0FFEE", note="Prolific", signed=True
    )
    crowd.set_places_per_address(invitation=open_to_all, places=1)
    for number in range(3):
        worker = f"W{number}"
        proof = {"signature": crowd.signature_of(invitation=open_to_all, worker=worker)}
        try:
            crowd.enter_from_crowd(
                invitation=open_to_all, worker=worker, address="203.0.113.7", **proof
            )
        except crowd.AddressFull:
            continue
    study_settings.remove(member=bob)
    page = open_page(alice, "/studies/shapes/people/", size=SIZES[size])
    page.get_by_text("Links used up or closed").click()
    take(page, f"people-links-{size}")
    # Axe leaves empty styles behind, which htmx would copy.
    page.goto("/studies/shapes/people/")
    page.get_by_role("button", name="Let in again").click()
    expect(page.get_by_role("button", name="Let in again")).to_have_count(0)
    expect(page.get_by_role("button", name="Remove bob")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_what_happens_after_closing_is_shown_before_it_is_saved(open_page, study, alice, bob, size):
    making.label(bob)

    def choose(rule):
        page.get_by_label("What happens").select_option(rule)
        page.get_by_label("Days after it closes").fill("30")
        page.get_by_role("button", name="Show what this does").click()
        expect(page.locator("#retention-plan")).to_contain_text("cannot be undone")

    page = open_page(alice, "/studies/shapes/manage/", size=SIZES[size])
    choose("forget")
    page.get_by_role("button", name="Save this").click()
    expect(page.get_by_text("30 days after it closes")).to_be_visible()
    page.get_by_role("button", name="Close the study").click()
    expect(page.get_by_text("This study is closed")).to_be_visible()
    choose("delete")
    take(page, f"retention-plan-{size}")
    page.goto("/studies/shapes/manage/")
    take(page, f"retention-due-{size}")
