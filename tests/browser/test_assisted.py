"""The page Assisted: its numbers are the report's, at desk and on a phone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from audit.reports import make as reports
from audit.words.numbers import cell
from tests import making
from tests.browser.conftest import DESKTOP, PHONE, show_second_half
from tests.browser.test_look import take


def number(key: str) -> int:
    return int(key.split("-")[1])


@pytest.fixture
def study(transactional_db):
    made = making.study(prompts=80, files=False)
    right = {key: number(key) % 3 > 0 for key in made.images.values_list("key", flat=True)}
    making.labels(made, {k: {"ann": v} for k, v in right.items() if number(k) % 2 == 0})
    making.scores(made, {k: 0.8 * v + 0.05 * (number(k) % 4) for k, v in right.items()})
    making.scores(made, {k: (number(k) * 37 % 80) / 80 for k in right}, name="other-judge")
    return made


@pytest.fixture
def report(study):
    return reports.make_report(study=study)


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_every_score_is_the_reports(open_page, alice, report, size, scheme):
    page = open_page(alice, reverse("assisted", args=["shapes"]), size=size, scheme=scheme)
    expect(page.get_by_role("heading", name="Judge-assisted scores", level=1)).to_be_visible()
    rows = page.get_by_role("region", name="People’s score by generator").get_by_role("row")
    for generator in report.body["generators"]:
        score = generator["human_score_assisted"]
        cells = rows.filter(has_text=generator["name"]).first.get_by_role("cell")
        for place, shown in enumerate((score["alone"], score)):
            told = cell("assisted", {**shown, **shown["any_look"]})
            lines = [line for line in cells.nth(place).inner_text().split("\n") if line]
            assert lines == [told.value, f"{told.low} to {told.high}"]
        assert cells.nth(2).inner_text().strip() == f"{score['effective_labels']:.0f}"
    take(page, f"assisted-{size['width']}")
    page.locator("#filter-look").select_option("for one look, planned beforehand")
    page.wait_for_url("**look=one**")
    told = cell("assisted", report.body["generators"][0]["human_score_assisted"])
    show_second_half(page, "assisted")
    expect(page.get_by_text(f"{told.low} to {told.high}").first).to_be_visible()
