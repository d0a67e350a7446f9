"""From an empty installation to a Summary with a judge's line, on one's own pictures and prompts in free
words: by hands alone, in the three ways that need no GPU. Labels are given on the label page."""

from __future__ import annotations

import base64
import io
import random
import threading
from collections.abc import Iterator

import pytest
from django.db import connection
from PIL import Image as Picture
from PIL import ImageDraw, ImageFont
from playwright.sync_api import Page, expect

from annotations.jobs import run as run_job
from annotations.jobs import waiting
from annotations.models import Annotation, Study
from audit.questions.report.question import request_due_report
from audit.reports import freshness
from judges.models import Run
from judges.runs import score_chunk
from tests import making
from tests.browser.conftest import eventually, save_screenshot
from tests.browser.test_look import take
from tests.browser.test_new_study import file, zipped
from tests.browser.test_whole_way import PASSWORD, Hand
from tests.judging.engines.openai_stand_in import spoken, standing_in, told
from tests.waiting import PATIENCE

MOST_CLICKS = 35
WORDS = (
    *("BAKERY", "OPEN", "MUSEUM", "COFFEE", "FLOWERS", "STATION", "LIBRARY", "HOTEL", "GARDEN"),
    *("MARKET", "SCHOOL", "THEATRE", "BICYCLES", "POST OFFICE", "PHARMACY"),
)
# Each word is drawn twice by two generators; the newer one makes fewer mistakes.
MISTAKES = {"early": 0.5, "late": 0.2}
PLACES = ("a wooden sign over a door", "a poster on a brick wall")


def draw_sign(text: str, shade: int) -> bytes:
    picture = Picture.new("RGB", (448, 160), (shade, 200, 220))
    pen = ImageDraw.Draw(picture)
    pen.rectangle((12, 30, 436, 130), fill="white", outline="black", width=3)
    font = ImageFont.load_default(size=46)
    pen.text((224, 80), text, fill="black", font=font, anchor="mm")
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def own_pictures() -> tuple[dict[str, bytes], dict[str, bool]]:
    """60 pictures and a table of them, and on which the text is right."""
    rng = random.Random(5)
    files, right, rows = {}, {}, ["path,caption,model"]
    for generator, share in MISTAKES.items():
        for number, (place, word) in enumerate((p, w) for p in PLACES for w in WORDS):
            name = f"{generator}/{number:02}.png"
            right[name] = rng.random() >= share
            drawn = word if right[name] else word[::-1]
            files[name] = draw_sign(drawn, rng.randrange(120, 220))
            rows.append(f'{name},"{place} that says ""{word}""",{generator}')
    files["images.csv"] = "\n".join(rows).encode()
    return files, right


def pixels(picture: bytes) -> bytes:
    return Picture.open(io.BytesIO(picture)).convert("RGB").tobytes()


def reads_signs(pictures: dict[str, bytes], right: dict[str, bool]):
    """A server's model that is right about these pictures, and about the drawn ones it is tried with."""
    seen = {pixels(picture): right[name] for name, picture in pictures.items() if name in right}

    def answer(request, before):
        sent = base64.b64decode(request.picture.partition(",")[2])
        yes = seen.get(pixels(sent), True)
        if not request.body.get("logprobs"):
            return spoken("Yes." if yes else "No.")
        return told(("Yes", 0.9), ("No", 0.1)) if yes else told(("No", 0.8), ("Yes", 0.2))

    return answer


@pytest.fixture
def workers() -> Iterator[list[BaseException]]:
    """All that workers do: imports, judges, reports. What ended them is in the list."""
    over = threading.Event()
    ended: list[BaseException] = []

    def work_once() -> None:
        for upload in waiting():
            run_job(upload.pk)
        for run in Run.objects.filter(state=Run.State.RUNNING):
            score_chunk.work_off(run=run)
        for study in Study.objects.all():
            if freshness.is_due(study=study):
                request_due_report(study)
        making.compute_waiting_answers()

    def work() -> None:
        try:
            while not over.wait(0.05):
                work_once()
        except BaseException as trouble:
            ended.append(trouble)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield ended
    over.set()
    thread.join(PATIENCE)


