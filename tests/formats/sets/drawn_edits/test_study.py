"""Drawn edits: what is planted is drawn, and nothing else."""

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image, ImageChops

from jurybox_formats.forms import marks
from jurybox_formats.sets.drawn_edits import scenes, study
from jurybox_formats.sources.records import (
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    ScoreRecord,
)

TASKS = 24


def changed(before: Image.Image, after: Image.Image) -> np.ndarray:
    return np.asarray(ImageChops.difference(before, after)).max(axis=2) > 0


def outside(task: scenes.Task) -> np.ndarray:
    return np.asarray(scenes.paint_mask(task, size=study.SIZE)) == 0


def test_the_same_seed_draws_the_same_study_byte_for_byte():
    assert list(study.study(4)) == list(study.study(4))
    assert list(study.study(4)) != list(study.study(4, seed=study.SEED + 1))


def test_faults_are_dealt_out_exactly():
    counts = Counter((edit.editor, edit.fault) for edit in study.plan_edits(100))
    for editor in study.EDITORS:
        assert counts[editor.name, study.OVERDONE] == round(100 * editor.overdone)
        assert counts[editor.name, study.NOTHING] == round(100 * editor.nothing)
        assert counts[editor.name, study.WRONG] == round(100 * editor.wrong)
    shares = [counts[editor.name, study.OVERDONE] for editor in study.EDITORS]
    assert shares == sorted(shares)


@pytest.mark.parametrize("number", range(TASKS))
def test_a_right_edit_changes_its_mask_and_nothing_else(number):
    task = scenes.make_task(number, study.SEED)
    before, after = (
        scenes.paint_things(task, things, size=study.SIZE) for things in (task.before, task.after)
    )
    where = changed(before, after)
    assert where[~outside(task)].sum() > 50
    assert not where[outside(task)].any()


@pytest.mark.parametrize("number", range(TASKS))
def test_each_fault_is_in_the_picture(number):
    task = scenes.make_task(number, study.SEED)
    before = scenes.paint_things(task, task.before, size=study.SIZE)
    for fault in (study.NOTHING, study.WRONG, study.OVERDONE):
        edit = study.Edit("img", study.prompt_key(number), "Mirage", fault, flawed=False)
        where = changed(before, study.draw(edit, task))
        assert where.any() == (fault != study.NOTHING)
        assert where[outside(task)].any() == (fault != study.NOTHING)


def test_a_task_names_what_it_is_about_once():
    for number in range(TASKS):
        task = scenes.make_task(number, study.SEED)
        names = [f"{thing.color} {thing.shape}" for thing in task.before]
        assert len(set(names)) == len(names)
        assert task.kind == scenes.KINDS[number % 4]
        assert sum(name in task.text for name in names) == (task.kind != "add")


def test_people_answer_the_form_and_mark_what_changed():
    records = list(study.study(8))
    kinds = Counter(type(record) for record in records)
    assert kinds[ImageRecord] == 8 * len(study.EDITORS)
    assert kinds[PromptPictureRecord] == 2 * 8
    assert kinds[ScoreRecord] == kinds[ImageRecord] * len(study.JUDGES)
    labels = [record for record in records if isinstance(record, LabelRecord)]
    answered = Counter(label.question for label in labels)
    assert answered["did"] == answered["kept"] == 3 * kinds[ImageRecord]
    edits = {edit.key: edit for edit in study.plan_edits(8)}
    tasks = {study.prompt_key(number): scenes.make_task(number, study.SEED) for number in range(8)}
    placed = [label for label in labels if label.question == "where"]
    assert placed
    for label in placed:
        (mark,) = marks.read(label.value)
        thing = tasks[edits[label.image].prompt].bystander
        assert mark.x < thing.x < mark.x + mark.width
        assert mark.y < thing.y < mark.y + mark.height


def test_results_are_saved_again_as_an_editor_would():
    images = [record for record in study.study(1) if isinstance(record, ImageRecord)]
    for image in images:
        with Image.open(io.BytesIO(image.content)) as picture:
            assert (picture.format, picture.size) == ("JPEG", (study.SIZE, study.SIZE))
