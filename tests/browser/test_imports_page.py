"""A table is sent by keyboard, watched while a worker reads it, and what became of it is read."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from django.db import connection
from playwright.sync_api import FileChooser, TimeoutError, expect

from annotations.imports import write_study
from annotations.jobs import run as run_job
from annotations.models import Annotation, Image
from judges.intake import uploads
from judges.models import Upload
from tests.browser.test_forms import SIZES, tab_to
from tests.browser.test_look import take
from tests.waiting import PATIENCE


class Worker:
    """Imports the one upload, and stands still after its first batch until it may go on."""

    def __init__(self, monkeypatch) -> None:
        self.halfway, self.goes_on = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._work)
        progress = uploads._advance

        def watched(upload, written):
            report = progress(upload, written)

            def stops(read: int) -> None:
                report(read)
                self.halfway.set()
                self.goes_on.wait(PATIENCE)

            return stops

        monkeypatch.setattr(write_study, "LABEL_BATCH", 3)
        monkeypatch.setattr(uploads, "_advance", watched)

    def begin(self) -> None:
        self.thread.start()
        assert self.halfway.wait(PATIENCE)

    def end(self) -> None:
        self.goes_on.set()
        if self.thread.is_alive():
            self.thread.join(PATIENCE)

    def _work(self) -> None:
        try:
            run_job(Upload.objects.get().pk)
        finally:
            connection.close()


@pytest.fixture
def worker(monkeypatch) -> Iterator[Worker]:
    worker = Worker(monkeypatch)
    yield worker
    worker.end()


def opened_by_key(page, tries: int = 4) -> FileChooser:
    """A busy browser now and then swallows the first key before it hands the chooser over."""
    for left in reversed(range(tries)):
        try:
            with page.expect_file_chooser(timeout=5000) as chooser:
                page.keyboard.press("Space")
            return chooser.value
        except TimeoutError:
            if not left:
                raise
    raise AssertionError


@pytest.mark.nightly("tests/judges/intake has each step")
@pytest.mark.parametrize("size", SIZES)
def test_a_table_from_choosing_the_file_to_the_row_that_was_refused(
    open_page, alice, study, worker, tmp_path, size
):
    keys = list(Image.objects.order_by("pk").values_list("key", flat=True)[:4])
    rows = [f"{key},zoe,aligned,1" for key in keys] + ["nowhere,zoe,aligned,1"]
    table = tmp_path / "labels.csv"
    table.write_text("image_id,rater,question,value\n" + "\n".join(rows) + "\n")

    page = open_page(alice, "/studies/shapes/imports/", size=SIZES[size])
    expect(page.get_by_text("No uploads yet.")).to_be_visible()
    take(page, f"imports-empty-{size}")

    tab_to(page, page.get_by_label("Drop a folder, a zip or files here"))
    opened_by_key(page).set_files(table)
    expect(page.get_by_text("1 row cannot be used")).to_be_visible()
    expect(page.get_by_label("What to import from it")).to_have_value("labels")
    take(page, f"imports-checked-{size}")
    assert not Upload.objects.exists()
    button = page.get_by_role("button", name="Import", exact=True)
    tab_to(page, button)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()

    worker.begin()
    status = page.get_by_role("status")
    expect(status.get_by_text("3 of about 5 rows so far")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "3")
    take(page, f"imports-going-{size}")

    worker.end()
    expect(page.get_by_text("Imported 4 annotations, 4 answers.")).to_be_visible()
    expect(page.get_by_text("1 row refused")).to_be_visible()
    refused = page.get_by_role("row").filter(has_text="nowhere")
    expect(refused.get_by_role("cell").first).to_have_text("6")
    expect(refused).to_contain_text("The study has no such image.")
    expect(refused).to_contain_text("image_id: nowhere")
    take(page, f"imports-done-{size}")
    assert Annotation.objects.filter(annotator__name="zoe").count() == 4


def test_details_that_somebody_reads_stay_open_while_another_file_is_read(
    open_page, alice, study, tmp_path
):
    def sent(name: str) -> Upload:
        table = tmp_path / name
        table.write_text("image_id,rater,question,value\nnowhere,zoe,mood,1\n")
        with table.open("rb") as content:
            return uploads.accept(
                study=study, by=alice.user, content=content, name=name, kind="labels"
            )

    run_job(sent("first.csv").pk)
    second = sent("second.csv")
    page = open_page(alice, "/studies/shapes/imports/")
    summary = page.get_by_text("1 row refused")
    expect(page.get_by_text("The study has no such image.")).to_be_visible()
    summary.click()
    expect(page.get_by_text("The study has no such image.")).to_be_hidden()
    run_job(second.pk)
    expect(page.get_by_text("1 row refused")).to_have_count(2)
    expect(page.locator("details[open]")).to_have_count(1)
