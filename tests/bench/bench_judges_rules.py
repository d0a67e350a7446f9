"""GenEval's rules alone, and a new threshold over images whose detections are stored.

    python -m tests.bench.bench_judges_rules [--quick]

The baseline decides as the official script does: numpy arrays per class, one picture at a time,
written anew here from its description. The detections are made up: a hundred an image, as the
official detector tells, on all 80 classes; the prompts have the official mix of tasks.
Goals, on one core: 20,000 decisions a second; 10,000 stored images judged anew within 3 s.
Everything is counted in processor time of this process.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from typing import Any, ClassVar

import numpy as np

from tests.bench.sizes import reached, sized

GOAL_PER_SECOND, GOAL_SECONDS, IMAGES = 20_000, 3.0, 10_000
THRESHOLD = 0.5
# The official 553 prompts by task.
TASKS = {
    "single_object": 80,
    "two_object": 99,
    "counting": 80,
    "colors": 94,
    "position": 100,
    "color_attr": 100,
}
CLASSES = tuple(f"thing {number}" for number in range(80))
COLORS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white")
RELATIONS = ("left of", "right of", "above", "below")
SIDE, DETECTIONS, MASKED = 512, 100, 8


def main(quick: bool) -> bool:
    """In a database and a folder of its own, which go with it."""
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        os.environ["JURYBOX_VAR"] = folder
        os.environ["DATABASE_URL"] = f"sqlite:///{folder}/bench.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
        import django

        django.setup()
        return all(
            [
                rules(sized(4_000 if quick else 20_000, 100)),
                *judged_anew(sized(2_000 if quick else IMAGES, 50)),
            ]
        )


# --- the rules alone


def rules(count: int) -> bool:
    from jurybox_judging.methods import geneval

    cases = [case(number) for number in range(count)]
    began = time.process_time()
    ours = [geneval.decide(metadata, detections).correct for metadata, detections in cases]
    seconds = time.process_time() - began
    few = cases[: count // 10]
    began = time.process_time()
    theirs = [official(metadata, detections) for metadata, detections in few]
    baseline = (time.process_time() - began) / len(few)
    per_second = count / seconds
    agree = ours[: len(few)] == theirs
    print(
        f"rules alone: official way {1 / baseline:,.0f}/s, ours {per_second:,.0f}/s, "
        f"{per_second * baseline:.1f} ×; verdicts {'agree' if agree else 'DIFFER'} on {len(few):,}; "
        f"goal {GOAL_PER_SECOND:,}/s: {'met' if per_second >= GOAL_PER_SECOND else 'MISSED'}"
    )
    return agree and reached(per_second >= GOAL_PER_SECOND)


def case(number: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    chance = random.Random(number)
    (tag,) = chance.choices(list(TASKS), list(TASKS.values()))
    return prompt(tag, chance), detections(chance)


def prompt(tag: str, chance: random.Random) -> dict[str, Any]:
    one, two = chance.sample(CLASSES[:20], 2)
    first: dict[str, Any] = {"class": one, "count": 1}
    second: dict[str, Any] = {"class": two, "count": 1}
    if tag == "counting":
        first["count"] = chance.randint(2, 4)
        return {
            "tag": tag,
            "include": [first],
            "exclude": [{"class": one, "count": first["count"] + 1}],
        }
    if tag in ("colors", "color_attr"):
        first["color"], second["color"] = chance.sample(COLORS, 2)
    if tag == "position":
        second["position"] = [chance.choice(RELATIONS), 0]
    alone = tag in ("single_object", "colors")
    return {"tag": tag, "include": [first] if alone else [first, second]}


def detections(chance: random.Random) -> list[dict[str, Any]]:
    """A few sure ones and many faint guesses, the surest first, as the official detector tells."""
    told = []
    for place in range(DETECTIONS):
        x, y = chance.uniform(0, SIDE - 100), chance.uniform(0, SIDE - 100)
        told.append(
            {
                "class": chance.choice(CLASSES[:20] if place < MASKED else CLASSES),
                "score": chance.uniform(0.2, 1.0) if place < MASKED else chance.random() ** 8 / 5,
                "box": [x, y, x + chance.uniform(20, 100), y + chance.uniform(20, 100)],
                "color": chance.choice(COLORS),
            }
        )
    return sorted(told, key=lambda one: -one["score"])


def official(metadata: dict[str, Any], found: list[dict[str, Any]]) -> bool:
    """The decision with arrays per class, every class of the detector kept, as the script does."""
    threshold = np.float32(0.9 if metadata["tag"] == "counting" else 0.3)
    kept = {}
    for name in CLASSES:
        mine = [one for one in found if one["class"] == name]
        boxes = np.array([[*one["box"], one["score"]] for one in mine], np.float32).reshape(-1, 5)
        order = np.argsort(boxes[:, 4])[::-1]
        order = order[boxes[order, 4] > threshold][:16]
        if len(order):
            kept[name] = [(boxes[index], mine[index]) for index in order]
    correct, targets = True, []
    for clause in metadata["include"]:
        objects = kept.get(clause["class"], [])[: clause["count"]]
        met = len(objects) >= clause["count"]
        if met and "color" in clause:
            met = sum(o["color"] == clause["color"] for _, o in objects) >= clause["count"]
        if met and "position" in clause:
            wanted, place = clause["position"]
            met = targets[place] is not None and all(
                wanted in relation(one[:4], other[:4])
                for one, _ in objects
                for other, _ in targets[place]
            )
        correct &= met
        targets.append(objects if met else None)
    for clause in metadata.get("exclude", ()):
        correct &= len(kept.get(clause["class"], ())) < clause["count"]
    return bool(correct)


def relation(a: np.ndarray, b: np.ndarray) -> set[str]:
    corners = np.array([a, b]).reshape(2, 2, 2)
    centers, sizes = corners.mean(axis=1), np.abs(np.diff(corners, axis=1))[:, 0]
    offset = centers[0] - centers[1]
    left = np.maximum(np.abs(offset) - np.float32(0.1) * (sizes[0] + sizes[1]), 0) * np.sign(offset)
    if np.all(np.abs(left) < 1e-3):
        return set()
    x, y = left / np.linalg.norm(offset)
    return {
        name
        for name, there in zip(RELATIONS, (x < -0.5, x > 0.5, y < -0.5, y > 0.5), strict=True)
        if there
    }


# --- another threshold


class StoredDetector:
    """Whose detections are all stored: it must not be asked again."""

    identity = "tests:StoredDetector"
    version = "1"
    classes = CLASSES
    batch = 32
    facts: ClassVar[dict[str, str]] = {"checkpoint": "made up"}

    def load(self) -> None:
        pass

    def detect(self, images, classes=()):
        raise AssertionError("every detection is stored")


def judged_anew(count: int) -> list[bool]:
    from django.core.management import call_command

    from judges.looks import gather
    from judges.runs import lifecycle, score_chunk
    from jurybox_judging import catalogue
    from jurybox_judging.recipes.entry import Entry

    call_command("migrate", verbosity=0)
    catalogue.JUDGES["bench"] = Entry(
        "GenEval over stored detections",
        "jurybox_judging.methods.geneval:GenEval",
        {"objects": (f"{StoredDetector.__module__}:StoredDetector", {})},
        {"self_test": False},
    )
    gather.open_picture = None  # whoever opens a picture fails
    study = stored(count)
    seconds, run = _timed(study, lifecycle, score_chunk, threshold=THRESHOLD)
    scored = dict(run.scores.values_list("image__key", "correct"))
    met = seconds * IMAGES / count <= GOAL_SECONDS
    print(
        f"another threshold over {count:,} stored images: {seconds:.2f} s "
        f"({count / seconds:,.0f}/s), no picture opened; "
        f"goal {GOAL_SECONDS:.0f} s for {IMAGES:,}: {'met' if met else 'MISSED'}"
    )
    return [reached(met), agrees(scored, count)]


def agrees(scored: dict[str, bool | None], count: int) -> bool:
    """Each verdict is the one of the rules on the detections that were stored."""
    from jurybox_judging.methods import geneval

    differ = sum(
        scored.get(str(number)) != geneval.decide(*case(number), threshold=THRESHOLD).correct
        for number in range(count)
    )
    print(f"  {count - differ:,} of {count:,} verdicts are those of the rules alone")
    return not differ


def _timed(study, lifecycle, score_chunk, **options):
    run = lifecycle.start_run(study=study, name="bench", options=options)
    began = time.process_time()
    score_chunk.work_off(run=run)
    seconds = time.process_time() - began
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", ""), run.reason
    return seconds, run


def stored(count: int):
    """A study of so many images with prompts of their own, and what the detector told of each."""
    from annotations.forms.versions import publish_form
    from annotations.models import Generator, Image, Prompt, Study
    from judges.models import Look
    from jurybox_formats.forms.papers import geneval_audit
    from jurybox_judging import registry, stored_form
    from jurybox_judging.protocols import Objects

    form = publish_form(geneval_audit.FORM)
    study = Study.objects.create(slug="stored", title="Stored", form=form)
    generator = Generator.objects.create(study=study, name="one")
    cases = [case(number) for number in range(count)]
    prompts = Prompt.objects.bulk_create(
        Prompt(study=study, key=str(number), text=f"prompt {number}", metadata=metadata)
        for number, (metadata, _) in enumerate(cases)
    )
    images = Image.objects.bulk_create(
        Image(
            study=study,
            prompt=one,
            generator=generator,
            key=one.key,
            file="gone.png",
            sha256="0" * 64,
            width=SIDE,
            height=SIDE,
        )
        for one in prompts
    )
    engine = registry.build("bench", {}).keys["objects"]
    asked = stored_form.want_as_json(Objects(), closed=True)
    mask = {"size": (SIDE, SIDE), "counts": [SIDE * 100, *[80, SIDE - 80] * 80, SIDE * 332]}
    for start in range(0, count, 500):
        Look.objects.bulk_create(
            Look(
                image=image,
                engine=engine,
                want=stored_form.key_of(asked),
                asked=asked,
                told=stored_form.answer_as_json(Objects(), [{**one, "mask": mask} for one in told]),
            )
            for image, (_, told) in zip(
                images[start : start + 500], cases[start : start + 500], strict=True
            )
        )
    return study


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true")
    sys.exit(0 if main(arguments.parse_args().quick) else 1)
