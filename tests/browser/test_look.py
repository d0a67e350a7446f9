"""Every page, on a desk and on a phone, in light and in dark: pictures to look at, and axe."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.urls import resolve
from playwright.sync_api import expect

from audit.reports import make as reports
from judges.models import Run, Score
from judges.runs import counts, lifecycle, score_chunk
from tests import making
from tests.browser.conftest import (
    DESKTOP,
    PHONE,
    make_study,
    save_screenshot,
    settled,
    wait_for_pictures,
)

SIZES = {"desk": DESKTOP, "phone": PHONE}
SCHEMES = ("light", "dark")
# (first role, second role, least contrast)
PAIRS = [
    *[
        (text, ground, 4.5)
        for text in ("ink", "muted", "accent", "yes", "no", "warn")
        for ground in ("paper", "raised")
    ],
    *[("line", ground, 3.0) for ground in ("paper", "raised")],
    ("on-accent", "accent", 4.5),
    ("on-answer", "yes", 4.5),
    ("on-answer", "no", 4.5),
]


# A page in another state is mostly the same page. The quick tests have axe look at it again where
# much more stands on it than any time before; `make test-all` has every state.
EVERY_STATE = "ALL" in os.environ
MUCH_MORE = 1.3
# The most elements that axe has seen on a page of a view, in a theme, in this process.
_seen: dict[tuple[str, str], int] = {}


def is_new_to_axe(page, scheme: str) -> bool:
    key = (resolve(urlsplit(page.url).path).view_name, scheme)
    elements = page.evaluate("document.querySelectorAll('*').length")
    if not EVERY_STATE and elements <= MUCH_MORE * _seen.get(key, 0):
        return False
    _seen[key] = elements
    return True


def violations(page, **options) -> list[dict[str, Any]]:
    """What axe finds; its half megabyte of script is handed over once for each document."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    return page.evaluate(
        "async (options) => (await axe.run(options)).violations",
        {"resultTypes": ["violations"], **options},
    )


def check_width(page, name: str) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{name} is {wide} px wider than the window"


def open_columns(page) -> None:
    """Tables that are folded, and columns of wide ones."""
    page.locator("details:has(table)").evaluate_all("all => all.forEach(one => one.open = true)")


def take(page, name: str) -> None:
    """A picture of the page as it stands, in both themes; then nothing serious for axe."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        wait_for_pictures(page)
        for plot in page.locator(".plot[data-drawn]:visible").all():
            expect(plot).to_have_attribute("data-drawn", re.compile(f"{scheme}$"))
        check_width(page, name)
        save_screenshot(page, f"{name}-{scheme}")
        if not is_new_to_axe(page, scheme):
            continue
        # The theme changes nothing but colours.
        only = {} if scheme == "light" else {"runOnly": ["color-contrast"]}
        grave = [
            f"{one['id']}: {one['help']} {[node['target'] for node in one['nodes']]}"
            for one in violations(page, **only)
            if one["impact"] in {"serious", "critical"}
        ]
        assert not grave, f"{name}, {scheme}: " + "\n".join(grave)
    if page.viewport_size == DESKTOP:
        page.set_viewport_size(PHONE)
        check_width(page, f"{name} on a phone")
        page.set_viewport_size(DESKTOP)
    # What came into sight meanwhile has been loaded.
    settled(page)


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_a_study_that_is_under_way(open_page, alice, study, size):
    done = lifecycle.start_run(study=study, name="geneval-builtin")
    score_chunk.work_off(run=done)
    Score.objects.filter(pk=done.scores.first().pk).update(
        value=None, error="The file of this image cannot be read: broken PNG."
    )
    counts.recount(done.pk)
    going = lifecycle.start_run(study=study, name="soft-tifa-gm-builtin")
    score_chunk.score_chunk(chunk_id=going.chunks.first().pk)
    reports.make_report(study=study)
    words = make_study(slug="words", title="Words in pictures, second round", images=False)
    making.person(words, "alice", role="owner")

    page = open_page(alice, "/", size=SIZES[size])
    take(page, f"home-{size}")
    page.goto("/studies/shapes/")
    take(page, f"study-{size}")
    page.goto("/studies/shapes/runs/")
    take(page, f"runs-{size}")
    page.goto(f"/studies/shapes/runs/{done.pk}/failures/")
    take(page, f"failures-{size}")
    page.goto("/studies/shapes/audit/judge/")
    expect(page.get_by_text("No chart: that needs generators").first).to_be_visible()
    take(page, f"judge-{size}")
    page.get_by_text("Method").click()
    save_screenshot(page, f"judge-how-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_the_labelling_page(open_page, bob, size):
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    page = open_page(bob, "/studies/shapes/label/", size=SIZES[size], **touch)
    take(page, f"label-{size}")
    page.get_by_role("radio", name="Yes").first.click()
    save_screenshot(page, f"label-half-{size}", full=False)
    page.keyboard.press("z")
    save_screenshot(page, f"label-zoomed-{size}", full=False)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    take(page, f"label-help-{size}")


@pytest.mark.parametrize("size", SIZES)
def test_pages_with_nothing_on_them_yet(open_page, size):
    study = make_study(slug="empty", title="Nothing yet", images=False)
    dan = making.person(study, "dan", role="owner")
    page = open_page(None, "/login/", size=SIZES[size])
    take(page, f"login-{size}")
    page = open_page(dan, "/studies/empty/", size=SIZES[size])
    take(page, f"empty-study-{size}")
    for name in ("label", "runs", "audit/judge"):
        page.goto(f"/studies/empty/{name}/")
        take(page, f"empty-{name.replace('/', '-')}-{size}")
    erin = making.person(study, "erin")
    erin.delete()
    page = open_page(erin, "/", size=SIZES[size])
    take(page, f"empty-home-{size}")
    page.goto("/studies/empty/")
    take(page, f"error-404-{size}")
    open_page.expected("404")


def test_a_refusal_on_a_page_that_stays(open_page, alice, study):
    Run.objects.all().delete()
    study.images.all().delete()
    page = open_page(alice, "/studies/shapes/runs/")
    page.get_by_role("button", name="Start").first.click()
    expect(page.get_by_role("alert")).to_contain_text("no images yet")
    take(page, "runs-refused-desk")
    open_page.expected("422")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_colours_by_role_have_contrast_enough(scheme):
    sheet = (settings.BASE_DIR / "static" / "base.css").read_text()
    colours = dict(re.findall(r"--([\w-]+): light-dark\((#\w+), #\w+\)", sheet))
    if scheme == "dark":
        colours = dict(re.findall(r"--([\w-]+): light-dark\(#\w+, (#\w+)\)", sheet))
    poor = [
        f"{one} on {other}: {ratio:.2f}"
        for one, other, least in PAIRS
        if (ratio := contrast(colours[one], colours[other])) < least
    ]
    assert not poor


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: (L1 + 0.05) / (L2 + 0.05)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
