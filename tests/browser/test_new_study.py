"""A study of one's own pictures, made in the browser: sent in pieces, checked, corrected, imported."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotations.models import Study
from judges.intake import deliveries
from judges.models import Batch, Delivery, Upload
from tests import making
from tests.browser.conftest import eventually
from tests.browser.test_look import SIZES, take

TABLE = """path,caption,model,rating
a/1.png,a red cup on a table,SDXL,4
a/2.png,two dogs in the snow,SDXL,2
a/3.png,a red cup on a table,FLUX,5
a/9.png,two dogs in the snow,FLUX,5
"""
PICTURES = {f"a/{n}.png": making.png((40 * n, 90, 200 - 40 * n), 64) for n in (1, 2, 3)}


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def owner(transactional_db):
    """Somebody who may make studies and has one that is of no matter here."""
    return making.person(making.study("other", prompts=1), "olga", role="owner")


class Steps:
    """Counts what a hand does: clicks, choices and keys."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, action, *given) -> None:
        self.count += len(given[0]) if given and isinstance(given[0], str) else 1
        action(*given)


def choose(page: Page, *files: Path) -> None:
    page.get_by_label("Drop a folder, a zip or files here").set_input_files(list(files))


def send(page: Page, *files: dict) -> None:
    page.get_by_label("Drop a folder, a zip or files here").set_input_files(list(files))


def file(name: str, content: bytes | str, kind: str = "application/octet-stream") -> dict:
    data = content.encode() if isinstance(content, str) else content
    return {"name": name, "mimeType": kind, "buffer": data}


@pytest.mark.parametrize("size", SIZES)
def test_from_the_home_page_to_a_study_of_a_zip_and_a_table(open_page, owner, worker, size):
    page = open_page(owner, "/", size=SIZES[size])
    step = Steps()
    step(page.get_by_role("link", name="New study").click)
    take(page, f"new-study-empty-{size}")
    archive = zipped(**PICTURES, **{"images.csv": TABLE.encode()})
    step(lambda: send(page, file("march_audit.zip", archive)))
    expect(page.get_by_role("heading", name="3 pictures · images.csv, 4 rows")).to_be_visible()
    expect(page.get_by_text("1 row cannot be used – see which")).to_be_visible()
    expect(page.get_by_label("caption")).to_have_value("prompt")
    expect(page.get_by_label("rating")).to_have_value("label:1-5")
    expect(page.get_by_label("Name", exact=True)).to_have_value("March audit")
    page.get_by_text("see which").click()
    expect(page.get_by_text("There is no such picture.")).to_be_visible()
    take(page, f"new-study-checked-{size}")
    assert not Study.objects.filter(slug="march-audit").exists()
    step(page.get_by_role("button", name="Create study").click)
    expect(
        page.get_by_text("Imported 2 prompts, 3 images, 2 generators, 3 annotations")
    ).to_be_visible()
    expect(page.get_by_role("link", name="Label images")).to_be_visible()
    take(page, f"new-study-made-{size}")
    study = Study.objects.get(slug="march-audit")
    assert [q["name"] for q in study.form.questions] == ["rating"]
    assert study.images.exclude(file="").count() == 3
    eventually(page, lambda: not Delivery.objects.exists())
    print(f"\n{step.count} clicks and keys from the home page to a study, {size}")
    assert step.count <= 5


def test_a_menu_corrects_a_column_and_is_remembered_after_a_refusal(open_page, owner, worker):
    page = open_page(owner, "/studies/new/")
    table = TABLE.replace("caption", "words").replace("path", "where")
    send(page, file("set.zip", zipped(**PICTURES, **{"t.csv": table.encode()})))
    expect(page.get_by_label("words")).to_have_value("prompt")
    page.get_by_label("model").select_option("ignore")
    expect(page.get_by_text("1 generator ·")).to_be_visible()
    page.get_by_label("words").select_option("tags")
    page.get_by_label("where").select_option("ignore")
    expect(page.get_by_text("None of the 4 columns of t.csv names the pictures")).to_be_visible()
    # A menu that is changed while another change is under way replaces it.
    open_page.expected("htmx:afterRequest", "htmx:sendAbort")
    page.get_by_label("Name", exact=True).fill("Kept as typed")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_role("alert").filter(has_text="None of the 4 columns")).to_be_visible()
    open_page.expected("422")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Kept as typed")
    expect(page.get_by_label("model")).to_have_value("ignore")
    take(page, "new-study-refused-desk")
    page.reload()
    page.get_by_label("where").select_option("picture")
    page.get_by_label("words").select_option("prompt")
    expect(page.get_by_text("✓ Becomes 3 images · 2 prompts")).to_be_visible()
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_role("link", name="Label images")).to_be_visible()
    open_page.expected("htmx:afterRequest", "htmx:sendAbort", "422")
    assert Study.objects.get(slug="kept-as-typed").generators.count() == 1


