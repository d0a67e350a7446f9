"""Each paper's method through the whole of a run: looked at once, judged again from what is kept."""

from typing import ClassVar

import numpy as np
import pytest

from annotations.models import Image, Prompt
from judges.looks import gather
from judges.models import Run, Score
from judges.runs import lifecycle, score_chunk
from jurybox_judging import catalogue
from jurybox_judging.protocols import Answer
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import METHODS
from tests import making
from tests.leaves import collect

pytestmark = pytest.mark.django_db
CASES = collect("RUNS", "tests/judging/methods")


class Engine:
    """Tells everything about every picture, always the same."""

    identity = "tests:Engine"
    version = "1"
    batch = 4
    classes: ClassVar[tuple[str, ...]] = ("cup", "bowl")
    facts: ClassVar[dict[str, str]] = {"checkpoint": "made up"}
    calls: ClassVar[list[str]] = []

    def load(self):
        """There is nothing to load."""

    def detect(self, images, classes=()):
        self.calls.append("objects")
        return [
            [
                {"class": "bowl", "score": 0.6, "box": (2.0, 0.0, 10.0, 9.0)},
                {"class": "cup", "score": 0.8, "box": (0.0, 0.0, 8.0, 9.1)},
                {"class": "cup", "score": 0.01, "box": (3.0, 3.0, 4.0, 4.0)},
            ]
            for _ in images
        ]

    def colors(self, crops):
        self.calls.append("colors")
        return ["red" for _ in crops]

    def depths(self, images):
        self.calls.append("depth")
        # Nearer to the left and to the top: the same read with x and y exchanged.
        return [-np.add.outer(np.arange(16.0), np.arange(16.0)) for _ in images]

    def similarities(self, pairs):
        self.calls.append("similarity")
        return [0.25 for _ in pairs]

    def rewards(self, asked):
        self.calls.append("reward")
        return [(1.5, 0.0) for _ in asked]

    def answer(self, asked):
        self.calls.append("answers")
        return [[Answer(0.5, "Yes") for _ in questions] for _, questions in asked]

    def read_text(self, images):
        self.calls.append("writing")
        return [[{"text": "OPEN", "score": 0.9, "box": (0.0, 0.0, 4.0, 2.0)}] for _ in images]

    def talk(self, asked):
        self.calls.append("talk")
        # Nothing that can be read at first.
        said = {False: "hm", True: "80"}
        numbered = '{"1": "yes", "2": "yes"}'
        return [
            ("seen", numbered if "1. " in talk.turns[-1] else said[talk.seed > 0])
            for _, talk in asked
        ]


PART = (f"{__name__}:Engine", {})


def test_every_method_has_a_run():
    assert CASES.keys() == METHODS.keys()


@pytest.mark.parametrize("name", [name for name, run in CASES.items() if run])
def test_a_method_is_judged_again_without_a_second_look(name, monkeypatch):
    method, case = METHODS[name], CASES[name]
    kinds = (*method.parts, *method.more)
    study = making.study(prompts=1)
    Prompt.objects.filter(study=study).update(text=case.prompt, metadata=case.metadata)
    assert set(Image.objects.values_list("width", "height")) == {(16, 16)}
    parts = dict.fromkeys(kinds, PART)
    entry = Entry("Judge", method.path, parts, {"self_test": False})
    monkeypatch.setitem(catalogue.JUDGES, "judge", entry)
    monkeypatch.setattr(Engine, "calls", [])

    assert run(study, {}) == pytest.approx([case.scores[0]] * 2)
    assert set(Engine.calls) == set(kinds)
    monkeypatch.setattr(gather, "open_picture", None)
    Engine.calls.clear()
    assert run(study, case.options) == pytest.approx([case.scores[1]] * 2)
    assert Engine.calls == []


def run(study, options):
    """Its scores; everything has one, and says so."""
    started = lifecycle.start_run(study=study, name="judge", options=options)
    for chunk in lifecycle.chunks_to_wake(run=started):
        score_chunk.score_chunk(chunk_id=chunk)
    started.refresh_from_db()
    assert started.state == Run.State.FINISHED
    made = Score.objects.filter(run=started).order_by("pk")
    assert [score.error for score in made] == ["", ""]
    return [score.value for score in made]


def test_weighted_questions_are_weighed_again_without_a_second_look(monkeypatch):
    study = making.study(prompts=1)
    parts = {kind: PART for kind in ("answers", "similarity")}
    options = {"weights": {"Is it clear?": 2}, "alignment": 4.0, "self_test": False}
    path = "jurybox_judging.methods.rewards.weighted_points:WeightedPoints"
    monkeypatch.setitem(catalogue.JUDGES, "judge", Entry("Judge", path, parts, options))
    monkeypatch.setattr(Engine, "calls", [])
    # It says Yes: 2 + 4 · .25; and then 3 + 1 + .5
    assert run(study, {}) == pytest.approx([3.0] * 2)
    assert set(Engine.calls) == {"answers", "similarity"}
    Engine.calls.clear()
    other = {"weights": {"Is it clear?": 3}, "intercept": 0.5}
    assert run(study, other) == pytest.approx([4.5] * 2)
    assert Engine.calls == []
