"""Every page of every tab with two judges and with twelve, on two desks and a phone, light and dark:
pictures to look at (with `TEST_SCREENSHOTS=1`), and what a program can see in them."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from annotations.models import Image
from audit import navigation
from audit.reports import make as reports
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from tests import making
from tests.browser.conftest import make_study, save_screenshot, settled, wait_for_pictures
from tests.browser.test_look import SCHEMES, check_width, violations
from tests.large_study import large_study

SIZES = {"1280": (1280, 860), "1920": (1920, 1080), "390": (390, 844)}
DESK = 1280  # from this width on a table shows each of its columns
# One level deeper, by what their addresses name.
OF_STUDY = ("side-by-side", "why", "assisted", "papers", "questions")
PAGES = [
    navigation.START,
    *(name for name in navigation.PAGES if name != "compare-votes" and name != "compare"),
    *OF_STUDY,
    "judge",
    "data-image",
    "evidence",
    "run-failures",
]

# Tables that scroll or are cut where they stand; pages that fold their columns have none.
CUT_TABLES = """() => [...document.querySelectorAll('main table')]
    .filter(table => table.checkVisibility())
    .filter(table => {
        const right = table.getBoundingClientRect().right;
        for (let box = table.parentElement; box; box = box.parentElement) {
            const style = getComputedStyle(box);
            if (style.overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1) return true;
        }
        return right > innerWidth + 1;
    })
    .map(table => (table.caption || table.querySelector('tr')).innerText.slice(0, 90))"""

# Pairs of texts whose letters lie on each other.
OVERLAPS = """() => {
    const found = [], rows = [];
    // Of a line, what its boxes do not cut off.
    const visible = (line, element) => {
        let {left, top, right, bottom} = line;
        for (let box = element; box; box = box.parentElement) {
            const style = getComputedStyle(box), edge = box.getBoundingClientRect();
            if (style.overflowX !== 'visible')
                [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
            if (style.overflowY !== 'visible')
                [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
        }
        return {left, top, right, bottom};
    };
    const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode, parent = node.parentElement;
        if (!node.data.trim() || !parent.checkVisibility({visibilityProperty: true})) continue;
        if (parent.closest('.visually-hidden, select, option, textarea, svg, th')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const line of range.getClientRects()) {
            const box = visible(line, parent);
            if (box.right - box.left > 2 && box.bottom - box.top > 2) rows.push({box, node});
        }
    }
    rows.sort((one, other) => one.box.top - other.box.top);
    for (let first = 0; first < rows.length; first++)
        for (let next = first + 1; next < rows.length; next++) {
            const one = rows[first].box, other = rows[next].box;
            if (other.top > one.bottom - 6) break;
            if (rows[first].node === rows[next].node) continue;
            const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
            const high = Math.min(one.bottom, other.bottom) - other.top;
            if (wide > 3 && high > 6)
                found.push(`${rows[first].node.data.trim()} / ${rows[next].node.data.trim()}`);
        }
    return found.slice(0, 5);
}"""


# Charts are fetched again for the other theme.
DRAWN_FOR = """scheme => [...document.querySelectorAll('.still img')]
    .every(one => !one.checkVisibility() || one.currentSrc.includes(`theme=${scheme}`))"""


def two_judges():
    study = make_study()
    for name in ("geneval-builtin", "soft-tifa-gm-builtin"):
        score_chunk.work_off(run=lifecycle.start_run(study=study, name=name))
    return study


STUDIES = {2: two_judges, 12: large_study}


def address(name: str, study) -> str:
    more = {
        "data-image": lambda: Image.objects.filter(study=study).first().public_id,
        "evidence": lambda: Image.objects.filter(study=study).first().public_id,
        "run-failures": lambda: Run.objects.filter(study=study).first().pk,
    }
    return reverse(name, args=[study.slug, *([more[name]()] if name in more else [])])


def find_trouble(page: Page, name: str, scheme: str) -> list[str]:
    """What a program can see: the page's width, its tables, its texts, and what axe finds."""
    check_width(page, name)
    trouble = []
    if scheme == "light":
        if page.viewport_size["width"] >= DESK:
            trouble += [f"table cut: {one}" for one in page.evaluate(CUT_TABLES)]
        trouble += [f"text on text: {one}" for one in page.evaluate(OVERLAPS)]
    only = {} if scheme == "light" else {"runOnly": ["color-contrast"]}
    trouble += [
        f"{one['id']}: {one['help']} {[node['target'] for node in one['nodes']][:3]}"
        for one in violations(page, **only)
        if one["impact"] in {"serious", "critical"}
    ]
    return [f"{name}, {scheme}: {one}" for one in trouble]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("judges", STUDIES)
@pytest.mark.nightly("test_navigation.py opens the same pages with one judge")
def test_every_page_of_every_tab(open_page, transactional_db, judges, size):
    study = STUDIES[judges]()
    reports.make_report(study=study)
    owner = making.person(study, "olga", role="owner")
    making.compute_waiting_answers()
    width, height = SIZES[size]
    page = open_page(
        owner, reverse("study", args=[study.slug]), size={"width": width, "height": height}
    )
    trouble = []
    for name in PAGES:
        page.goto(address(name, study))
        settled(page)
        making.compute_waiting_answers()
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(DRAWN_FOR, arg=scheme)
            wait_for_pictures(page)
            save_screenshot(page, f"every-{name}-{judges}-{size}-{scheme}")
            try:
                trouble += find_trouble(page, name, scheme)
            except AssertionError as wide:
                trouble.append(str(wide))
    assert not trouble, "\n".join(trouble)
