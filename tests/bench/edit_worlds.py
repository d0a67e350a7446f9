"""Planted studies of edits: drawn scenes, faults of which it is known what they are, people who err a little, and
judges made of rules that see a part of it.

A scene is a disk and a square on a ground. The instruction recolours the disk. What may go wrong: nothing is done,
the square is recoloured instead, or the ground changes, too.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import numpy as np
from PIL import Image as Picture
from PIL import ImageDraw

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import Study
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from jurybox_formats.forms.papers import edits
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
)
from jurybox_judging import catalogue
from jurybox_judging.engines.shared.shown_pictures import named_pictures
from jurybox_judging.recipes.entry import Entry

COLOURS = {
    "red": (200, 30, 30),
    "green": (30, 160, 30),
    "blue": (40, 60, 200),
    "yellow": (230, 210, 40),
}
GROUNDS = ((250, 250, 250), (200, 220, 240), (90, 90, 90), (40, 30, 60))
GENERATORS = 5
PEOPLE, NOISE = ("ann", "ben", "cem"), 0.08
# What was done -> how often, and whether it was what was asked for and left the rest.
FAULTS = {
    "good": (0.3, 1, 1),
    "nothing": (0.25, 0, 1),
    "wrong thing": (0.15, 0, 0),
    "over-edited": (0.3, 1, 0),
}
SIZE, DISK, SQUARE, GROUND = 48, (14, 24), (36, 24), (2, 2)


@dataclass(frozen=True)
class Scene:
    ground: tuple[int, int, int]
    disk: str
    square: str

    def drawn(self) -> bytes:
        picture = Picture.new("RGB", (SIZE, SIZE), self.ground)
        pen = ImageDraw.Draw(picture)
        pen.ellipse((6, 16, 22, 32), fill=COLOURS[self.disk])
        pen.rectangle((28, 16, 44, 32), fill=COLOURS[self.square])
        file = io.BytesIO()
        picture.save(file, "PNG", compress_level=1)
        return file.getvalue()


@dataclass(frozen=True)
class Edit:
    prompt: int
    generator: int
    target: str
    fault: str
    before: Scene
    after: Scene


def edits_of(count: int, random: np.random.Generator) -> Iterator[Edit]:
    chances = [chance for chance, _, _ in FAULTS.values()]
    for prompt in range(count // GENERATORS):
        disk, target, square = random.choice(list(COLOURS), 3, replace=False).tolist()
        ground, other = (GROUNDS[n] for n in random.choice(len(GROUNDS), 2, replace=False))
        before = Scene(ground, disk, square)
        after = {
            "good": Scene(ground, target, square),
            "nothing": before,
            "wrong thing": Scene(ground, disk, target),
            "over-edited": Scene(other, target, square),
        }
        for generator in range(GENERATORS):
            fault = str(random.choice(list(FAULTS), p=chances))
            yield Edit(prompt, generator, target, fault, before, after[fault])


def records(made: list[Edit], random: np.random.Generator) -> Iterator[Any]:
    for generator in range(GENERATORS):
        yield GeneratorRecord(f"g{generator}", date(2021 + generator, 1, 1))
    told = set()
    for edit in made:
        prompt, image = f"p{edit.prompt}", f"g{edit.generator}/{edit.prompt}"
        if prompt not in told:
            told.add(prompt)
            yield PromptRecord(prompt, f"Make the disk {edit.target}", ("recolour",))
            yield PromptPictureRecord(prompt, "source", edit.before.drawn())
        yield ImageRecord(image, prompt, f"g{edit.generator}", edit.after.drawn())
    for edit in made:
        _, did, kept = FAULTS[edit.fault]
        right = int(random.random() < 0.8)
        for who in PEOPLE:
            for question, truth in (("did", did), ("kept", kept), ("looks_right", right)):
                value = truth ^ int(random.random() < NOISE)
                image = f"g{edit.generator}/{edit.prompt}"
                yield LabelRecord(image, who, question, value)


def planted(slug: str, *, count: int, seed: int) -> Study:
    random = np.random.default_rng(seed)
    study = Study.objects.create(slug=slug, title=slug, form=publish_form(edits.FORM))
    outcome = Outcome()
    made = list(edits_of(count, random))
    write_study.import_records(study=study, records=records(made, random), outcome=outcome)
    assert not outcome.rejected, outcome.rejected[:3]
    return study


class Rules:
    """Fills in the form by what it is shown. Without the source it cannot know what was kept, without the
    result it knows nothing; then it guesses by the ground, which tells nothing."""

    identity = "tests:Rules"
    version = "1"
    batch = 64
    takes_several = True
    facts: ClassVar[dict[str, str]] = {"checkpoint": "rules"}

    def load(self) -> None:
        """There is nothing to load."""

    def talk(self, asked: Any) -> list[tuple[str, ...]]:
        return [(json.dumps(self.answers(shown, talk.turns[0])),) for shown, talk in asked]

    def answers(self, shown: Any, words: str) -> dict[str, int]:
        pictures = dict(named_pictures(shown))
        # A picture alone has no name: whoever sees only the result is shown that.
        source, result = pictures.get("source"), pictures.get("result", pictures.get(""))
        guess = int(sum((result or source).getpixel(GROUND)) > 400)
        if result is None:
            return {"did": guess, "kept": guess, "looks_right": 1}
        target = next(name for name in COLOURS if f"Make the disk {name}" in words)
        did = int(result.getpixel(DISK) == COLOURS[target])
        kept = guess if source is None else self.kept(source, result, did)
        return {"did": did, "kept": kept, "looks_right": 1}

    def kept(self, source: Any, result: Any, did: int) -> int:
        return int(all(source.getpixel(at) == result.getpixel(at) for at in (GROUND, SQUARE)))


class BlindToOverEditing(Rules):
    """Sees both, and takes the rest for kept where what was asked is done."""

    identity = "tests:BlindToOverEditing"

    def kept(self, source: Any, result: Any, did: int) -> int:
        return did


BOTH = ("source", "result")
# Judge -> engine, what it is shown, and the questions on which it follows people.
JUDGES = {
    "sees both": ("Rules", BOTH, {"did", "kept"}),
    "only the result": ("Rules", ("result",), {"did"}),
    "only the source": ("Rules", ("source",), set()),
    "ignores over-editing": ("BlindToOverEditing", BOTH, {"did"}),
}
QUESTIONS = ("did", "kept")


def entries() -> dict[str, Entry]:
    """For each judge and question one of the catalogue."""
    return {
        name_of(judge, question): Entry(
            f"{judge}, {question}",
            "jurybox_judging.methods.edit_form:EditForm",
            {"talk": (f"{__name__}:{engine}", {})},
            {"self_test": False, "question": question, "pictures": list(pictures)},
        )
        for judge, (engine, pictures, _) in JUDGES.items()
        for question in QUESTIONS
    }


def name_of(judge: str, question: str) -> str:
    return f"{judge.replace(' ', '-')}-{question}"


def score_all(study: Study) -> None:
    """Every judge of `entries`, which must be in the catalogue."""
    for name in entries():
        assert name in catalogue.JUDGES
        run = lifecycle.start_run(study=study, name=name, options={})
        score_chunk.work_off(run=run)
        run.refresh_from_db()
        assert run.state == Run.State.FINISHED, run.reason
