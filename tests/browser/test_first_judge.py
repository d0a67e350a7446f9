"""From a fresh installation to a judge's line, on one's own pictures and prompts in free words: by
clicks alone, and without a GPU."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.models import Study
from audit.reports import make as reports
from judges.models import Run
from judges.runs import score_chunk
from tests import making
from tests.browser.test_look import take
from tests.browser.test_new_study import file, zipped
from tests.browser.test_whole_way import PASSWORD, PICTURES, TABLE, Hand
from tests.judging.engines.openai_stand_in import spoken, standing_in, told


def sees_red(asked, before):
    return told(("Yes", 0.9), ("No", 0.1)) if asked.body.get("logprobs") else spoken("Yes.")


@pytest.mark.parametrize(
    "way",
    [
        "server",
        pytest.param("parts", marks=pytest.mark.nightly("the same way to a server, and its pages")),
        pytest.param(
            "scores", marks=pytest.mark.nightly("an upload by hand in the tests of imports")
        ),
    ],
)
def test_from_a_fresh_installation_to_a_judge(
    open_page, worker, transactional_db, settings, capsys, way
):
    settings.JUDGE_SERVERS = ["loopback"]
    page = open_page(None, "/")
    ada = Hand(page)
    ada.type("Name", "ada")
    ada.type("Password", PASSWORD)
    ada.type("Repeat password", PASSWORD)
    ada.press("Enter")
    page.get_by_role("link", name="New study", exact=True).click()
    archive = zipped(**PICTURES, **{"images.csv": TABLE.encode()})
    ada.choose(
        page.get_by_label("Drop a folder, a zip or files here"), [file("march.zip", archive)]
    )
    expect(page.get_by_text("✓ Becomes 6 images")).to_be_visible()
    page.locator('button[value="make"]').click()
    expect(page.get_by_text("Imported 3 prompts, 6 images")).to_be_visible()
    ada.clicks += 2
    study = Study.objects.get(slug="march")
    # People answer as in the test of the whole way.
    images = study.images.order_by("pk")
    making.labels(study, {image.key: {"ann": 1, "ben": image.pk % 2} for image in images})

    ada.click("Judges", role="link", within=page.get_by_role("navigation", name="Study"))
    if way == "scores":
        ada.click("Upload scores", role="link")
        _upload(ada, [image.key for image in images])
    else:
        with standing_in(sees_red) as there:
            if way == "parts":
                _freeze_parts(ada)
            judge = "Soft-TIFA GM" if way == "parts" else "VQAScore"
            _ask_server(ada, there.url, judge)
            score_chunk.work_off(run=Run.objects.get())
    reports.make_report(study=study)
    run = Run.objects.get()
    assert (run.scored, run.failed) == (6, 0)
    ada.click("Audit", role="link", within=page.get_by_role("navigation", name="Study"))
    expect(page.locator("main")).to_contain_text("judge")
    take(page, f"first-judge-{way}")
    page.goto(reverse("side-by-side", args=["march"]))
    title = {"scores": "our-model", "parts": "Soft-TIFA GM", "server": "VQAScore"}[way]
    expect(page.locator("main").get_by_text(title).first).to_be_visible()
    with capsys.disabled():
        print(f"\n{way}: {ada.clicks} clicks from nothing to a judge's line")
    assert ada.clicks <= 35


def _freeze_parts(ada: Hand) -> None:
    ada.click("Draft questions", role="link")
    ada.click("Draft questions")
    ada.page.get_by_role("button", name="Freeze as version 1").click()
    expect(ada.page.get_by_text("Version 1 is in use")).to_be_visible()
    ada.clicks += 1
    ada.click("Judges", role="link", within=ada.page.get_by_role("navigation", name="Study"))


def _ask_server(ada: Hand, url: str, judge: str) -> None:
    ada.click("Ask a model server", role="link")
    ada.type("Address", url)
    ada.type("Model", "seer")
    ada.click("Add and try")
    row = ada.page.get_by_role("listitem").filter(has_text=f"{judge} (a server's model)")
    row.get_by_role("button", name="Start").click()
    expect(ada.page.locator("h3", has_text=judge).first).to_be_visible()
    ada.clicks += 1


def _upload(ada: Hand, names: list[str]) -> None:
    page = ada.page
    rows = [f"{name},our-model,{number / 10}" for number, name in enumerate(names)]
    table = "\n".join(["image_id,judge,score", *rows])
    into = page.get_by_label("Drop a folder, a zip or files here")
    ada.choose(into, [file("scores.csv", table.encode())])
    # What it becomes is said before anything is written.
    expect(page.locator("#found")).to_contain_text("6 scores")
    page.locator('button[value="make"]').click()
    expect(page.locator("#uploads")).to_contain_text("6 scores")
    ada.clicks += 1
