"""A judge's card on a desk and on a phone, in light and in dark."""

from __future__ import annotations

import pytest

from annotations.stored_answers.store import answer_at_once
from audit.questions.card.question import CARD, Parameters
from tests import making
from tests.audit.questions.test_card import planted
from tests.browser.conftest import save_screenshot, settled
from tests.browser.test_look import SCHEMES, SIZES, check_width, violations


def score_of(change, image):
    """Less with each step of a ladder, and a little more where something is written above."""
    step = int(change[-1]) if change[-1].isdigit() else 0
    return max(0.0, 0.7 - 0.1 * step + 0.01 * (image.pk % 7))


@pytest.mark.nightly("the page's words are quick tests of the card; here it is laid out")
@pytest.mark.parametrize("size", SIZES)
def test_a_card_is_read_on_a_desk_and_on_a_phone(open_page, size):
    study = making.study(prompts=20)
    planted(study, score_of, base=1.0)
    answer_at_once(CARD, study, Parameters("rule"))
    owner = making.person(study, "alice", role="owner")
    for scheme in SCHEMES:
        path = f"/studies/{study.slug}/questions/card/?judge=rule"
        page = open_page(owner, path, size=SIZES[size], scheme=scheme)
        page.get_by_role("heading", name="Ladders of known steps").wait_for()
        settled(page)
        drawn = page.locator("figure svg, figure img, .chart svg, .chart img").first
        drawn.wait_for()
        save_screenshot(page, f"card-{size}-{scheme}")
        check_width(page, "card")
        found = violations(page)
        assert [
            (one["id"], [node["html"][:300] for node in one["nodes"]]) for one in found
        ] == [], scheme
