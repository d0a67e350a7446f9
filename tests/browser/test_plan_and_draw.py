"""Planned, drawn, labelled and weighted: a draw from end to end, by hands alone."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from audit.reports import make as reports
from audit.words.numbers import cell
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.browser.conftest import eventually, settled, show_second_half
from tests.browser.test_labelling import LABEL, image_on
from tests.browser.test_look import SIZES, take

PLAN = "/studies/shapes/labels/"


@pytest.fixture
def piloted(transactional_db):
    """Forty prompts by two generators; of each the first thirty have labels, and two judges scored all."""
    made = making.study(prompts=40, overlap=2)
    alice = making.person(made, "alice", role="owner")
    judge_all(made)
    judge_all(made, name="other-judge", verdicts=False)
    late = [f"{name}-{number}" for name in ("early", "late") for number in range(30, 40)]
    made.annotations.filter(image__key__in=late).delete()
    return made, alice


@pytest.mark.parametrize("size", SIZES)
def test_a_plan_follows_what_is_typed_and_its_address_keeps_it(open_page, piloted, size):
    page = open_page(piloted[1], PLAN, size=SIZES[size])
    lead = page.locator("#numbers .lead")
    expect(lead).to_contain_text("±3 points at 95 % for these images")
    page.get_by_label("within ±").fill("8")
    expect(lead).to_contain_text("±8 points")
    page.get_by_label("pay per hour").fill("20")
    page.keyboard.press("Tab")
    settled(page)
    expect(page).to_have_url(re.compile("within=8.*pay=20"))
    expect(page.get_by_role("columnheader", name="money")).to_be_visible()
    show_second_half(page, "assisted")
    page.reload()
    show_second_half(page, "assisted")
    expect(page.get_by_label("pay per hour")).to_have_value("20")
    page.get_by_label("within ±").fill("0")
    expect(page.get_by_role("alert").filter(has_text="above 0")).to_be_visible()
    page.get_by_label("within ±").fill("4")
    expect(lead).to_contain_text("±4 points")
    take(page, f"plan-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_the_form_that_draws_can_be_used_at_any_size(open_page, piloted, size):
    page = open_page(piloted[1], f"{reverse('data', args=['shapes'])}?draw=12", size=SIZES[size])
    expect(page.get_by_label("images", exact=True)).to_have_value("12")
    expect(page.get_by_role("button", name="Draw")).to_be_visible()
    take(page, f"draw-{size}")


# Prompts of forty on which the judge is unsure: people say no to these, and yes to all others.
UNSURE = 10


@pytest.fixture
def planted(transactional_db):
    made = making.study(prompts=40, overlap=2)
    people = {name: making.person(made, name) for name in ("bob", "charlie")}
    people["alice"] = making.person(made, "alice", role="owner")
    wrong = {f"{generator}-{n}" for generator in ("early", "late") for n in range(UNSURE)}
    keys = made.images.values_list("key", flat=True)
    making.scores(made, {key: 0.5 if key in wrong else 0.98 for key in keys})
    return made, people, {image.public_id: image.key not in wrong for image in made.images.all()}


def label_all(page, is_right: dict[str, bool], count: int) -> None:
    """Both questions of each image, as a person who sees what is right."""
    for _ in range(count):
        page.wait_for_selector('#labelling[data-picture="shown"]')
        image = image_on(page)
        page.keyboard.type("yy" if is_right[image] else "nn")
        page.wait_for_function(
            """before => {
                const place = document.getElementById("workplace");
                return !place || !place.dataset.image || (place.dataset.image !== before &&
                    document.getElementById("labelling").dataset.picture === "shown");
            }""",
            arg=image,
        )


@pytest.mark.nightly("a long walk; the page and each step have tests of their own")
def test_a_draw_from_plan_to_report_and_only_weights_make_it_right(open_page, planted, capsys):
    study, people, is_right = planted
    # Planned: with nothing known, and 12.4 points of room, half of each generator's forty.
    page = open_page(people["alice"], f"{PLAN}?within=12.4")
    expect(page.locator(".lead")).to_contain_text("20 labelled images per generator")
    expect(page.locator("#numbers")).to_contain_text(
        "There are no labels: this rests on assumptions"
    )
    page.get_by_role("link", name="Draw 40 images to label").click()
    page.wait_for_load_state()
    # Drawn: more often where the judge is unsure.
    expect(page.get_by_label("images", exact=True)).to_have_value("40")
    page.get_by_label("chances").select_option("uncertainty")
    page.get_by_role("button", name="Draw", exact=True).click()
    page.wait_for_load_state()
    expect(page.locator(".messages")).to_contain_text("40 images drawn")
    made = study.draws.get()
    chances = dict(made.images.filter(drawn=True).values_list("image__public_id", "chance"))
    assert len(chances) == 40
    # Labelled by two people, who get these and no others.
    for name in ("bob", "charlie"):
        room = open_page(people[name], LABEL)
        label_all(room, is_right, 40)
        eventually(room, lambda name=name: people[name].annotations.count() == 40)
        given = people[name].annotations.values_list("image__public_id", flat=True)
        assert set(given) == set(chances)
    # Reported: weighted by 1 / chance.
    body = reports.make_report(study=study).body
    told = body["people"]["mean"]
    weights = {image: 1 / chance for image, chance in chances.items()}
    right = sum(weight for image, weight in weights.items() if is_right[image])
    weighted = 100 * right / sum(weights.values())
    plain = 100 * sum(is_right[image] for image in chances) / 40
    truth = 100 * sum(is_right.values()) / 80
    assert truth == 75
    assert told["value"] == pytest.approx(weighted)
    assert told["low"] <= truth <= told["high"]
    assert abs(weighted - truth) < abs(plain - truth)
    page.goto("/studies/shapes/audit/judge/")
    apart = body["judges"]["some-judge"]["overall"]["net_deviation"]
    # Right: 1 - .98; wrong: 0 - .5.
    assert apart["value"] == pytest.approx(0.02 * weighted - 0.5 * (100 - weighted))
    page.locator("#fold-numbers > summary").click()
    table = page.get_by_role("region", name="Compared with people, all images")
    expect(table.first).to_contain_text(cell("net_deviation", apart).value)
    expect(page.locator("#numbers")).to_contain_text("drawn with unequal chances")
    expect(page.locator("#numbers")).to_contain_text("40 of 40 images that were drawn have labels")
    take(page, "drawn-report")
    with capsys.disabled():
        print(
            f"\nof 80 images people would say yes to {truth:.1f} %; of the 40 drawn {plain:.1f} %; "
            f"weighted {weighted:.1f} % ({told['low']:.1f} to {told['high']:.1f})"
        )
