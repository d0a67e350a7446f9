"""The study of edits: which faults each imaginary editor makes, and what people and judges say.

The newer an editor, the oftener it does the instruction – and the oftener it changes something else as
well. How often is planted: `Editor.faults` are shares of its edits, dealt out exactly. Judges are
imaginary, too: one reads both, one sees only whether the instruction was followed, one loses the newest
editors' way of drawing. Everything follows from the seed and the names of what is drawn.
"""

from __future__ import annotations

import hashlib
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from PIL import Image

from jurybox_formats.forms.marks import Mark, marks_text
from jurybox_formats.sets.builtin.drawing import png
from jurybox_formats.sets.builtin.study import ERROR_RATE
from jurybox_formats.sets.drawn_edits.scenes import (
    KINDS,
    Task,
    box_of_bystander,
    can_be_spoilt,
    change_bystander,
    make_task,
    paint_mask,
    paint_things,
    spoil,
)
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
    Record,
    ScoreRecord,
)

SEED = 11
SIZE = 192
RIGHT, NOTHING, WRONG, OVERDONE = "right", "nothing", "wrong", "overdone"


@dataclass(frozen=True, slots=True)
class Editor:
    """Shares of its edits: nothing done, the wrong thing done, something else changed as well."""

    name: str
    released: date
    note: str
    nothing: float
    wrong: float
    overdone: float
    flawed: float

    @property
    def record(self) -> GeneratorRecord:
        return GeneratorRecord(self.name, self.released, "imaginary", f"Imaginary: {self.note}.")


# Chosen so that what was done says nothing of what was kept: whoever sees only the first is blind.
EDITORS = (
    Editor("Gluestick", date(2022, 5, 16), "often does nothing", 0.28, 0.12, 0.18, 0.25),
    Editor("Tweezers", date(2023, 3, 6), "misses less", 0.20, 0.09, 0.23, 0.2),
    Editor("Palette", date(2024, 1, 22), "repaints a little", 0.14, 0.07, 0.27, 0.15),
    Editor("Airbrush", date(2024, 11, 4), "repaints more", 0.09, 0.05, 0.32, 0.1),
    Editor("Mirage", date(2025, 9, 1), "does it, and more than that", 0.05, 0.03, 0.37, 0.1),
)
NEWEST = ("Airbrush", "Mirage")
READS_BOTH, READS_DID, LOSES_NEW = "reads-both", "reads-instruction", "loses-new-editors"
ALL_OF_IT, A_PART_OF_IT, NONE_OF_IT = 0.82, 0.4, 0.2
JUDGES = (READS_BOTH, READS_DID, LOSES_NEW)


@dataclass(frozen=True, slots=True)
class Edit:
    key: str
    prompt: str
    editor: str
    fault: str
    flawed: bool

    @property
    def did(self) -> bool:
        return self.fault in (RIGHT, OVERDONE)

    @property
    def keeps_rest(self) -> bool:
        return self.fault in (RIGHT, NOTHING)


def plan_edits(prompts: int, seed: int = SEED) -> list[Edit]:
    """What every editor makes of every prompt. Faults are dealt out, so their counts are exact."""
    edits = []
    for editor in EDITORS:
        rng = random.Random(f"faults {seed} {editor.name}")
        faults = _deal(editor, prompts)
        rng.shuffle(faults)
        flawed = [number < round(editor.flawed * prompts) for number in range(prompts)]
        rng.shuffle(flawed)
        for number, (fault, is_flawed) in enumerate(zip(faults, flawed, strict=True)):
            did = fault in (RIGHT, OVERDONE)
            is_flawed = is_flawed and can_be_spoilt(KINDS[number % len(KINDS)], did=did)
            name = f"{seed}|{editor.name}|{number}"
            key = f"img-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
            edits.append(Edit(key, prompt_key(number), editor.name, fault, is_flawed))
    return edits


def prompt_key(number: int) -> str:
    return f"edit-{number:03}"


