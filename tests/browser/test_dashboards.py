"""The audit's pages in a real browser: a number behind each chart is the report's, in any theme."""

from __future__ import annotations

import re
from functools import cache

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Study
from annotations.stored_answers.question import NoParameters
from annotations.stored_answers.store import read_answer
from audit.models import Report
from audit.questions.agreement.question import AGREEMENT
from audit.reports import make as reports
from audit.words import report as report_words
from audit.words.report import title
from judges.runs import lifecycle, score_chunk
from jurybox_formats.sets.builtin import study as builtin
from tests import making
from tests.browser.conftest import draw_charts, make_study, wait_for_pictures
from tests.browser.test_look import SIZES, take

JUDGES = ("geneval-builtin", "soft-tifa-gm-builtin")
CHARTED = ("summary", "side-by-side", "slices", "judge")


@cache
def bench() -> tuple:
    """Large enough for every number and chart: thirty prompts by four generators."""
    return tuple(builtin.study(prompts=30, generators=4, size=128, raters=3))


@pytest.fixture
def study(request, saved):
    """With its report where the test asks for that."""
    return saved(build_reported if "report" in request.fixturenames else build_study)


def build_reported() -> Study:
    made = build_study()
    reported(made, *JUDGES)
    return made


def build_study() -> Study:
    made = make_study(images=False)
    outcome = Outcome()
    write_study.import_records(study=made, records=bench(), outcome=outcome, simulated=True)
    assert not outcome.rejected
    return made


def reported(study, *judges):
    for name in judges:
        score_chunk.work_off(run=lifecycle.start_run(study=study, name=name))
    return reports.make_report(study=study)


@pytest.fixture
def report(study):
    return study.reports.get()


def at(name: str, *args, **query) -> str:
    tail = "&".join(f"{key}={value}" for key, value in query.items())
    return reverse(name, args=["shapes", *args]) + (f"?{tail}" if tail else "")


def shown(page, region: str, row: str, column: int) -> str:
    found = page.get_by_role("region", name=region).get_by_role("row").filter(has_text=row).first
    return found.get_by_role("cell").nth(column).inner_text()


def test_the_number_behind_each_chart_is_the_reports(open_page, alice, report):
    page = open_page(alice, at("judge", judge=JUDGES[0]))
    draw_charts(page)
    page.locator("#fold-numbers > summary").click()
    judge, generator = JUDGES[0], report.body["generators"][2]["name"]
    gap = report.body["judges"][judge]["drift"]["gap"]["off_by"]
    cell = report_words.cell("off", gap)
    text = shown(page, "Compared with people, all images", title(judge), 0)
    assert text.split("\n") == [cell.value, f"{cell.low} to {cell.high}"]
    there = report.body["judges"][judge]["drift"]["by_generator"][generator]
    cell = report_words.cell("off", there["off"])
    text = shown(page, f"{title(judge)}, generator by generator", generator, 2)
    assert text.split("\n") == [cell.value, f"{cell.low} to {cell.high}"]

    page.goto(at("side-by-side"))
    draw_charts(page)
    overall = report.body["judges"][judge]["overall"]
    cell = report_words.cell("auroc", overall["auroc"])
    assert shown(page, "All statistics", title(judge), 1).startswith(cell.value)

    page.goto(at("slices", by="variant", statistic="auroc"))
    draw_charts(page)
    stats = report.body["judges"][judge]["by_variant"]["original"]
    cell = report_words.cell("human_score", stats["human_score"])
    assert shown(page, f"{title(judge)} by prompt variant", "original", 0).startswith(cell.value)

    page.goto(at("agreement"))
    draw_charts(page)
    asked = read_answer(AGREEMENT, report.study, NoParameters()).body["questions"][0]
    cell = report_words.cell("percent", asked["percent"])
    assert shown(page, "By question", asked["words"], 1).split("\n") == [
        cell.value,
        f"{cell.low} to {cell.high}",
    ]

    # The address of what is folded opens it.
    page.goto(at("judge", judge=JUDGES[1]) + "#calibration")
    draw_charts(page)
    bins = report.body["judges"][JUDGES[1]]["curves"]["histogram"]
    rows = page.get_by_role("region", name="Images by score").get_by_role("row")
    told = [one.inner_text().split("\t") for one in rows.all()[1:]]
    assert [(int(yes), int(no)) for _, yes, no in told] == [
        (one["yes"], one["no"]) for one in bins if one["yes"] or one["no"]
    ]


