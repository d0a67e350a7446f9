"""The first page of the audit: a row for each judge, and a chart that is live once the page has come."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from audit.reports import make as reports
from audit.words import summary as words
from audit.words import verdicts
from tests import making
from tests.audit.pages.test_dashboards import judge_all
from tests.browser.conftest import DESKTOP, PHONE, draw_charts, wait_for_pictures
from tests.browser.test_look import take
from tests.large_study import JUDGES, large_study

SCREEN = {"width": 1440, "height": 900}
LARGEST_PAINT = """() => new Promise(done => new PerformanceObserver(list =>
    done(list.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true}))"""


@pytest.fixture
def alice(transactional_db):
    made = making.study(prompts=40)
    judge_all(made)
    judge_all(made, name="other-judge", verdicts=False)
    return making.person(made, "alice", role="owner")


def at(name: str) -> str:
    return reverse(name, args=["shapes"])


@pytest.mark.nightly("tests/audit/pages has the lines and their links")
def test_each_judge_has_a_line_that_opens_its_page(open_page, alice):
    body = reports.make_report(study=alice.study).body
    page = open_page(alice, at("summary"), size=DESKTOP)
    rows = page.get_by_role("region", name="Judges").get_by_role("row")
    for name, judge in body["judges"].items():
        row = rows.filter(has_text=name)
        expect(row).to_contain_text(verdicts.chip_of(judge)["words"])
        expect(row).to_contain_text(words.order_of(judge))
        expect(row).to_contain_text(words.off_of(judge))
    take(page, "summary")
    page.get_by_role("link", name="other-judge", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("other-judge")
    take(page, "judge")


def test_a_phone_gets_the_picture_first_and_the_live_chart_after_it(open_page, alice):
    reports.make_report(study=alice.study)
    page = open_page(alice, "/", size=PHONE)
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(at("summary"))
    expect(page.locator(".plot svg").first).to_be_visible()
    picture, script = (
        next(place for place, url in enumerate(fetched) if part in url)
        for part in ("picture", "vega")
    )
    assert picture < script
    expect(page.get_by_role("button", name="Interactive")).to_have_count(0)


def test_a_chart_has_its_room_before_it_comes(open_page, alice):
    reports.make_report(study=alice.study)
    open_page.expected("ERR_FAILED")
    page = open_page(alice, "/", size=DESKTOP)
    page.route("**/charts/**", lambda route: route.abort())
    page.goto(at("summary"))
    room = page.locator(".chart").bounding_box()
    tools = page.locator(".chart-tools").bounding_box()
    assert room["y"] < tools["y"] < tools["y"] + tools["height"] < room["y"] + room["height"]
    page.unroute_all()
    page.reload()
    expect(page.locator(".plot svg").first).to_be_visible()
    assert page.locator(".chart").bounding_box() == room


def test_charts_need_no_javascript(open_page, alice):
    reports.make_report(study=alice.study)
    page = open_page(alice, at("summary"), size=DESKTOP, java_script_enabled=False)
    pictures = page.locator(".still img")
    expect(pictures).to_have_count(1)
    for picture in pictures.all():
        assert picture.bounding_box()["height"] > 100


@pytest.mark.nightly("test_dashboards.py draws each chart")
def test_a_mouse_over_a_chart_makes_it_interactive(open_page, alice):
    reports.make_report(study=alice.study)
    page = open_page(alice, at("side-by-side"), size=DESKTOP)
    expect(page.locator(".plot svg")).to_have_count(0)
    page.locator(".plot-box").first.hover()
    expect(page.locator("#plot svg")).to_be_visible()
    expect(page.locator("#plot + .still")).to_be_hidden()
    draw_charts(page)


@pytest.mark.nightly("needs the large study; tests/audit/pages opens the page with two judges")
def test_twelve_judges_and_the_chart_are_on_one_screen(open_page, transactional_db, capsys):
    study = large_study()
    reports.make_report(study=study)
    owner = making.person(study, "alice", role="owner")
    page = open_page(owner, reverse("summary", args=["large"]), size=SCREEN)
    wait_for_pictures(page)
    expect(page.locator(".judges-summary tbody tr")).to_have_count(len(JUDGES))
    for chart in page.locator(".chart").all():
        box = chart.bounding_box()
        assert box["y"] + box["height"] <= SCREEN["height"]
    seen = page.locator("#box-summary").evaluate("box => box.scrollWidth <= box.clientWidth")
    assert seen
    # A phone, four times slower, on a line of 400 kB a second: a figure to read, not a goal.
    phone = open_page(owner, "/", size=PHONE)
    tools = phone.context.new_cdp_session(phone)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    line = {"offline": False, "latency": 20, "uploadThroughput": 400e3, "downloadThroughput": 400e3}
    tools.send("Network.emulateNetworkConditions", line)
    phone.goto(reverse("summary", args=["large"]))
    wait_for_pictures(phone)
    with capsys.disabled():
        print(f"\nlargest paint on a slow phone: {phone.evaluate(LARGEST_PAINT) / 1000:.2f} s")