def study(prompts: int, *, size: int = SIZE, seed: int = SEED, raters: int = 3) -> Iterator[Record]:
    """Prompts with their pictures, editors, then edit by edit in the order of their keys, each with its
    answers and scores."""
    tasks = {prompt_key(number): make_task(number, seed) for number in range(prompts)}
    for key, task in tasks.items():
        yield PromptRecord(key, task.text, (task.kind,))
        yield PromptPictureRecord(key, "source", png(paint_things(task, task.before, size=size)))
        yield PromptPictureRecord(key, "mask", png(paint_mask(task, size=size)))
    yield from (editor.record for editor in EDITORS)
    for edit in sorted(plan_edits(prompts, seed), key=lambda one: one.key):
        task = tasks[edit.prompt]
        picture = _save_as_its_editor(draw(edit, task, size=size))
        yield ImageRecord(edit.key, edit.prompt, edit.editor, picture)
        for number in range(1, raters + 1):
            yield from _answers(edit, task, f"simulated-{number}", seed)
        yield from _scores(edit, seed)


def draw(edit: Edit, task: Task, *, size: int = SIZE) -> Image.Image:
    rng = random.Random(f"draw {edit.key}")
    things = task.after if edit.did else task.before
    if not edit.keeps_rest:
        things = change_bystander(task, things, rng)
    if edit.flawed:
        things = spoil(task, things, rng)
    return paint_things(task, things, size=size)


def _deal(editor: Editor, prompts: int) -> list[str]:
    faults: list[str] = []
    for fault, share in (
        (NOTHING, editor.nothing),
        (WRONG, editor.wrong),
        (OVERDONE, editor.overdone),
    ):
        faults += [fault] * round(share * prompts)
    return (faults + [RIGHT] * prompts)[:prompts]


def _save_as_its_editor(picture: Image.Image) -> bytes:
    """As JPEG: no editor returns a picture's untouched part bit by bit."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=92)
    return file.getvalue()


def _answers(edit: Edit, task: Task, rater: str, seed: int) -> Iterator[LabelRecord]:
    """Of somebody who errs at each question with the same small chance, and who marks what changed."""
    rng = random.Random(f"answers {seed} {rater} {edit.key}")
    truth = {"did": edit.did, "kept": edit.keeps_rest, "looks_right": not edit.flawed}
    said = {name: value != (rng.random() < ERROR_RATE) for name, value in truth.items()}
    for question, value in said.items():
        yield LabelRecord(edit.key, rater, question, int(value))
    if not said["kept"] and not edit.keeps_rest:
        yield LabelRecord(edit.key, rater, "where", _mark_of_bystander(task, rng))


def _mark_of_bystander(task: Task, rng: random.Random) -> str:
    left, top, right, bottom = (edge + rng.uniform(-0.01, 0.01) for edge in box_of_bystander(task))
    left, top = max(0.0, left), max(0.0, top)
    width, height = min(1.0, right) - left, min(1.0, bottom) - top
    return marks_text((Mark(round(left, 4), round(top, 4), round(width, 4), round(height, 4)),))


def _scores(edit: Edit, seed: int) -> Iterator[ScoreRecord]:
    """Of the imaginary judges, from 0 to 1."""
    for judge in JUDGES:
        rng = random.Random(f"score {seed} {judge} {edit.key}")
        middle = _middle(edit, judge)
        if judge == LOSES_NEW and edit.editor in NEWEST and rng.random() < 0.6:
            middle = NONE_OF_IT
        if rng.random() < ERROR_RATE:
            middle = ALL_OF_IT + NONE_OF_IT - middle
        yield ScoreRecord(edit.key, judge, round(min(1, max(0, rng.gauss(middle, 0.09))), 4))


def _middle(edit: Edit, judge: str) -> float:
    if not edit.did:
        return NONE_OF_IT
    return ALL_OF_IT if edit.keeps_rest or judge == READS_DID else A_PART_OF_IT
