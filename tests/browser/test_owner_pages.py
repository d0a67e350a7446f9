"""The owner's pages, on a desk and on a phone, full and in use: pictures, axe, and what moves."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.labelling import record
from annotations.models import Flag
from annotations.studies import adjudication, crowd, flags, invitations, set_aside
from tests import making
from tests.browser.conftest import make_study
from tests.browser.test_look import SIZES, take

PAGES = {
    "study": "",
    "manage": "manage/",
    "people": "people/",
    "agreement": "agreement/",
    "disagreements": "disagreements/",
    "flags": "flags/",
    "flags-all": "flags/?all",
    "events": "events/",
    "form": "form/",
}


@pytest.fixture
def busy(study, alice, bob, charlie):
    """People at work, somebody set aside, disagreements and flags open and settled, open links."""
    # They also disagree with whoever is left: bob says yes to everything.
    for person, aligned in ((bob, 1), (bob, 1), (charlie, 0), (charlie, 0)):
        making.label(person, aligned=aligned)
    set_aside.set_aside(member=charlie)
    images = list(study.images.order_by("key")[:3])
    for image, person, reason, note in (
        (images[0], bob, "broken", "The lower half is gray, also after loading it again."),
        (images[0], charlie, "form", ""),
        (images[1], bob, "disturbing", ""),
        (images[2], charlie, "other", "Is this the same image as the one before?"),
    ):
        record.flag(image=image, annotator=person, reason=reason, note=note)
    settled = Flag.objects.get(image=images[1])
    flags.settle(flag=settled, remark="Taken out of the next round.", by=alice.user)
    for pk, *_ in adjudication.disagreements(study)[:1]:
        image = study.images.get(pk=pk)
        key = next(row.key for row in adjudication.answers_side_by_side(image) if not row.agreed)
        adjudication.decide(image=image, key=key, answer="1", note="It is there.", by=alice.user)
    invitations.invite(study=study, note="The lab next door")
    crowd.open_to_crowd(study=study, note="Prolific, first batch", completion_code="C0FFEE")
    return study


@pytest.mark.nightly("test_navigation.py has axe look at each page")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_use(open_page, alice, busy, name, size):
    page = open_page(alice, f"/studies/shapes/{PAGES[name]}", size=SIZES[size])
    take(page, f"owner-{name}-{size}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("decided", [False, True])
def test_a_disagreement(open_page, alice, busy, decided, size):
    _, address, *_ = next(case for case in adjudication.disagreements(busy) if not case[2])
    page = open_page(alice, f"/studies/shapes/disagreements/{address}/", size=SIZES[size])
    if decided:
        page.get_by_role("button", name="Yes").first.click()
        expect(page.get_by_role("button", name="✓ Yes").first).to_be_visible()
    take(page, f"owner-disagreement{'-decided' * decided}-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_a_study_that_nobody_has_come_to(open_page, size):
    dan = making.person(make_study(slug="quiet", title="Quiet", images=False), "dan", role="owner")
    page = open_page(dan, "/studies/quiet/", size=SIZES[size])
    for name in ("manage", "people", "agreement", "disagreements", "flags", "events", "form"):
        page.goto(f"/studies/quiet/{PAGES[name]}")
        take(page, f"owner-quiet-{name}-{size}")


def test_a_flag_is_settled_and_put_back_by_keyboard(open_page, alice, busy):
    page = open_page(alice, "/studies/shapes/flags/")
    expect(page.get_by_text("3 of 4 flags are open")).to_be_visible()
    twice = page.get_by_role("article").filter(has_text="The lower half is gray")
    twice.get_by_label("What was done").first.focus()
    page.keyboard.type("drawn again")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 4 flags are open")).to_be_visible()
    expect(twice.get_by_text("drawn again")).to_be_visible()
    page.get_by_role("button", name="Open again").first.press("Enter")
    expect(page.get_by_text("3 of 4 flags are open")).to_be_visible()


def test_what_stays_aside_is_said_on_the_page(open_page, alice, busy):
    busy.overlap = 1
    busy.save()
    page = open_page(alice, "/studies/shapes/people/")
    page.get_by_role("button", name="Include again").click()
    expect(page.get_by_role("status").filter(has_text="2 stay excluded")).to_be_visible()
    take(page, "owner-people-aside")
