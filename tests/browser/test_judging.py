"""Starting judges, watching them, and reading what became of them."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from audit.reports import make as reports
from audit.words import report as report_words
from audit.words.report import title
from audit.words.verdicts import read_verdict
from judges.models import Run, Score
from judges.runs import counts, lifecycle, score_chunk

RUNS = "/studies/shapes/runs/"
PAGE = "/studies/shapes/audit/judge/"
JUDGE = "geneval-builtin"


def test_a_run_is_started_and_watched_to_its_end(open_page, alice):
    page = open_page(alice, RUNS)
    page.get_by_role("button", name="Start").first.click()
    row = page.get_by_role("list", name="Runs of this study").get_by_role("listitem")
    expect(row).to_contain_text("0 of 36 images")
    run = Run.objects.get()
    seen = []
    for done in score_chunk.work_off_steps(run=run):
        expect(row).to_contain_text(f"{done} of 36 images")
        seen.append(done)
    expect(row).to_contain_text("finished")
    assert len(seen) > 1
    assert seen[-1] == 36


def test_a_run_is_cancelled_and_resumed(open_page, alice, study):
    lifecycle.start_run(study=study, name=JUDGE)
    page = open_page(alice, RUNS)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert Run.objects.get().state == Run.State.CANCELLED
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    assert Run.objects.get().state == Run.State.RUNNING


def test_failures_are_counted_on_the_run_and_told_on_their_page(open_page, alice, study):
    run = scored(study)
    Score.objects.filter(pk=run.scores.first().pk).update(value=None, error="The file is broken.")
    counts.recount(run.pk)
    page = open_page(alice, RUNS)
    page.get_by_role("link", name="1 could not be scored").click()
    expect(page.get_by_role("cell", name="The file is broken.")).to_be_visible()


def test_a_judges_page_says_what_its_charts_take_and_prints_the_numbers_of_the_report(
    open_page, alice, study
):
    scored(study)
    report = reports.make_report(study=study)
    page = open_page(alice, PAGE)
    page.locator("#fold-numbers > summary").click()
    expect(page.get_by_text("No chart: that needs generators with a release date")).to_have_count(2)
    found = report.body["judges"][JUDGE]
    expect(page.get_by_text(read_verdict(JUDGE, found))).to_be_visible()
    expect(page.get_by_text(found["drift"]["reason"])).to_be_visible()
    stats = report.body["judges"][JUDGE]["overall"]
    shown = report_words.cell("kendall_tau_b", stats["kendall_tau_b"])
    table = page.get_by_role("region", name="Compared with people, all images")
    row = table.get_by_role("row").filter(has_text=title(JUDGE)).first
    expect(row.get_by_role("cell").nth(4)).to_contain_text(shown.value)
    expect(row.get_by_role("cell").nth(4)).to_contain_text(f"{shown.low} to {shown.high}")
    # Six images of a generator are too few for a number.
    first = report.body["generators"][0]["name"]
    table = page.get_by_role("region", name=re.compile("generator by generator"))
    row = table.get_by_role("row").filter(has_text=first)
    expect(row.get_by_role("cell").nth(1)).to_contain_text("–note a")
    notes = page.locator("section").filter(has=table).get_by_role("listitem")
    expect(notes.first).to_have_text("note a too few to judge: 4 to 6 images, at least 30 needed")


def test_an_annotator_meets_a_page_that_says_no(open_page, bob):
    page = open_page(bob, PAGE)
    expect(page.get_by_role("heading", name="You have no access to this page")).to_be_visible()
    open_page.expected("40", "htmx:")


def scored(study, judge: str = JUDGE) -> Run:
    run = lifecycle.start_run(study=study, name=judge)
    score_chunk.work_off(run=run)
    return run
