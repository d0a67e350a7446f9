"""Own pictures with prompts in free words: no judge fits, questions are drafted, checked and frozen."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Prompt
from jurybox_formats.sources.records import GeneratorRecord, ImageRecord
from tests import making
from tests.browser.test_look import SIZES, take

TEXTS = (
    "a red cup left of two dogs on a wooden table",
    "three cats and a blue bird under an old bridge at night",
    "an astronaut who rides a horse, oil painting",
)


@pytest.fixture
def free(alice):
    """Alice's second study: what somebody brings who knows no benchmark."""
    study = making.study(slug="free", prompts=0)
    study.title = "Our own prompts"
    study.save()
    making.person(study, "alice", role="owner")
    outcome = Outcome()
    for number, text in enumerate(TEXTS):
        Prompt.objects.create(study=study, key=f"p{number}", text=text)
    generators = [GeneratorRecord("late")]
    images = [
        ImageRecord(f"i{n}", f"p{n}", "late", content=making.png((n, 5, 5))) for n in range(3)
    ]
    write_study.import_records(study=study, records=[*generators, *images], outcome=outcome)
    return study


@pytest.mark.nightly("tests/judges/parts has each step")
@pytest.mark.parametrize("size", SIZES)
def test_parts_are_drafted_checked_and_frozen(open_page, alice, free, size):
    page = open_page(alice, "/studies/free/runs/", size=SIZES[size])
    take(page, f"first-judge-{size}")
    page.goto("/studies/free/runs/judges/")
    take(page, f"judges-of-free-prompts-{size}")
    page.get_by_role("link", name="Draft questions").first.click()
    take(page, f"parts-empty-{size}")
    page.get_by_role("button", name="Draft questions").click()
    take(page, f"parts-draft-{size}")
    card = page.locator("form.parts").first
    card.get_by_label("New question", exact=True).fill("Is the table made of wood?")
    card.get_by_role("button", name="Save as checked").click()
    expect(page.get_by_role("status").filter(has_text="Checked")).to_be_visible()
    page.get_by_role("button", name="Freeze as version 1").click()
    expect(page.get_by_text("Version 1 is in use")).to_be_visible()
    take(page, f"parts-frozen-{size}")
    page.get_by_role("link", name="See which judges can score these prompts").click()
    expect(page.get_by_text("Can score all 3 images.").first).to_be_visible()
