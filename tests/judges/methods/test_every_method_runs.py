"""Each paper's method through the whole of a run: looked at once, judged again from what is kept."""

from typing import ClassVar

import numpy as np
import pytest

from annotations.models import Image, Prompt
from judges import catalogue
from judges.looks import gather
from judges.models import Run, Score
from judges.protocols import Answer
from judges.recipes.entry import Entry
from judges.runs import lifecycle, score_chunk
from tests import making

pytestmark = pytest.mark.django_db
PROMPT = "a red cup in front of a blue bowl"
BESIDE = "a red cup next to a blue bowl"


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
M3T2I = {
    "categories": {
        "cup": [{"id": 1, "color": "red"}],
        "bowl": [{"id": 1, "color": "blue"}],
    },
    "relations": [["cup", 1, "left", "bowl", 1]],
}
# method, kinds, prompt, metadata, options of the second run, both scores worked by hand
CASES = {
    # Cup and bowl are there, nobody is blue, 2 of 8 pixels beyond a tenth of both: 2 of 3, bias 0
    "align_score:AlignScore": (
        "objects colors",
        PROMPT,
        M3T2I,
        {"position_threshold": 0.2},
        (5 / 6, 2 / 3),
    ),
    # (0.8 + 0.6)/4 + 1/2
    "compbench:Spatial2D": ("objects", BESIDE, {}, {"paper": True}, (0.85, 1.0)),
    # The cup is nearer, IoU 54/91.8 > 1/2
    "compbench:Spatial3D": ("objects depth", PROMPT, {}, {"side_by_side": True}, (0.85, 0.85)),
    "compbench:Numeracy": ("objects", "one cup and two bowls", {}, {"threshold": 0.7}, (0.75, 0.5)),
    # 1/4 for attributes, 0.85 for space, 1/4 for CLIP
    "compbench:ThreeInOne": (
        "objects answers similarity",
        BESIDE,
        {"subset": "spatialaction"},
        {"paper": True},
        (0.45, 0.45),
    ),
    # One of two words; of both together “OPEN NOW” and “OPEN”, four of eight letters
    "read_text:ReadText": (
        "writing",
        PROMPT,
        {"text": "OPEN NOW"},
        {"score": "edits"},
        (0.5, 0.5),
    ),
    "clip_score:ClipScore": ("similarity", PROMPT, {}, {"clip_and_scale": True}, (0.25, 0.625)),
    "vqa_score:VqaScore": ("answers", PROMPT, {}, {"rule": "sequence"}, (0.5, 0.5)),
    "blip_vqa:BlipVqa": ("answers", PROMPT, {}, {"rounded": False}, (0.25, 0.25)),
    "tifa:Tifa": ("answers", PROMPT, {}, {"max_tokens": 8}, (1.0, 1.0)),
    "dsg:Dsg": ("answers", PROMPT, {}, {"transitive": True}, (1.0, 1.0)),
    # Of five words each as likely: the mean of their weights
    "weighted_tokens:WeightedTokens": (
        "answers",
        PROMPT,
        {},
        {"weights": {"excellent": 3, "good": 2, "fair": 1}},
        (0.5, 2.0),
    ),
    # Of two heads 1.5 each
    "rewards.reward:RewardScore": (
        "reward",
        PROMPT,
        {},
        {"over_heads": "sum"},
        (1.5, 1.5),
    ),
    # Two atoms, both answered yes by the same reply
    "checklist:Checklist": (
        "talk",
        PROMPT,
        {},
        {"formula": "mean(points) / 4"},
        (1.0, 0.25),
    ),
    "chain_of_thought:ChainOfThought": (
        "talk",
        PROMPT,
        {"category": "color"},
        {"reading": "first number"},
        (0.8, 0.8),
    ),
}


# tests/test_workers.py runs the first two whole; test_edit_form.py and test_kept_rest.py those that want a
# source picture; the last one has no question without options, and stands below.
ELSEWHERE = {
    "geneval:GenEval",
    "soft_tifa:SoftTifa",
    "edit_form:EditForm",
    "kept_rest:KeptRest",
    "rewards.weighted_points:WeightedPoints",
}


def test_every_method_of_the_catalogue_has_a_case():
    methods = {entry.method.removeprefix("judges.methods.") for entry in catalogue.JUDGES.values()}
    assert CASES.keys() | ELSEWHERE == methods


@pytest.mark.parametrize("path", CASES)
def test_a_method_is_judged_again_without_a_second_look(path, monkeypatch):
    kinds, text, metadata, other, scores = CASES[path]
    study = making.study(prompts=1)
    Prompt.objects.filter(study=study).update(text=text, metadata=metadata)
    assert set(Image.objects.values_list("width", "height")) == {(16, 16)}
    parts = {kind: PART for kind in kinds.split()}
    entry = Entry("Judge", f"judges.methods.{path}", parts, {"self_test": False})
    monkeypatch.setitem(catalogue.JUDGES, "judge", entry)
    monkeypatch.setattr(Engine, "calls", [])

    assert run(study, {}) == pytest.approx([scores[0]] * 2)
    assert set(Engine.calls) == set(kinds.split())
    monkeypatch.setattr(gather, "open_picture", None)
    Engine.calls.clear()
    assert run(study, other) == pytest.approx([scores[1]] * 2)
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
    path = "judges.methods.rewards.weighted_points:WeightedPoints"
    monkeypatch.setitem(catalogue.JUDGES, "judge", Entry("Judge", path, parts, options))
    monkeypatch.setattr(Engine, "calls", [])
    # It says Yes: 2 + 4 · .25; and then 3 + 1 + .5
    assert run(study, {}) == pytest.approx([3.0] * 2)
    assert set(Engine.calls) == {"answers", "similarity"}
    Engine.calls.clear()
    other = {"weights": {"Is it clear?": 3}, "intercept": 0.5}
    assert run(study, other) == pytest.approx([4.5] * 2)
    assert Engine.calls == []
