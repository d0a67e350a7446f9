"""Gwet's AC1 and each person's place above the others, as the page of people shows them, are the report's."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.exports.pseudonyms import name_in_reports
from audit.reports import make as reports
from audit.words.numbers import cell
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.browser.test_look import open_columns, take


@pytest.fixture
def study(transactional_db):
    made = making.study(prompts=40, files=False)
    judge_all(made)
    return made


def test_the_numbers_of_people_are_the_reports(open_page, alice, study):
    people = reports.make_report(study=study).body["people"]
    page = open_page(alice, reverse("agreement", args=["shapes"]))
    expect(page.get_by_role("heading", name="Quality", level=1)).to_be_visible()

    def read(region: str, row: str, column: str) -> list[str]:
        # A wide table stands in parts; the later ones are folded.
        parts = page.get_by_role("region", name=region).locator(".scroll")
        part = parts.filter(has_text=column).first
        rows = part.get_by_role("row")
        heads = rows.first.get_by_role("columnheader").all_inner_texts()
        cells = rows.filter(has_text=row).first.get_by_role("cell")
        return [
            line for line in cells.nth(heads.index(column) - 1).inner_text().split("\n") if line
        ]

    open_columns(page)

    shown = cell("gwet_ac1", people["gwet_ac1"])
    assert read("By question", "aligned", "Gwet’s AC1") == [
        shown.value,
        f"{shown.low} to {shown.high}",
    ]
    assert people["each_rater"]
    # The report has pseudonyms; an owner sees names.
    names = study.memberships.values_list("name", flat=True)
    called = {name_in_reports(study.slug, name): name for name in names}
    for pseudonym, told in people["each_rater"].items():
        name = called[pseudonym]
        shown = cell("severity", told["severity"])
        assert read("Single people", name, "above the others") == [
            shown.value,
            f"{shown.low} to {shown.high}",
        ]
    take(page, "agreement-numbers")
