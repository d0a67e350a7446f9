"""From an import to a leaderboard: pairs are drawn, compared by keys or by touch, and told."""

from __future__ import annotations

import random
import re
import uuid

import pytest
from playwright.sync_api import expect

from annotations.models import Pair, PairVote, Study
from annotations.pairs import assign, record
from tests import making
from tests.browser.conftest import settled
from tests.browser.test_compare import expect_another, pair_on
from tests.browser.test_look import SIZES, take
from tests.browser.test_new_study import file, zipped

# From the worst to the best, as the people of this test see them.
GENERATORS = ("SDXL", "FLUX", "Nova")
PROMPTS = 24
THINGS = ("cup", "dog", "car", "tree", "boat", "lamp")
PLACES = ("on a table", "in the snow", "by the sea", "at night")
TEXTS = [f"a {thing} {place}" for thing in THINGS for place in PLACES]
TABLE = "path,caption,model\n" + "".join(
    f"{name}/{number}.png,{TEXTS[number]},{name}\n"
    for name in GENERATORS
    for number in range(PROMPTS)
)
PICTURES = {
    f"{name}/{number}.png": making.png((80 * rank + 40, 10 * number, 120), 64)
    for rank, name in enumerate(GENERATORS)
    for number in range(PROMPTS)
}
KEYS = ("ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp")
BUTTONS = ("Left", "Right", "Both fit equally", "Neither fits")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.nightly("a long walk; test_compare.py has its page, tests/annotations/pairs its steps")
def test_from_an_import_to_a_leaderboard_of_pairs(open_page, worker, transactional_db, size):
    olga = making.person(making.study("other", prompts=1), "olga", role="owner")
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = open_page(olga, "/", size=SIZES[size], **touch)
    page.get_by_role("link", name="New study").click()
    archive = zipped(**PICTURES, **{"images.csv": TABLE.encode()})
    page.get_by_label("Drop a folder, a zip or files here").set_input_files(
        [file("march.zip", archive)]
    )
    expect(page.get_by_text("✓ Becomes 72 images · 24 prompts · 3 generators")).to_be_visible()
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("Imported 24 prompts, 72 images, 3 generators")).to_be_visible()
    study = Study.objects.get(slug="march")

    page.goto("/studies/march/pairs/")
    expect(page.get_by_text("There are no pairs yet.")).to_be_visible()
    # Three generators make three pairs of each prompt.
    expect(page.locator("#expected")).to_contain_text("This adds 72 pairs of 24 prompts.")
    take(page, f"pairs-empty-{size}")
    page.get_by_label("Pairs of each prompt").fill("2")
    expect(page.locator("#expected")).to_contain_text("48 pairs of 24 prompts")
    expect(page.locator("#expected")).to_contain_text("144 votes")
    page.get_by_label("A duel of two generators").check()
    expect(page.locator("#expected")).to_contain_text("choose both")
    page.locator("#one").select_option("FLUX")
    page.locator("#other").select_option("Nova")
    expect(page.locator("#expected")).to_contain_text("This adds 24 pairs of 24 prompts.")
    take(page, f"pairs-duel-{size}")
    page.get_by_label("Random, over all generators").check()
    page.get_by_role("button", name="Draw the pairs").click()
    expect(page.get_by_text("Drew 48 pairs")).to_be_visible()
    assert Pair.objects.filter(study=study).count() == 48

    # Bob votes at the page, others through what records votes.
    bob = making.person(study, "bob")
    at_page = open_page(bob, "/studies/march/compare/", size=SIZES[size], **touch)
    for number in range(8):
        before = pair_on(at_page)
        if size == "phone":
            at_page.get_by_text(BUTTONS[number % 4], exact=True).last.tap()
        else:
            at_page.keyboard.press(KEYS[number % 4])
        expect_another(at_page, before)
    take(at_page, f"pairs-compare-{size}")
    assert PairVote.objects.filter(annotator=bob).count() == 8
    others = [making.person(study, name) for name in ("carla", "dan", "eve")]
    assert vote_to_the_end(others, bob) == 144 - 8

    page.goto("/studies/march/pairs/")
    expect(page.get_by_text("144 of 144 votes by 4 people; 48 pairs are finished.")).to_be_visible()
    take(page, f"pairs-{size}")
    with page.expect_download() as download:
        page.get_by_role("link", name="Votes as CSV").click()
    assert len(download.value.path().read_text().splitlines()) == 1 + 144

    page.goto("/studies/march/leaderboard/")
    settled(page)
    page.locator("#fold-standing > summary").click()
    table = page.locator("table").first
    rows = table.locator("tbody th")
    assert [rows.nth(n).inner_text().splitlines()[0] for n in range(3)] == [*reversed(GENERATORS)]
    # Each share of wins has its interval.
    for number in range(3):
        shares = table.locator("tbody tr").nth(number).locator("td").first
        assert re.search(r"0\.\d+\s+0\.\d+ to 0\.\d+", shares.inner_text())
    take(page, f"pairs-leaderboard-{size}")


def vote_to_the_end(people, bob) -> int:
    """Everybody in turn, until no pair is open; Bob takes what only he is left for. The later
    generator is preferred in four of five votes."""
    chance, votes, left = random.Random(7), 0, [*people, bob]
    while left:
        person = left.pop(0)
        held = assign.next_pair(annotator=person)
        if held is None:
            continue
        sides = {"first": held.pair.first, "second": held.pair.second}
        other = "second" if held.left == "first" else "first"
        ranks = [GENERATORS.index(sides[side].generator.name) for side in (held.left, other)]
        better = "left" if ranks[0] > ranks[1] else "right"
        worse = "right" if better == "left" else "left"
        said = better if chance.random() < 0.7 else chance.choice((worse, "both", "neither"))
        record.record_vote(
            pair=held.pair,
            annotator=person,
            said={"match": said},
            submission=uuid.uuid4(),
            seconds=chance.uniform(2, 9),
        )
        votes += 1
        left.append(person)
    return votes
