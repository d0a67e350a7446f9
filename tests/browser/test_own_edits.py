"""A folder of one's own edits, from the home page to the first answer, by clicks and keys alone; and how
long the next edit is waited for."""

from __future__ import annotations

import re
from statistics import median

from playwright.sync_api import expect

from annotations.models import Annotation, Study
from tests import editing, making
from tests.browser.test_new_study import file, zipped

EDITS, MODELS = 20, ("careful", "careless", "other")
CLICKS = 25
NEXT = 12
FORM = "Did it, kept the rest, looks right"
# From the key to the frame in which both pictures of another edit stand decoded on the screen.
WATCH = """() => {
    window.waits = [];
    window.cameBeforeTheKey = [];
    const shown = () => [...document.querySelectorAll(".stage img")];
    const result = () => document.querySelector('.pane[data-kind="result"] img')?.src;
    let pressed = 0;
    let last = result();
    addEventListener("keydown", () => { pressed = performance.now(); }, true);
    new MutationObserver(async () => {
        if (!result() || result() === last) return;
        last = result();
        const since = pressed;
        await Promise.all(shown().map((image) => image.decode()));
        window.cameBeforeTheKey.push(shown().every(
            ({ src }) => performance.getEntriesByName(src)[0].responseEnd < since));
        requestAnimationFrame(() => requestAnimationFrame(
            () => window.waits.push(performance.now() - since)));
    }).observe(document.getElementById("labelling"), {childList: true, subtree: true});
}"""
UPCOMING_IS_HERE = """() => {
    const { upcoming } = document.getElementById("workplace").dataset;
    return (upcoming ?? "").trim().split(/\\s+/).every(
        (url) => performance.getEntriesByName(new URL(url, location.href).href).length);
}"""


def folder() -> bytes:
    files = {}
    table = "name,instruction,kind\n"
    for number in range(EDITS):
        table += f"scene{number},Make circle {number} green,recolour\n"
        files[f"source/scene{number}.png"] = editing.circle(number, editing.RED)
        for model in MODELS:
            ground = editing.OTHER_GROUND if model == "careless" else editing.GROUND
            files[f"{model}/scene{number}.png"] = editing.circle(number, editing.GREEN, ground)
    return zipped(**files, **{"instructions.csv": table.encode()})


class Hand:
    """Counts clicks and keys."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, action, *given) -> None:
        self.count += 1
        action(*given)


def test_a_folder_of_sixty_edits_gets_its_first_answer_by_few_clicks(
    open_page, worker, transactional_db, capsys
):
    olga = making.person(making.study("other", prompts=1), "olga", role="owner")
    page = open_page(olga, "/")
    hand = Hand()
    hand(page.get_by_role("link", name="New study").click)
    drop = page.get_by_label("Drop a folder, a zip or files here")
    hand(lambda: drop.set_input_files([file("my_edits.zip", folder())]))
    expect(page.get_by_text("60 images")).to_be_visible()
    hand(page.get_by_role("button", name="Create study").click)
    expect(page.get_by_text(re.compile("Imported 20 prompts.* 60 images"))).to_be_visible()
    hand(page.get_by_role("link", name="Label images").click)
    expect(page.get_by_alt_text("The picture before the edit")).to_be_visible()
    # Keys count once the pictures are seen; then the first question has the focus.
    page.wait_for_function("() => document.activeElement?.closest('.question')")
    for key in "yyy":
        hand(page.keyboard.press, key)
    page.wait_for_function("() => document.getElementById('workplace').dataset.upcoming")
    study = Study.objects.get(slug="my-edits")
    assert study.form.title == FORM
    assert study.prompt_pictures.count() == EDITS
    expect(page.get_by_text("1 of 60")).to_be_visible()
    assert Annotation.objects.filter(study=study).count() == 1
    with capsys.disabled():
        print(f"\nfrom a folder of 60 edits to the first answer: {hand.count} clicks and keys")
    assert hand.count <= CLICKS


def test_the_next_edit_is_there_with_both_pictures_before_the_key(open_page, db, capsys):
    ann = making.person(editing.study(count=NEXT), "ann")
    page = open_page(ann, "/studies/edits/label/")
    page.evaluate(WATCH)
    for number in range(NEXT):
        page.wait_for_function(UPCOMING_IS_HERE)
        for key in "yyy":
            page.keyboard.press(key)
        page.wait_for_function("n => window.waits.length > n", arg=number)
    assert page.evaluate("window.cameBeforeTheKey") == [True] * NEXT
    waits = sorted(page.evaluate("window.waits"))
    # A figure to read, not a goal: how long it takes is the machine's affair.
    with capsys.disabled():
        print(
            f"\nkey to next edit: median {median(waits):.0f} ms, "
            f"p95 {waits[int(0.95 * len(waits))]:.0f} ms over {len(waits)} edits"
        )
