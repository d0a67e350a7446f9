"""Studies whose people answer from 0 to 1 or from 1 to 5, on every page of the audit."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from audit.models import Report
from audit.reports import make as reports
from tests import making
from tests.browser.conftest import save_screenshot, wait_for_pictures
from tests.browser.test_look import SIZES

PROMPTS = 40
PAGES = (
    *("side-by-side", "slices", "gallery", "judge", "papers", "reports"),
    *("agreement", "data", "export"),
)
# What each kind of person says of image `number`: low where the judge's score is low, and no 4 or 5
# on the scale from 0 to 1.
SAY = {
    "0 to 1": lambda number, rater: (number + rater) % 11 / 10,
    "1 to 5": lambda number, rater: 1 + (number + rater) % 5,
}


@pytest.fixture
def alice(transactional_db):
    study = making.study(prompts=PROMPTS, files=False)
    return making.person(study, "alice", role="owner")


def rate(study, scale: str, *, question: str) -> None:
    keys = [f"{made}-{number}" for made in ("early", "late") for number in range(PROMPTS)]
    said = {
        key: {f"rater-{rater}": SAY[scale](number, rater) for rater in range(3)}
        for number, key in enumerate(keys)
    }
    making.labels(study, said, question=question)
    mean = {key: sum(given.values()) / 3 for key, given in said.items()}
    top = 5 if scale == "1 to 5" else 1
    making.scores(study, {key: value / top for key, value in mean.items()}, name="soft")
    making.scores(study, {key: 32 * value / top for key, value in mean.items()}, name="clip")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scale", SAY)
@pytest.mark.nightly("the same pages on another scale; test_dashboards.py has them")
def test_every_page_of_a_study_with_ratings(open_page, alice, scale, size):
    study = alice.study
    rate(study, scale, question="fit")
    body = reports.make_report(study=study).body
    low, high = scale.split(" to ")
    assert body["range"] == [float(low), float(high)]
    page = open_page(alice, reverse("study", args=["shapes"]), size=SIZES[size])
    for name in PAGES:
        page.goto(reverse(name, args=["shapes"]))
        wait_for_pictures(page)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{name} is {wide} px wider than the window"
        words = page.locator("main").inner_text()
        save_screenshot(page, f"scale-{scale.replace(' ', '-')}-{name}-{size}")
        for untrue in ("no judge has 30 images", "0 of 3 yes", "Nobody has labelled"):
            assert untrue not in words, f"{name} says “{untrue}”"
    page.goto(reverse("side-by-side", args=["shapes"]))
    expect(page.locator("main")).to_contain_text("is closest to people: AUROC 1.000")
    page.goto(reverse("gallery", args=["shapes"]))
    expect(page.locator(".votes").first).to_contain_text("(mean of 3)")


@pytest.mark.nightly("tests/audit/pages has the same choices by address")
def test_question_and_cut_are_chosen_on_the_page(open_page, alice):
    study = alice.study
    rate(study, "1 to 5", question="fit")
    making.labels(
        study, {f"early-{n}": {"rater-0": n % 11 / 10} for n in range(PROMPTS)}, question="mood"
    )
    usual = reports.make_report(study=study)
    page = open_page(alice, reverse("side-by-side", args=["shapes"]))
    page.get_by_label("question").select_option("mood")
    page.wait_for_url("**question=mood**")
    expect(page.get_by_text("The report is being made")).to_be_visible()
    making.compute_waiting_answers()
    # The page asks again by itself.
    cut = page.get_by_label("right from (0 to 1)")
    expect(cut).to_have_attribute("placeholder", "0.5")
    cut.fill("0.8")
    cut.press("Enter")
    page.wait_for_url("**positive_at=0.8**")
    expect(page.get_by_text("The report is being made")).to_be_visible()
    making.compute_waiting_answers()
    expect(page.get_by_label("right from (0 to 1)")).to_have_value("0.8")
    newest = Report.objects.first()
    assert newest.options == {"question": "mood", "positive_at": 0.8}
    assert "yes from a mean of 0.8" in newest.body["signature"]["consensus"]
    # The other pages keep the choice; what everybody sees is as it was.
    page.get_by_role("navigation", name="Audit").get_by_role("link", name="Disagreements").click()
    page.wait_for_url("**/gallery/?question=mood&positive_at=0.8")
    expect(page.locator(".shot-link").first).to_be_visible()
    assert Report.objects.with_usual_options().first() == usual


def test_answers_in_words_are_counted_and_shown(open_page, alice):
    from annotations.imports import write_study
    from annotations.imports.outcome import Outcome
    from jurybox_formats.sources.records import LabelRecord

    said = ["blurred", "blurred", "a second moon"]
    records = (
        LabelRecord(image=f"early-{n}", rater="ann", question="remark", value=words)
        for n, words in enumerate(said)
    )
    write_study.import_records(study=alice.study, records=records, outcome=Outcome())
    making.scores(alice.study, {"early-0": 0.4, "early-1": 0.5})
    reports.make_report(study=alice.study)
    page = open_page(alice, reverse("judge", args=["shapes"]))
    answers = page.get_by_role("region", name="Answers to remark")
    expect(answers).to_contain_text("3 answers about 3 images")
    expect(answers.get_by_role("listitem").first).to_have_text("blurred (2)")
    assert "Nobody has labelled" not in page.locator("main").inner_text()
    save_screenshot(page, "scale-in-words")