@pytest.mark.nightly("tests/audit/pages has the part that htmx asks for")
def test_a_new_report_redraws_the_chart_and_an_old_one_leaves_it_alone(open_page, alice, study):
    reported(study, JUDGES[0])
    page = open_page(alice, at("judge"))
    draw_charts(page)
    page.evaluate("document.querySelector('#plot svg').dataset.old = 'yes'")
    with page.expect_response(lambda answer: answer.url.endswith(at("judge"))):
        page.evaluate(
            "htmx.ajax('GET', location.pathname, {target: '#numbers', swap: 'outerHTML'})"
        )
    expect(page.locator("#plot svg[data-old]")).to_be_visible()
    reported(study, JUDGES[1])
    page.evaluate("htmx.ajax('GET', location.pathname, {target: '#numbers', swap: 'outerHTML'})")
    expect(page.locator("#plot svg:not([data-old])")).to_be_visible()


@pytest.mark.nightly("test_navigation.py has every page in both themes")
def test_the_chart_follows_the_theme(open_page, alice, report):
    page = open_page(alice, at("judge"))
    draw_charts(page)
    page.evaluate("document.querySelector('#plot svg').dataset.old = 'yes'")
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("#plot svg:not([data-old])")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Light")).to_be_visible()


@pytest.mark.nightly("tests/audit/charts makes each kind")
def test_downloads_come_in_four_kinds(open_page, alice, report):
    page = open_page(alice, at("judge"))
    for kind in ("SVG", "PNG", "PDF", "CSV"):
        page.locator(".files summary").first.click()
        with page.expect_download() as download:
            page.locator(".files").first.get_by_role("link", name=kind).first.click()
        page.locator(".files summary").first.click()
        assert download.value.suggested_filename.endswith(f".{kind.lower()}")


def test_the_threshold_moves_without_the_server(open_page, alice, report):
    page = open_page(alice, at("judge", judge=JUDGES[1]) + "#calibration")
    draw_charts(page)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    slider = page.locator("#cut")
    slider.fill(slider.get_attribute("max"))
    box = page.locator("#threshold")
    # Never yes: agreement is the share of what people call wrong, and nothing is hit.
    curve = report.body["judges"][JUDGES[1]]["curves"]["roc"]
    share = curve["negatives"] / (curve["positives"] + curve["negatives"])
    expect(box.locator('[data-out="agreement"]')).to_have_text(f"{100 * share:.1f} %")
    expect(box.locator('[data-out="hits"]')).to_have_text("0.0 %")
    expect(box.locator('[data-out="kappa"]')).to_have_text("0.000")
    assert asked == []


@pytest.mark.nightly("the longest walk with keys; the next test has keys in the gallery, too")
def test_the_gallery_is_walked_with_keys(open_page, alice, report):
    page = open_page(alice, at("gallery", judge=JUDGES[0]))
    links = page.locator(".shot-link")
    assert links.count() == 16
    first = links.first
    assert first.locator("img").get_attribute("loading") == "lazy"
    page.keyboard.press("ArrowRight")
    expect(links.nth(0)).to_be_focused()
    expect(links.nth(0).locator(".overlay")).to_have_css("opacity", "1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("heading", name="Atom by atom").or_(
            page.get_by_role("heading", name="People")
        )
    ).to_be_visible()
    here = page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url != here)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(here)


def test_boxes_and_outlines_are_switched_by_buttons_and_letters(open_page, alice, report):
    image = report.study.images.order_by("pk").first()
    score = image.scores.get(run__judge__name=JUDGES[0])
    # A quarter of the picture, in a mask of two by two pixels.
    mask = {"size": [2, 2], "counts": [0, 1, 3]}
    score.evidence = {
        "detections": [{"class": "circle", "score": 0.9, "box": [0, 0, 64, 64], "mask": mask}]
    }
    score.save()
    page = open_page(alice, at("evidence", image.public_id, judge=JUDGES[0]))
    box, outline = page.locator(".overlay rect"), page.locator(".overlay path")
    expect(box).to_be_visible()
    expect(outline).to_be_visible()
    assert outline.get_attribute("d") == "M0,0L64,0L64,64L0,64Z"
    page.keyboard.press("b")
    expect(box).to_be_hidden()
    expect(outline).to_be_visible()
    page.get_by_role("button", name="Outlines").click()
    expect(outline).to_be_hidden()
    expect(page.get_by_role("button", name="Outlines")).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("b")
    expect(box).to_be_visible()


