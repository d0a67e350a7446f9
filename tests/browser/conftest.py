"""A real browser before a real server, and a small study to look at: Alice owns it, Bob labels."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.models import Membership, Study
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sets.builtin import study as builtin
from tests import needs
from tests.waiting import PATIENCE, wait_until

SCREENSHOTS = Path(__file__).parent / "screenshots"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

PICTURE_IS_THERE = """() =>
    (document.getElementById("labelling")?.dataset.picture ?? "shown") === "shown"
"""

# WhiteNoise warns of a folder that is not there, and a warning fails a test.
Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))
            if is_the_same_on_a_phone(item):
                item.add_marker(pytest.mark.nightly("the steps of a test at a desk, on a phone"))


def is_the_same_on_a_phone(item: pytest.Item) -> bool:
    """The steps of a test that runs at a desk, too, where `take` looks at the phone's width."""
    given = getattr(item, "callspec", None)
    return given is not None and given.params.get("size") in ("phone", PHONE)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    if report.when == "call" and report.failed:
        item.stash[FAILED] = True
    return report


FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    executable = needs.browser()
    # Playwright's loop runs in this thread, and Django would take the tests for async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # The first request loads all pages' code, which takes long on a busy machine.
    import_module(settings.ROOT_URLCONF)
    # A limit for what is broken, not for what is slow: the first chart has its library bundled.
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(executable),
            args=[
                *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update"),
                "--disable-sync",
                # Fewer processes and threads that hand things to each other: a tenth of the processor.
                "--in-process-gpu",
                "--js-flags=--single-threaded",
            ],
        )
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def open_page(chromium: Browser, live_server, request) -> Iterator[Callable[..., Page]]:
    """Open a page as somebody. Afterwards nothing may have been refused by the
    Content-Security-Policy, thrown, or written to the console as an error."""
    contexts = []
    troubles: list[str] = []
    on_purpose: list[str] = []

    def open_as(
        person: Membership | None, path: str = "/", *, size=DESKTOP, scheme: str = "light", **more
    ) -> Page:
        context = chromium.new_context(
            base_url=live_server.url,
            viewport=size,
            color_scheme=scheme,
            reduced_motion="reduce",
            **more,
        )
        contexts.append(context)
        context.set_default_timeout(60_000)
        if person is not None:
            client = Client()
            client.force_login(person.user)
            context.add_cookies(
                [
                    {
                        "name": settings.SESSION_COOKIE_NAME,
                        "value": client.cookies[settings.SESSION_COOKIE_NAME].value,
                        "url": live_server.url,
                    }
                ]
            )
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"thrown: {error}"))
        page.on("console", lambda line: line.type == "error" and troubles.append(line.text))
        page.goto(path)
        if more.get("java_script_enabled", True):
            # Nobody answers before the picture is there.
            page.wait_for_function(PICTURE_IS_THERE)
        return page

    def expected(*parts: str) -> None:
        """What the browser and htmx write about the trouble that a test makes on purpose. The
        browser may write it a moment after this is said."""
        on_purpose.extend(parts)

    open_as.expected = expected
    yield open_as
    for number, context in enumerate(contexts):
        if FAILED in request.node.stash:
            for page in context.pages:
                keep_screenshot(page, f"FAILED-{request.node.name}-{number}")
        context.close()
    left = [one for one in troubles if not any(part in one for part in on_purpose)]
    assert not left, "\n".join(left)


def save_screenshot(page: Page, name: str, *, full: bool = True) -> None:
    """For people to look at, where they ask for it: nothing is compared with it."""
    if "TEST_SCREENSHOTS" in os.environ:
        keep_screenshot(page, name, full=full)


def keep_screenshot(page: Page, name: str, *, full: bool = True) -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full, animations="disabled")


def settled(page: Page) -> None:
    """Wait until htmx has nothing under way."""
    expect(page.locator(".htmx-request")).to_have_count(0)


def wait_for_pictures(page: Page) -> None:
    """Charts are pictures of the server until somebody asks for more."""
    page.wait_for_function(
        "() => [...document.querySelectorAll('.still img')]"
        ".every(one => !one.checkVisibility() || (one.complete && one.naturalWidth > 0))"
    )


def show_second_half(page: Page, name: str) -> None:
    """Of a page that loads it when it is seen."""
    page.evaluate("name => document.getElementById(name).scrollIntoView()", name)
    expect(page.locator(f"#{name} h2").first).to_be_visible()


def draw_charts(page: Page) -> None:
    """As a mouse does that comes over each of them."""
    page.locator(".plot-box[data-spec]").evaluate_all(
        "boxes => boxes.filter(box => box.checkVisibility()).forEach(box => "
        "box.dispatchEvent(new PointerEvent('pointerenter', {pointerType: 'mouse'})))"
    )
    for box in page.locator(".plot-box[data-spec]:visible").all():
        expect(box.locator(".plot svg").first).to_be_visible()


def eventually(page: Page, holds: Callable[[], bool]) -> None:
    """For what happens on the server without the page showing it; the page goes on meanwhile."""
    wait_until(lambda: holds() or page.wait_for_timeout(10))


@cache
def small_bench() -> tuple:
    """Drawn once; six prompts by six generators."""
    return tuple(builtin.study(prompts=6, generators=6, size=128, raters=2))


def make_study(*, slug: str = "shapes", title: str = "Shapes and colours", images: bool = True):
    study = Study.objects.create(
        slug=slug,
        title=title,
        description="Programs drew these images and gave the first answers.",
        form=publish_form(geneval_audit.FORM),
        overlap=4,
        simulated=True,
    )
    if images:
        outcome = Outcome()
        write_study.import_records(
            study=study, records=small_bench(), outcome=outcome, simulated=True
        )
        assert not outcome.rejected
    return study


@pytest.fixture
def study(transactional_db) -> Study:
    return make_study()


@pytest.fixture(scope="module")
def kept_databases(tmp_path_factory) -> Iterator[Callable[[Callable[[], Study], Path], Study]]:
    """The tables and the pictures as they were when a study was made the first time in a file."""
    kept: dict[Callable, tuple[sqlite3.Connection, Path]] = {}
    given = 0

    def study_made_by(build: Callable[[], Study], media: Path) -> Study:
        nonlocal given
        connection.ensure_connection()
        if build not in kept:
            made = build()
            tables = sqlite3.connect(":memory:", check_same_thread=False)
            connection.connection.backup(tables)
            pictures = tmp_path_factory.mktemp("pictures")
            shutil.copytree(media, pictures, dirs_exist_ok=True)
            kept[build] = tables, pictures
            return made
        tables, pictures = kept[build]
        tables.backup(connection.connection)
        # New rows of this test have other numbers than those of the tests before: nothing that the
        # process remembers of these is taken for them.
        given += 10_000
        with connection.cursor() as cursor:
            cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s", [given])
        shutil.copytree(pictures, media, dirs_exist_ok=True)
        return Study.objects.latest("pk")

    yield study_made_by
    for tables, _ in kept.values():
        tables.close()


@pytest.fixture
def saved(transactional_db, kept_databases, media) -> Callable[[Callable[[], Study]], Study]:
    """`saved(build)`: the study that `build` makes, made once in a file and copied back for each test.
    Before anything else is in the tables, since these become what they were then."""
    return lambda build: kept_databases(build, media)


@pytest.fixture
def worker() -> Iterator[None]:
    """Imports whatever is handed over, as a worker would."""
    over = threading.Event()

    def work() -> None:
        try:
            while not over.wait(0.01):
                for upload in waiting():
                    run_job(upload.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join(PATIENCE)
