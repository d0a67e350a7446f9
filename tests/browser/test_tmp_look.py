from django.urls import reverse

from audit.reports import make as reports
from tests.browser.conftest import wait_for_pictures
from tests.browser.test_dashboards import build_reported
from tests.large_study import large_study
from tests.making import person


def shoot(open_page, who, slug, judge, tag):
    page = open_page(who, "/", size={"width": 1440, "height": 900})
    page.goto(reverse("judge", args=[slug]) + f"?judge={judge}")
    wait_for_pictures(page)
    page.evaluate("document.getElementById('why').scrollIntoView()")
    page.wait_for_timeout(1500)
    page.screenshot(path=f"/tmp/shots/judge-{tag}.png", full_page=True)
    words = page.evaluate("document.querySelector('main').innerText.split(/\\s+/).length")
    print(tag, "words", words)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.wait_for_timeout(1500)
    page.screenshot(path=f"/tmp/shots/judge-{tag}-open.png", full_page=True)
    page.goto(reverse("side-by-side", args=[slug]))
    wait_for_pictures(page)
    page.screenshot(path=f"/tmp/shots/side-{tag}.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("judge", args=[slug]) + f"?judge={judge}")
    wait_for_pictures(page)
    page.wait_for_timeout(1000)
    page.screenshot(path=f"/tmp/shots/judge-{tag}-390.png", full_page=True)


def test_two(transactional_db, open_page):
    study = build_reported()
    owner = (
        person(study, "alice", role="owner")
        if not study.memberships.filter(name="alice").exists()
        else study.memberships.get(name="alice")
    )
    shoot(open_page, owner, study.slug, "geneval-builtin", "two")


def test_many(transactional_db, open_page):
    study = large_study()
    body = reports.make_report(study=study).body
    for n, j in body["judges"].items():
        print(n, j["verdict"], j["drift"]["state"])
    shoot(
        open_page,
        person(study, "alice", role="owner"),
        "large",
        next(n for n, j in body["judges"].items() if j["drift"]["alarm"])
        if any(j["drift"]["alarm"] for j in body["judges"].values())
        else next(iter(body["judges"])),
        "many",
    )