def label_all(page: Page, ada: Hand, right: dict[str, bool]) -> None:
    """Yes where the text is right; of two questions, the second is about looks alone."""
    ada.click("Label images", role="link")
    images = dict(Study.objects.get().images.values_list("public_id", "key"))
    for done in range(len(images)):
        expect(page.get_by_text(f"{done} of {len(images)}")).to_be_visible()
        expect(page.locator("[data-picture=shown]")).to_be_visible()
        source = page.locator("#stage img, #labelling img").first.get_attribute("src") or ""
        key = next(key for public_id, key in images.items() if public_id in source)
        answer = "y" if next(ok for name, ok in right.items() if name in key) else "n"
        ada.press(answer)
        ada.press("y")
        eventually(page, lambda wanted=done + 1: Annotation.objects.count() >= wanted)


@pytest.mark.parametrize("way", ["scores", "server", "text"])
@pytest.mark.nightly("test_first_judge.py walks to a server with six pictures")
def test_from_an_empty_installation_to_a_judges_line(
    open_page, workers, transactional_db, settings, capsys, way
):
    settings.JUDGE_SERVERS = ["loopback"]
    if way == "text":
        pytest.importorskip("rapidocr")
    files, right = own_pictures()
    page = open_page(None, "/")
    ada = Hand(page)
    ada.type("Name", "ada")
    ada.type("Password", PASSWORD)
    ada.type("Repeat password", PASSWORD)
    ada.press("Enter")
    ada.click("New study", role="link")
    ada.choose(
        page.get_by_label("Drop a folder, a zip or files here"),
        [file("signs.zip", zipped(**files))],
    )
    expect(page.get_by_text("✓ Becomes 60 images · 30 prompts · 2 generators")).to_be_visible()
    take(page, f"three-ways-{way}-files")
    ada.click("Create study")
    expect(page.get_by_text("Imported 30 prompts, 60 images, 2 generators")).to_be_visible()
    take(page, f"three-ways-{way}-imported")
    label_all(page, ada, right)
    save_screenshot(page, f"three-ways-{way}-labelled")
    ada.click("Judges", role="link", within=page.get_by_role("navigation", name="Study"))
    take(page, f"three-ways-{way}-judges")
    with standing_in(reads_signs(files, right)) as there:
        judge = {"scores": upload_scores, "server": ask_server, "text": read_text}[way](
            ada, there.url, right
        )
        done = Run.objects.filter(state=Run.State.FINISHED, scored=60)
        eventually(page, lambda: workers or done.exists())
    eventually(page, lambda: workers or Study.objects.get().reports.exists())
    assert not workers
    ada.click("Audit", role="link", within=page.get_by_role("navigation", name="Study"))
    line = page.locator(".judges-summary tbody tr").filter(has_text=judge)
    expect(line).to_contain_text("yes")
    take(page, f"three-ways-{way}-summary")
    with capsys.disabled():
        print(f"\n{way}: {ada.clicks} clicks and {ada.keys} keys; {line.inner_text()!r}")
    assert ada.clicks <= MOST_CLICKS


def upload_scores(ada: Hand, url: str, right: dict[str, bool]) -> str:
    ada.click("Upload scores", role="link")
    rng = random.Random(7)
    keys = Study.objects.get().images.values_list("key", flat=True)
    rows = ["image_id,judge,score"]
    for key in keys:
        ok = next(ok for name, ok in right.items() if name in key)
        rows.append(f"{key},our-model,{rng.random() * 0.5 + 0.45 * ok:.3f}")
    into = ada.page.get_by_label("Drop a folder, a zip or files here")
    ada.choose(into, [file("scores.csv", "\n".join(rows))])
    expect(ada.page.locator("#found")).to_contain_text("60 scores")
    ada.click("Import")
    return "our-model"


def ask_server(ada: Hand, url: str, right: dict[str, bool]) -> str:
    ada.click("Ask a model server", role="link")
    ada.type("Address", url)
    ada.type("Model", "seer")
    ada.click("Add and try")
    row = ada.page.get_by_role("listitem").filter(has_text="VQAScore (a server's model)")
    row.get_by_role("button", name="Start").click()
    ada.clicks += 1
    return "VQAScore"


def read_text(ada: Hand, url: str, right: dict[str, bool]) -> str:
    ada.click("Read the text")
    return "Words read"
