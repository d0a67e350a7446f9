"""From what people found wrong to the gain of repairing it, in the browser, with the bench's own drawer."""

from __future__ import annotations

import uuid

import pytest
from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import expect

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import record
from annotations.models import Image, Study
from audit.models import Finding
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sets.builtin import study as builtin
from tests import making
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_look import take

JUDGE = "soft-tifa-gm-builtin"


@pytest.fixture
def bench(transactional_db):
    """Twelve prompts by six generators of the built-in bench, judged; people have not seen them yet."""
    study = Study.objects.create(
        slug="bench", title="Bench", form=publish_form(geneval_audit.FORM), overlap=1
    )
    outcome = Outcome()
    drawn = builtin.study(prompts=12, generators=6, size=128, raters=0)
    write_study.import_records(study=study, records=drawn, outcome=outcome)
    assert not outcome.rejected
    call_command("run_judge", "bench", JUDGE, "--wait")
    return study


@pytest.fixture
def owner(bench):
    return making.person(bench, "olga", role="owner")


@pytest.mark.nightly("a long walk; tests/audit/repairs has its steps and pages")
def test_what_was_found_is_confirmed_repaired_judged_labelled_and_its_gain_told(
    open_page, bench, owner
):
    where = reverse("repairs", args=["bench"])
    page = open_page(owner, where)
    page.get_by_label("what is wrong, by").select_option(JUDGE)
    page.get_by_role("button", name="Look for findings").click()
    expect(page.get_by_text("new findings wait to be confirmed")).to_be_visible()
    count = Finding.objects.count()
    assert count >= 4
    # The first by hand, as a person would; what is open is asked one after another.
    wanted = page.get_by_label("should be").first.input_value()
    page.get_by_role("button", name="Real").first.click()
    expect(page.get_by_text(f"{count - 1} open, 1 real, 0 where the judge erred")).to_be_visible()
    assert Finding.objects.get(state="real").wanted == wanted
    page.get_by_role("button", name="The judge erred").first.click()
    expect(page.get_by_text(f"{count - 2} open, 1 real, 1 where the judge erred")).to_be_visible()
    take(page, "repairs-queue")
    Finding.objects.filter(state="open").update(state="real")
    page.goto(where)
    page.get_by_role("button", name="Draw repairs and controls").click()
    images = 2 * (count - 1)
    expect(page.get_by_text(f"{images} images made, as many repaired as controls")).to_be_visible()
    call_command("run_judge", "bench", JUDGE, "--wait")
    label_everything(bench)
    page.goto(where)
    expect(page.get_by_text(f"{count - 1} images were repaired")).to_be_visible()
    gains = page.get_by_role("region", name="Gains in points").get_by_role("row")
    for who in ("people", "Soft-TIFA"):
        cells = gains.filter(has_text=who).first.get_by_role("cell")
        # A number, and its interval below it.
        assert " to " in cells.first.inner_text()
    take(page, "repairs-1280")
    phone = open_page(owner, where, size=PHONE)
    take(phone, "repairs-390")
    annotator = making.person(bench, "ann")
    blind = open_page(annotator, reverse("label", args=["bench"]), size=DESKTOP)
    seen = blind.content().lower()
    assert "repaired" not in seen
    assert "+ control" not in seen


def label_everything(study: Study) -> None:
    """One person says of each image what the judge says; of every seventh the opposite."""
    person = making.person(study, "pia")
    run = study.runs.get()
    scores = dict(run.scores.values_list("image", "value"))
    for number, image in enumerate(Image.objects.filter(study=study).order_by("key")):
        aligned = (scores.get(image.pk, 0) > 0.5) != (number % 7 == 0)
        making.give(image, person)
        record.record_label(
            image=image,
            annotator=person,
            form=study.form,
            answers={"aligned": float(aligned), "quality": 1.0},
            submission=uuid.uuid4(),
        )
