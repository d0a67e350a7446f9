"""Each number of the page about what a judge may be used for is the report's."""

from __future__ import annotations

from string import ascii_lowercase

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from audit.exhibits import SIDE_BY_SIDE
from audit.pages import uses
from audit.reports import make as reports
from audit.words.numbers import cell
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.browser.test_look import open_columns, take

JUDGES = ("some-judge", "other-judge")


@pytest.fixture
def study(transactional_db):
    made = making.study(prompts=40, files=False)
    judge_all(made)
    judge_all(made, name="other-judge", verdicts=False)
    unlabelled = [image.key for image in made.images.order_by("key")][:5]
    made.annotations.filter(image__key__in=unlabelled).delete()
    return made


@pytest.fixture
def report(study):
    return reports.make_report(study=study)


def expected(body: dict, judge: str) -> dict[str, dict]:
    """By the heading of its column."""
    overall, ranking = body["judges"][judge]["overall"], body["ranking"]["judges"][judge]
    chosen = overall["best_of_n"]
    numbers = {
        "advantage": overall["alt_test"]["advantage"],
        "trusted_share": overall["trusted_share"],
        "soft_pairwise_accuracy": overall["soft_pairwise_accuracy"],
        "kendall_of_generators": ranking["kendall_tau_b"],
        "kendall_over_both": ranking["kendall_tau_b_over_both"],
        "swapped_pairs": ranking["swapped_pairs"],
        "people_gain": chosen["people_gain"],
        "judge_gain": chosen["judge_gain"],
        "ratio": chosen["ratio"],
        "brier": overall["brier"],
        "over_the_average": overall["brier"]["over_the_average"],
        "log_score": overall["log_score"],
        "equivalence": overall["equivalence"],
        "pairwise_accuracy_by_prompt_cross_validated": overall[
            "pairwise_accuracy_by_prompt_cross_validated"
        ],
    }
    numbers |= {key: overall[key] for key in uses.BALANCED}
    assert set(numbers) == {*uses.PEOPLE, *uses.REWARD, *uses.BALANCED}
    return numbers


def test_every_statistic_of_the_page_is_the_reports(open_page, alice, report):
    page = open_page(alice, reverse("side-by-side", args=["shapes"]))
    expect(page.get_by_role("heading", name="What each judge may be used for")).to_be_visible()
    page.locator("#uses ~ details").evaluate_all("all => all.forEach(one => one.open = true)")
    open_columns(page)
    for judge in JUDGES:
        numbers = expected(report.body, judge)
        for region, columns in (
            ("Instead of people", uses.PEOPLE),
            ("What its score is worth", uses.REWARD),
            ("Where one answer is rare", uses.BALANCED),
        ):
            parts = page.get_by_role("region", name=region).locator(".scroll")
            for number, (name, heading) in enumerate(columns.items()):
                part, place = divmod(number, SIDE_BY_SIDE)
                found = parts.nth(part).get_by_role("row")
                row = found.filter(has_text=judge).first
                assert (
                    found.first.get_by_role("columnheader").nth(place + 1).inner_text() == heading
                )
                shown, text = cell(name, numbers[name]), row.get_by_role("cell").nth(place)
                lines = [line for line in text.inner_text().split("\n") if line]
                if shown.undefined:
                    # Why stands below the table; a pointer sees it at the cell.
                    assert lines[0] == "–", name
                    assert text.locator(".cell").get_attribute("title") == shown.undefined, name
                else:
                    between = [f"{shown.low} to {shown.high}"] if shown.low else []
                    # After a value without an interval stands the mark of its note.
                    assert [line for line in lines if line not in {"note", *ascii_lowercase}] == [
                        shown.value,
                        *between,
                    ], name
        found = report.body["judges"][judge]["overall"]["alt_test"]
        beside = f"stands in for {found['beaten']} of {found['raters']} people"
        expect(page.locator("#box-instead-of-people")).to_contain_text(beside)
    take(page, "decide")


def test_the_ranking_and_the_images_left_to_people_are_those_of_the_chosen_judge(
    open_page, alice, report
):
    page = open_page(alice, f"{reverse('judge', args=['shapes'])}?judge=other-judge")
    page.locator("#fold-ranking > summary").click()
    ranked = report.body["ranking"]["judges"]["other-judge"]
    rows = page.locator("#box-ranking tbody tr")
    expect(rows).to_have_count(len(ranked["by_people"]))
    for place, name in enumerate(ranked["by_people"]):
        told = rows.nth(place).inner_text().split("\t")
        assert told == [name, str(place + 1), str(ranked["by_judge"].index(name) + 1)]
    trusted = report.body["judges"]["other-judge"]["overall"]["trusted_share"]
    left = page.locator("section", has=page.get_by_role("heading", name="leaves to people"))
    expect(left).to_contain_text(
        trusted["undefined"] if "undefined" in trusted else str(trusted["to_people"])
    )


@pytest.mark.nightly("tests/audit/pages has the numbers of the page")
def test_auroc_before_and_since_its_release_is_on_the_judges_page(open_page, alice, report):
    page = open_page(alice, f"{reverse('judge', args=['shapes'])}?judge=some-judge")
    page.locator("#fold-numbers > summary").click()
    table = page.get_by_role("region", name="Generators released after the judge")
    row = table.get_by_role("row").filter(has_text="some-judge").first
    found = report.body["judges"]["some-judge"]["drift"]["since_own_release"]
    for place, name in enumerate(("before", "since", "auroc")):
        shown, there = cell(name, found[name]), row.get_by_role("cell").nth(place)
        if shown.undefined:
            assert there.locator(".cell").get_attribute("title") == shown.undefined
        else:
            assert shown.value in there.inner_text()
