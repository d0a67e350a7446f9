"""The judges, their options, and what engines told of one image: pictures and axe."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from judges.runs import lifecycle, score_chunk
from tests.browser.test_look import SIZES, take

PAGES = {
    "judges": "runs/judges/",
    "options": "runs/start/geneval/",
    "options-builtin": "runs/start/geneval-builtin/",
}


@pytest.fixture
def judged(study):
    for name in ("geneval-builtin", "soft-tifa-gm-builtin"):
        score_chunk.work_off(run=lifecycle.start_run(study=study, name=name))
    return study


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_judges(open_page, alice, judged, name, size):
    page = open_page(alice, f"/studies/{judged.slug}/{PAGES[name]}", size=SIZES[size])
    take(page, f"judge-{name}-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_what_engines_told_of_one_image(open_page, alice, judged, size):
    image = judged.images.first()
    page = open_page(alice, f"/studies/{judged.slug}/looks/{image.public_id}/", size=SIZES[size])
    take(page, f"judge-look-{size}")


RECIPE = """name = "strict-dsg"
title = "DSG, also the grandparents"
method = "dsg"
options.transitive = true
answers.engine = "{engine}"
"""


@pytest.mark.parametrize("size", SIZES)
def test_a_recipe_is_pasted_mended_and_started(open_page, alice, judged, size):
    page = open_page(alice, f"/studies/{judged.slug}/runs/recipes/", size=SIZES[size])
    take(page, f"judge-recipes-empty-{size}")
    page.get_by_label("Recipe (TOML)").fill(RECIPE.format(engine="os:system"))
    page.get_by_role("button", name="Add").click()
    open_page.expected("422")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("“answers.engine” must be one of builtin")
    take(page, f"judge-recipes-refused-{size}")
    field = page.get_by_label("Recipe (TOML)")
    assert "os:system" in field.input_value()
    field.fill(RECIPE.format(engine="builtin"))
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("DSG, also the grandparents")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("h3", has_text="DSG, also the grandparents").first).to_be_visible()
    page.goto(f"/studies/{judged.slug}/runs/recipes/")
    expect(page.get_by_text("Runs of 1 study rest on it.")).to_be_visible()
    take(page, f"judge-recipes-{size}")
