"""imagenhub_published: printed figures beside those of the ratings, which lie beside the file in `data/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from jurybox_formats.sets.imagenhub import read
from jurybox_formats.sources.records import LabelRecord
from jurybox_stats.estimate import Undefined
from jurybox_stats.people.imagenhub import QUESTIONS, figures
from tests.vectors.compare import Compared

KINDS = {"": "", "fleiss_kappa": "κ ", "alpha_ordinal": "α "}


def with_ratings(file: Path, bundle: dict) -> list[tuple[str, dict]]:
    """A case for each model of each task."""
    folder = file.resolve().parent.parent / "data" / "imagenhub"
    return [
        (f"{task} {model}", {"folder": folder, "task": task, "model": model, "printed": printed})
        for task, models in bundle["tasks"].items()
        for model, printed in models.items()
    ]


def imagenhub(case: dict, bundle: dict) -> Iterator[Compared]:
    ours = figures(_ratings(case["folder"], case["task"], case["model"]))
    for name, printed in case["printed"].items():
        kind, _, short = name.rpartition(" ")
        number = ours[f"{KINDS[kind]}{short}"]
        if printed is None or isinstance(number, Undefined):
            nothing = printed is None and isinstance(number, Undefined)
            yield Compared(name, number, printed, nothing)
        else:
            # Printed with two digits.
            yield Compared(name, number.value, printed, round(number.value, 2) == printed)


def _ratings(folder: Path, task: str, model: str) -> dict[str, np.ndarray]:
    given: dict[str, dict[str, dict[str, float]]] = {short: {} for short in QUESTIONS}
    short_of = {question: short for short, question in QUESTIONS.items()}
    for file in sorted(folder.glob(f"{task}_rater*.tsv")):
        for record in read(file):
            if isinstance(record, LabelRecord) and record.image.startswith(f"{model}/"):
                of_rater = given[short_of[record.question]].setdefault(record.rater, {})
                of_rater[record.image] = float(record.value)
    if not given["SC"]:
        raise KeyError(f"ratings of {task} by {model}")
    images = sorted({image for of_rater in given["SC"].values() for image in of_rater})
    return {
        short: np.array([[row.get(image, np.nan) for image in images] for row in raters.values()])
        for short, raters in given.items()
    }