@pytest.mark.parametrize("size", SIZES)
def test_a_bare_folder_is_enough(open_page, owner, worker, tmp_path, size):
    for generator in ("SDXL", "FLUX"):
        for prompt in ("a red cup on a table", "two dogs in the snow"):
            place = tmp_path / "pictures" / generator / f"{prompt}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(making.png(size=48))
    page = open_page(owner, "/studies/new/", size=SIZES[size])
    page.locator("#folder-files").set_input_files(tmp_path / "pictures")
    expect(page.get_by_text("✓ Becomes 4 images · 2 prompts · 2 generators")).to_be_visible()
    expect(page.get_by_label("Folder is")).to_have_value("generator")
    page.get_by_label("Folder is").select_option("nothing")
    expect(page.get_by_text("2 prompts · 1 generator", exact=False)).to_be_visible()
    page.get_by_label("Folder is").select_option("generator")
    expect(page.get_by_text("2 prompts · 2 generators")).to_be_visible()
    take(page, f"new-study-folder-{size}")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_text("Imported 2 prompts, 4 images, 2 generators.")).to_be_visible()
    assert Study.objects.get(slug="pictures").images.count() == 4


def test_a_broken_line_and_a_reload_cost_no_piece_that_was_sent(
    open_page, owner, worker, monkeypatch, tmp_path
):
    archive = tmp_path / "large.zip"
    archive.write_bytes(zipped(**{f"p{n} cup.png": making.png(size=64) for n in range(9)}))
    monkeypatch.setattr(deliveries, "PIECE", -(-archive.stat().st_size // 6))
    page = open_page(owner, "/studies/new/")
    pieces: list[str] = []
    page.on("requestfinished", lambda r: "/deliveries/" in r.url and pieces.append(r.url))
    page.route("**/deliveries/*/2/", lambda route: route.abort())
    choose(page, archive)
    expect(page.get_by_role("status").filter(has_text="The line is broken")).to_be_visible()
    open_page.expected("ERR_FAILED")
    assert len(pieces) == 2
    page.unroute("**/deliveries/*/2/")
    page.reload()
    expect(page.get_by_text("half sent")).to_be_visible()
    expect(page.get_by_text("2 of 6 pieces")).to_be_visible()
    take(page, "new-study-half-sent-desk")
    choose(page, archive)
    expect(page.get_by_text("✓ Becomes 9 images")).to_be_visible()
    numbers = [int(url.rstrip("/").rpartition("/")[2]) for url in pieces]
    assert numbers == [0, 1, 2, 3, 4, 5]
    assert all(one < other for one, other in pairwise(numbers))
    open_page.expected("ERR_FAILED")


def test_half_a_zip_a_wrong_file_and_a_name_that_is_taken_keep_what_was_typed(
    open_page, owner, worker
):
    page = open_page(owner, "/studies/new/")
    page.get_by_label("Name", exact=True).fill("Other")
    send(page, file("notes.exe", b"MZ"))
    expect(
        page.get_by_role("status").filter(has_text="nothing that can be imported")
    ).to_be_visible()
    open_page.expected("422")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Other")
    send(page, file("half.zip", zipped(**PICTURES)[:-80]))
    expect(page.locator("#found-refusal")).to_contain_text("half.zip")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Other")
    page.get_by_role("button", name="Remove half.zip").click()
    send(page, file("a.zip", zipped(**PICTURES)))
    expect(page.get_by_text("✓ Becomes 3 images")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Other")
    page.get_by_role("button", name="Create study").click()
    expect(page.locator("#refused")).to_contain_text("“Other 2” is free")
    open_page.expected("422")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Other")
    expect(page.get_by_text("✓ Becomes 3 images")).to_be_visible()
    page.get_by_label("Name", exact=True).fill("Other 2")
    page.get_by_role("button", name="Create study").click()
    expect(page.get_by_role("link", name="Label images")).to_be_visible()
    open_page.expected("422")
    assert Upload.objects.get().outcome["images"] == 3


def test_a_folder_that_is_dropped_comes_with_all_that_is_in_it(open_page, owner, tmp_path):
    folder = tmp_path / "march audit"
    for generator in ("SDXL", "FLUX"):
        (folder / generator).mkdir(parents=True)
        for number, prompt in enumerate(("a red cup", "two dogs", "a blue hat")):
            (folder / generator / f"{prompt}.png").write_bytes(
                making.png((80 * number, 9, len(generator)))
            )
    page = open_page(owner, "/studies/new/")
    box = page.locator("[data-drop]").bounding_box()
    # Chromium's own drag: a folder of the machine, as a hand drops it.
    browser = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.send(
            "Input.dispatchDragEvent",
            {
                "type": kind,
                "x": box["x"] + 40,
                "y": box["y"] + 40,
                "data": {"items": [], "files": [str(folder)], "dragOperationsMask": 1},
            },
        )
    expect(page.get_by_role("heading", name="6 pictures")).to_be_visible()
    expect(page.get_by_label("Folder is")).to_have_value("generator")
    expect(page.get_by_label("Name", exact=True)).to_have_value("March audit")
    paths = {path for batch in Batch.objects.all() for path, _ in batch.files}
    assert "march audit/FLUX/a blue hat.png" in paths
    assert len(paths) == 6


def test_files_chosen_before_the_script_has_come_are_sent_when_it_comes(open_page, owner, worker):
    page = open_page(owner, "/")
    late = []
    page.route("**/bring*.js", lambda route: late.append(route))
    page.goto("/studies/new/", wait_until="commit")
    send(page, file("march.zip", zipped(**PICTURES, **{"images.csv": TABLE.encode()})))
    eventually(page, lambda: late)
    late.pop().continue_()
    expect(page.get_by_role("heading", name="3 pictures · images.csv, 4 rows")).to_be_visible()
