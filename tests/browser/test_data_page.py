"""The data browser: filters, keys, choosing, one prompt by every generator, an image's own page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.models import Image, Prompt, Selection
from judges.runs import lifecycle, score_chunk
from tests.browser.conftest import settled
from tests.browser.test_look import SIZES, take


@pytest.mark.nightly("test_navigation.py has the page in both themes; the tests below use it")
@pytest.mark.parametrize("size", SIZES)
def test_the_data_browser_in_both_themes(open_page, alice, study, size):
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    score_chunk.work_off(run=run)
    prompts = list(study.prompts.order_by("key"))
    Prompt.objects.filter(pk=prompts[1].pk).update(text="a long prompt of many words " * 72)
    bare = study.images.order_by("key")[3]
    Image.objects.filter(pk=bare.pk).update(file="", sha256="")
    page = open_page(alice, "/studies/shapes/data/", size=SIZES[size])
    expect(page.get_by_text("36 images", exact=True)).to_be_visible()
    take(page, f"data-{size}")
    page.goto("/studies/shapes/data/?view=table&judge=geneval-builtin&sort=-score")
    assert page.locator(".data-table .shot-link").first.bounding_box()["height"] < 60
    if size == "desk":
        table = page.get_by_role("region", name="Images")
        assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
    take(page, f"data-table-{size}")
    page.goto(f"/studies/shapes/data/?prompt={prompts[1].key}")
    tops = [card.bounding_box()["y"] for card in page.locator(".data-card").all()]
    assert tops[0] == tops[1]  # side by side
    take(page, f"data-prompt-{size}")
    page.goto(f"/studies/shapes/export/?prompt={prompts[1].key}")
    take(page, f"export-part-{size}")
    page.goto("/studies/shapes/export/")
    take(page, f"export-{size}")
    page.goto("/studies/shapes/data/?q=nothing+has+these+words&labels=none")
    take(page, f"data-none-{size}")
    Image.objects.exclude(prompt=prompts[0]).delete()
    page.goto("/studies/shapes/data/")
    take(page, f"data-few-{size}")
    image = Image.objects.filter(prompt=prompts[0]).first()
    page.goto(f"/studies/shapes/data/{image.public_id}/?at=0")
    take(page, f"data-image-{size}")


def test_a_filter_replaces_only_the_list_and_stands_in_the_address(open_page, alice, study):
    page = open_page(alice, "/studies/shapes/data/")
    field = page.get_by_label("search prompts")
    field.fill(study.prompts.order_by("key")[0].text)
    expect(page.get_by_text("6 images", exact=True)).to_be_visible()
    settled(page)
    assert "?q=" in page.url
    expect(field).to_be_focused()
    page.locator("#find-generator").select_option(index=1)
    expect(page.get_by_text("1 image", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("1 image", exact=True)).to_be_visible()


def test_keys_walk_choose_and_open(open_page, alice, study):
    page = open_page(alice, "/studies/shapes/data/")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.get_by_text("1 chosen")).to_be_visible()
    expect(page.locator('[name="image"]').nth(1)).to_be_checked()
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="One prompt, every generator")).to_be_visible()
    page.go_back()
    page.locator(".shot-link").first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("2 of 36")).to_be_visible()


def test_chosen_images_stay_chosen_while_the_filter_changes(open_page, alice, study):
    page = open_page(alice, "/studies/shapes/data/")
    page.locator('[name="image"]').first.check()
    page.locator("#find-generator").select_option(index=2)
    expect(page.get_by_text("6 images", exact=True)).to_be_visible()
    settled(page)
    page.locator('[name="image"]').last.check()
    expect(page.get_by_text("2 chosen")).to_be_visible()
    page.get_by_role("button", name="Assign for labelling").click()
    expect(page.get_by_text("2 images will be labelled before all others.")).to_be_visible()
    assert Selection.objects.get().members.count() == 2
    expect(page.get_by_text("2 images", exact=True)).to_be_visible()


def test_all_that_fit_are_chosen_at_once(open_page, alice, study):
    page = open_page(alice, "/studies/shapes/data/")
    expect(page.get_by_role("button", name="Save selection")).to_be_disabled()
    page.get_by_label("all 36 that fit").check()
    expect(page.get_by_text("36 chosen")).to_be_visible()
    page.get_by_role("button", name="Save selection").click()
    expect(page.locator("#find-selection")).not_to_have_value("")
    assert Selection.objects.get().images == 36


@pytest.mark.nightly("tests/annotations/pages has each step")
@pytest.mark.parametrize("size", SIZES)
def test_chosen_images_get_known_answers_one_after_the_other(open_page, alice, study, size):
    page = open_page(alice, "/studies/shapes/data/", size=SIZES[size])
    for number in (0, 2, 4):
        page.locator('[name="image"]').nth(number).check()
    page.get_by_role("button", name="Gold questions").click()
    expect(page.get_by_text("1 of 3", exact=True)).to_be_visible()
    take(page, f"known-answer-walk-{size}")
    page.locator("#known label").filter(has_text="Yes").first.click()
    page.get_by_role("button", name="Save and next").click()
    expect(page.get_by_text("2 of 3", exact=True)).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("1 of 3", exact=True)).to_be_visible()
    expect(page.locator("#known input:checked")).to_have_count(1)
    page.get_by_role("button", name="Save and next").click()
    page.get_by_role("link", name="Leave this one out").click()
    page.locator("#known label").filter(has_text="No").first.click()
    page.get_by_role("button", name="Save, done").click()
    expect(page.get_by_text("The gold question is saved.")).to_be_visible()
    assert study.images.exclude(gold=None).count() == 2
