"""The judges, their options, and what engines told of one image: pictures and axe."""

from __future__ import annotations

import pytest

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