def test_a_select_changes_the_address_and_the_address_the_page(open_page, alice, report):
    page = open_page(alice, at("slices"))
    draw_charts(page)
    page.get_by_label("slice by").select_option("atomicity")
    page.wait_for_url(re.compile("by=atomicity"))
    expect(page.get_by_label("slice by")).to_have_value("atomicity")
    expect(page.get_by_role("heading", name=re.compile("by atomicity")).first).to_be_visible()


@pytest.mark.nightly("tests/audit/pages chooses judges by the address")
def test_boxes_choose_judges_with_keys(open_page, alice, report):
    page = open_page(alice, at("slices"))
    one, other = (title(name) for name in JUDGES)
    boxes = page.get_by_role("group", name="judges")
    expect(boxes.get_by_role("checkbox")).to_have_count(2)
    boxes.get_by_label(other).click()
    page.wait_for_url(re.compile(f"judge={JUDGES[0]}"))
    expect(page.get_by_role("heading", name=f"{other} by skill")).to_have_count(0)
    expect(boxes.get_by_label(other)).not_to_be_checked()
    # The box that was used has the focus again.
    expect(boxes.get_by_label(other)).to_be_focused()
    page.keyboard.press("Space")
    page.wait_for_url(lambda url: "judge=" not in url)
    expect(page.get_by_role("heading", name=f"{other} by skill")).to_have_count(1)
    expect(boxes.get_by_label(other)).to_be_focused()


@pytest.mark.nightly("the page with its bar is in tests/audit/pages")
def test_asking_again_shows_the_bar_at_once(open_page, alice, report):
    page = open_page(alice, at("slices"))
    page.get_by_text("Method").click()
    page.get_by_role("button", name="Compute it again").click()
    expect(page.get_by_text("The report is being made")).to_be_visible()
    making.compute_waiting_answers()
    expect(page.get_by_text("The report is being made")).to_be_hidden()


def test_new_labels_move_the_page_without_reload(open_page, alice, study, report):
    page = open_page(alice, at("reports"))
    # So long a report is not made again because somebody looks.
    Report.objects.update(seconds=3600)
    page.evaluate("document.body.dataset.mine = 'yes'")
    making.labels(study, {study.images.first().key: {"dan": 1}})
    page.evaluate("document.body.dispatchEvent(new Event('report-asked'))")
    expect(page.get_by_text("Labels or scores have changed")).to_be_visible()
    reports.make_report(study=study)
    expect(page.get_by_role("row")).to_have_count(3)
    assert page.evaluate("document.body.dataset.mine") == "yes"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.nightly("test_navigation.py looks at every page of the navigation")
def test_how_the_pages_look(open_page, alice, report, size):
    page = open_page(alice, "/", size=SIZES[size])
    for name, query in (
        ("side-by-side", {}),
        ("slices", {"by": "generator"}),
        ("judge", {"judge": JUDGES[1]}),
        ("gallery", {}),
        ("papers", {}),
        ("reports", {}),
    ):
        page.goto(at(name, **query))
        wait_for_pictures(page)
        take(page, f"audit-{name}-{size}")
    page.goto(at("agreement"))
    draw_charts(page)
    take(page, f"audit-people-{size}")
    image = report.study.images.order_by("pk").last()
    page.goto(at("evidence", image.public_id))
    take(page, f"audit-evidence-{size}")


@pytest.mark.nightly("tests/audit/pages opens the pages of such studies")
@pytest.mark.parametrize("size", SIZES)
def test_how_the_bad_cases_look(open_page, alice, study, size):
    page = open_page(alice, at("slices"), size=SIZES[size])
    expect(page.get_by_role("link", name="Start a judge")).to_be_visible()
    take(page, f"audit-empty-{size}")
    bare = making.study("bare", files=False)
    making.person(bare, "alice", role="owner")
    making.labels(bare, {i.key: {"ann": i.pk % 2, "ben": 1} for i in bare.images.all()})
    making.scores(bare, {i.key: 12.0 * n for n, i in enumerate(bare.images.order_by("pk"))})
    reports.make_report(study=bare)
    for name in (*CHARTED, "gallery"):
        page.goto(reverse(name, args=["bare"]))
        take(page, f"audit-bare-{name}-{size}")
