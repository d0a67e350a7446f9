"""No waiting: the next picture is there before it is wanted; what the first page weighs."""

from __future__ import annotations

import gzip
from pathlib import Path
from statistics import median

import pytest
from django.contrib.staticfiles import finders

from tests.browser.conftest import make_study
from tests.browser.test_labelling import LABEL

IMAGES = 25
FILES = {
    *("base.css", "base.js", "django_htmx/htmx-2.min.js", "label-page.js", "label.css"),
    "theme.js",
}
# From the key to the frame in which another image stands decoded on the screen.
WATCH = """() => {
    window.waits = [];
    window.cameBeforeTheKey = [];
    let pressed = 0;
    let before = document.querySelector(".stage img").src;
    addEventListener("keydown", () => { pressed = performance.now(); }, true);
    new MutationObserver(async () => {
        const image = document.querySelector(".stage img");
        if (!image || image.src === before) return;
        before = image.src;
        const since = pressed;
        await image.decode();
        const [first, ...more] = performance.getEntriesByName(image.src);
        window.cameBeforeTheKey.push(
            first.responseEnd < since && more.every((again) => again.transferSize === 0));
        requestAnimationFrame(() => requestAnimationFrame(
            () => window.waits.push(performance.now() - since)));
    }).observe(document.getElementById("labelling"), {childList: true});
}"""
UPCOMING_IS_HERE = """() => {
    const { upcoming } = document.getElementById("workplace").dataset;
    return performance.getEntriesByName(new URL(upcoming, location.href).href).length;
}"""


@pytest.mark.nightly("tests/annotations/pages has what the page asks for")
def test_the_next_picture_comes_while_the_one_before_is_looked_at(open_page, bob, capsys):
    page = open_page(bob, LABEL)
    page.evaluate(WATCH)
    for number in range(IMAGES):
        page.wait_for_function(UPCOMING_IS_HERE)
        page.keyboard.press("a")
        page.wait_for_function("n => window.waits.length > n", arg=number)
    assert page.evaluate("window.cameBeforeTheKey") == [True] * IMAGES
    waits = sorted(page.evaluate("window.waits"))
    # A figure to read, not a goal: how long it takes is the machine's affair.
    with capsys.disabled():
        print(
            f"\nkey to next image: median {median(waits):.0f} ms, "
            f"p95 {waits[int(0.95 * len(waits))]:.0f} ms over {len(waits)} images"
        )


def test_the_first_labelling_page_weighs_little(open_page, bob, capsys):
    page = open_page(bob, LABEL)
    html = len(page.request.get(LABEL).body())
    names = page.evaluate(
        """() => performance.getEntriesByType("resource").map(one => new URL(one.name).pathname)"""
    )
    files = {name.removeprefix("/static/") for name in names if name.startswith("/static/")}
    # With the page, its icon, its picture and the next one: ten requests.
    assert files == FILES
    # As WhiteNoise sends them: compressed once, kept by the browser for ever.
    sizes = {name: len(gzip.compress(Path(finders.find(name)).read_bytes())) for name in files}
    weight = html + sum(sizes.values())
    with capsys.disabled():
        print(
            f"\nfirst labelling page: {weight / 1000:.1f} kB besides the image, {len(FILES) + 4} requests"
        )
    assert weight <= 75_000


def test_the_image_is_kept_by_the_browser(open_page, bob):
    make_study(slug="other")
    page = open_page(bob, LABEL)
    picture = page.locator(".stage img").get_attribute("src")
    answer = page.request.get(picture)
    assert "immutable" in answer.headers["cache-control"]
    assert "private" in answer.headers["cache-control"]
