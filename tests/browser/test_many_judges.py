"""Eight generators, twelve judges, sixty tags: the first screen says what is the case, and nothing is
longer than three of them."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from audit.reports import make as reports
from tests.browser.conftest import DESKTOP, draw_charts, wait_for_pictures
from tests.browser.test_look import take
from tests.large_study import JUDGES, large_study
from tests.making import person

SCREENS = 3
PAGES = (
    "summary", "slices", "side-by-side", "judge", "reports", "agreement", "gallery", "papers"
)  # fmt: skip


@pytest.fixture
def alice(transactional_db):
    study = large_study()
    reports.make_report(study=study)
    return person(study, "alice", role="owner")


@pytest.mark.nightly("the same pages with more on them; test_dashboards.py has them with less")
def test_twelve_judges_and_sixty_slices_are_seen_at_a_glance(alice, open_page):
    page = open_page(alice, reverse("slices", args=["large"]), size=DESKTOP)
    wait_for_pictures(page)
    swatches = page.locator(".filters .swatch path")
    faces = swatches.evaluate_all(
        "marks => marks.map(m => m.getAttribute('d') + m.getAttribute('fill'))"
    )
    assert len(faces) == len(set(faces)) == len(JUDGES)
    names = page.locator(".filters input[data-title]").evaluate_all(
        "boxes => boxes.map(box => box.dataset.title)"
    )
    alike = [name for name in names if name.startswith("GenEval")]
    assert [name.partition(" · ")[2] for name in alike] == ["threshold 0.3", "threshold 0.7"]

    # A judge's own page names it alone; the others stay behind it. Verdict and chart are on the first screen.
    page.goto(f"{reverse('judge', args=['large'])}?judge=clip-score")
    expect(page.locator(".lead").first).to_contain_text("CLIPScore (ViT-L/14) cannot be judged yet")
    expect(page.locator("#plot svg")).to_be_visible()
    assert page.locator("#plot svg").bounding_box()["y"] < 500
    named = page.locator("#plot svg text").filter(has_text="CLIPScore")
    expect(named.first).to_be_visible()
    expect(page.locator("#plot svg text").filter(has_text="VQAScore")).to_have_count(0)
    take(page, "many-judge")
    page.goto(reverse("side-by-side", args=["large"]))
    page.get_by_text("Every judge by itself", exact=True).first.click()
    wait_for_pictures(page)
    take(page, "many-each")

    heights = {}
    for name in PAGES:
        page.goto(reverse(name, args=["large"]))
        wait_for_pictures(page)
        heights[name] = page.evaluate("document.documentElement.scrollHeight")
        if name in ("agreement", "gallery", "papers"):
            take(page, f"many-{name}")
    assert max(heights.values()) <= SCREENS * DESKTOP["height"], heights
    page.goto(reverse("side-by-side", args=["large"]))
    wait_for_pictures(page)
    take(page, "many-side-by-side")
    page.goto(reverse("slices", args=["large"]))
    expect(page.locator(".heat tbody tr")).to_have_count(60)
    take(page, "many-slices")
    page.get_by_label("search for a skill or tag").fill("skill 07")
    page.get_by_label("search for a skill or tag").press("Enter")
    expect(page.locator(".heat tbody tr")).to_have_count(1)
    page.locator(".heat tbody td a").first.click()
    expect(page).to_have_url(re.compile(r"judge=.*tag=skill\+07|tag=skill\+07.*judge="))


@pytest.mark.nightly("needs the large study; test_dashboards.py has charts with fewer judges")
def test_a_point_of_a_chart_opens_its_images(alice, open_page):
    page = open_page(alice, reverse("judge", args=["large"]), size=DESKTOP)
    draw_charts(page)
    page.locator("#plot .mark-symbol path").last.click()
    expect(page).to_have_url(re.compile(r"/data/.*generator=generator"))


@pytest.mark.nightly("needs the large study; tests/audit/charts has the axes")
def test_axes_are_those_of_the_statistic(alice):
    client = Client()
    client.force_login(alice.user)

    def domains(chart: str) -> list[list[float]]:
        spec = client.get(reverse("chart", args=["large", chart, "json"])).json()
        found = []
        for part in spec["vconcat"]:
            for layer in part["layer"]:
                domain = layer.get("encoding", {}).get("y", {}).get("scale", {}).get("domain")
                if domain and domain not in found:
                    found.append(domain)
        return found

    # Net deviation reaches 47 points, and its interval more; scores are points of a hundred.
    assert domains("drift") == [[-20, 60], [0, 100]]
    # AUROC; κ and τ-b; pairwise accuracy.
    assert domains("agreement") == [[0.5, 1], [-0.2, 1], [0, 1]]
