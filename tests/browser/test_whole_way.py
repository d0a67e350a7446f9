"""The whole way in a fresh installation, by hands alone: from nothing to a table of labels."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.models import Annotation, Study
from tests import making
from tests.browser.conftest import eventually, settled
from tests.browser.test_look import SIZES, take
from tests.browser.test_new_study import file, zipped

PASSWORD = "a-long-and-quiet-river"
TABLE = "path,caption,model\n" + "".join(
    f"{model}/{number}.png,{caption},{model}\n"
    for model in ("SDXL", "FLUX")
    for number, caption in enumerate(
        ("a red cup on a table", "two dogs in the snow", "a green car")
    )
)
PICTURES = {
    f"{model}/{number}.png": making.png((60 * number, 90, shade), 64)
    for model, shade in (("SDXL", 40), ("FLUX", 200))
    for number in range(3)
}


@dataclass
class Hand:
    """What one person does at a page, counted."""

    page: Page
    clicks: int = 0
    keys: int = 0

    def click(self, name: str, *, role: str = "button", within: Locator | None = None) -> None:
        (within or self.page).get_by_role(role, name=name, exact=True).click()
        settled(self.page)
        self.clicks += 1

    def type(self, label: str, words: str) -> None:
        """A field is clicked, then written in."""
        self.page.get_by_label(label, exact=True).fill(words)
        self.clicks += 1
        self.keys += len(words)

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.keys += 1

    def choose(self, into: Locator, files) -> None:
        """The button that opens the system's own window, the file there, and its Open."""
        into.set_input_files(files)
        self.clicks += 3


@pytest.mark.parametrize("size", SIZES)
def test_from_a_fresh_installation_to_labels_in_a_file(
    open_page,
    worker,
    transactional_db,
    tmp_path,
    size,
    capsys,
):
    page = open_page(None, "/", size=SIZES[size])
    ada = Hand(page)
    ada.type("Name", "ada")
    ada.type("Password", PASSWORD)
    ada.type("Repeat password", PASSWORD)
    ada.press("Enter")
    expect(page.get_by_role("heading", name="No study yet")).to_be_visible()

    ada.click("New study", role="link")
    archive = zipped(**PICTURES, **{"images.csv": TABLE.encode()})
    ada.choose(
        page.get_by_label("Drop a folder, a zip or files here"), [file("march.zip", archive)]
    )
    expect(page.get_by_text("✓ Becomes 6 images · 3 prompts · 2 generators")).to_be_visible()
    ada.click("Create study")
    expect(page.get_by_text("Imported 3 prompts, 6 images, 2 generators")).to_be_visible()
    take(page, f"way-made-{size}")
    # “Label images” stands here; answering takes two keys.
    shortest = ada.clicks + 1

    ada.click("Questions", role="link", within=page.locator("main"))
    ada.click("Remove question 2")
    ada.click("Edit question 1")
    ada.click("Offer “Can’t tell”", role="checkbox")
    ada.click("Rating 1–5")
    ada.click("Save as new version")
    expect(page.get_by_text("This study now asks")).to_be_visible()
    study = Study.objects.get(slug="march")

    # One image whose answers are known, and a practice round with it.
    ada.click("People", role="link")
    ada.click("Quality", role="link")
    ada.click("Gold questions", role="link")
    ada.click("Add a gold question", role="link")
    page.locator(".thumbs a").first.click()
    ada.clicks += 1
    page.locator("#known label").filter(has_text="Yes").first.click()
    ada.clicks += 1
    ada.type("Why (optional; annotators read it during the qualification)", "It is all there.")
    ada.click("Save")
    ada.click("Qualification", role="link")
    ada.type("Images (0: no qualification)", "1")
    ada.click("Save")
    expect(page.get_by_role("heading", name="On: 1 image first")).to_be_visible()
    take(page, f"way-practice-{size}")

    ada.click("Team", role="link", within=page.get_by_role("navigation", name="People"))
    ada.click("Create invite link")
    invitation = page.get_by_label("Link", exact=True).first.input_value()

    bob_page = open_page(None, re.sub(r"^https?://[^/]+", "", invitation), size=SIZES[size])
    bob = Hand(bob_page)
    bob.type("Name", "bob")
    bob.type("Password", PASSWORD)
    bob.type("Repeat password", PASSWORD)
    bob.press("Enter")
    bob.click("Begin")
    for choice in ("Yes", "4"):
        bob_page.locator("#answers label").filter(has_text=choice).first.click()
        bob.clicks += 1
    bob_page.locator("#answers .primary").click()
    bob.clicks += 1
    expect(bob_page.get_by_role("heading", name="All right")).to_be_visible()
    bob.click("See the result")
    bob.click("Start labelling", role="link")
    expect(bob_page.locator("#workplace")).to_be_visible()
    take(bob_page, f"way-label-{size}")
    for done, answers in enumerate(("y4", "n2", "c3", "y5", "n1")):
        expect(bob_page.get_by_text(f"{done} of 5")).to_be_visible()
        expect(bob_page.locator("[data-picture=shown]")).to_be_visible()
        for key in answers:
            bob.press(key)
        eventually(bob_page, lambda wanted=done + 1: Annotation.objects.count() == wanted)
        if not done:
            first = (ada.clicks, ada.keys, bob.clicks, bob.keys)
    assert set(study.annotations.values_list("annotator__user__username", flat=True)) == {"bob"}

    ada.click("Data", role="link", within=page.get_by_role("navigation", name="Study"))
    ada.click("Export", role="link")
    take(page, f"way-export-{size}")
    with page.expect_download() as download:
        page.locator("#export-labels a").first.click()
        ada.clicks += 1
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_text("utf-8"))))
    # Five images of six: the one that bob practised with is not among the real ones.
    assert len({row["image_id"] for row in rows}) == 5
    told = sorted((row["question"], row["value"]) for row in rows)
    assert told == [
        ("aligned", "0"),
        ("aligned", "0"),
        ("aligned", "1"),
        ("aligned", "1"),
        ("aligned", "can't tell"),
        ("likert", "1"),
        ("likert", "2"),
        ("likert", "3"),
        ("likert", "4"),
        ("likert", "5"),
    ]

    for generator in ("SDXL", "FLUX"):
        picture = tmp_path / "spring" / generator / "a red cup on a table.png"
        picture.parent.mkdir(parents=True)
        picture.write_bytes(making.png(size=48))
    ada.click("Jurybox", role="link")
    before = ada.clicks
    ada.click("New study", role="link")
    ada.choose(page.locator("#folder-files"), tmp_path / "spring")
    expect(page.get_by_text("✓ Becomes 2 images · 1 prompt · 2 generators")).to_be_visible()
    ada.click("Create study")
    expect(page.get_by_text("Imported 1 prompt, 2 images, 2 generators")).to_be_visible()
    assert Study.objects.get(slug="spring").images.exclude(file="").count() == 2
    with capsys.disabled():
        print(
            f"\n{size}: {shortest} clicks to the first label with the form as it is; with a form, "
            f"gold questions, a qualification and an invitation {first[0]} clicks and {first[1]} "
            f"keys of the owner, {first[2]} and {first[3]} of the second person; "
            f"a study from a bare folder: {ada.clicks - before} clicks"
        )
    assert shortest <= 25 and first[0] <= 30
