"""An engine must get a drawn picture right before it scores one: the built-in does, broken ones are
named with what they said."""

import numpy as np
import pytest

from jurybox_judging import self_test
from jurybox_judging.engines.builtin import BuiltinEngine
from jurybox_judging.errors import EngineRefused, MemoryFull, Passing
from jurybox_judging.protocols import Answer


def check(kind, engine):
    self_test.check_engines({kind: engine}, keep_alive=lambda: None)


class Engine:
    """Loads, and tells what a test gave it."""

    classes = ()

    def __init__(self, told):
        self.told = told
        self.loaded = 0

    def load(self):
        self.loaded += 1
        if isinstance(self.told, Exception):
            raise self.told

    def detect(self, images, classes=()):
        return [self.told for _ in images]

    def colors(self, crops):
        return [self.told for _ in crops]

    def depths(self, images):
        return [self.told for _ in images]

    def similarities(self, pairs):
        return [self.told[text] for _, text in pairs]

    def answer(self, asked):
        return [[self.told[q.answers[0]] for q in questions] for _, questions in asked]

    def talk(self, asked):
        return [(self.told,) for _ in asked]


SIGN = {"class": "stop sign", "score": 0.9, "box": (0, 0, 9, 9)}
FLAT, DEEP = np.ones((4, 4)), np.arange(16.0).reshape(4, 4)
YES, NO = Answer(0.9), Answer(0.2)


@pytest.mark.parametrize("kind", ["objects", "colors", "answers"])
def test_the_built_in_engine_passes(kind):
    check(kind, BuiltinEngine())


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        ("objects", [SIGN]),
        ("colors", "red"),
        ("depth", DEEP),
        ("similarity", {"a red square": 0.31, "a blue square": 0.24}),
        ("answers", {"Yes": YES, "No": NO}),
        ("talk", "Yes, there is one."),
    ],
)
def test_who_is_right_passes_and_is_tested_once(kind, right):
    engine = Engine(right)
    check(kind, engine)
    check(kind, engine)
    assert engine.loaded == 1


@pytest.mark.parametrize(
    ("kind", "wrong", "told"),
    [
        ("objects", [], "on the drawing of a stop sign it found nothing."),
        ("objects", [{**SIGN, "score": 0.1}], "it found a stop sign (0.10)."),
        ("objects", [{**SIGN, "class": "cat"}], "it found a cat (0.90)."),
        ("colors", "green", "it called a red square green."),
        ("depth", FLAT, "no map of different depths"),
        ("depth", DEEP * np.nan, "no map of different depths"),
        ("similarity", {"a red square": 0.2, "a blue square": 0.3}, "fits 0.200"),
        ("answers", {"Yes": NO, "No": YES}, "it answered “no” about a picture of a red square."),
        (
            "answers",
            {"Yes": Answer(None, reason="What?"), "No": NO},
            "no answer about a red square",
        ),
        ("talk", "I see a cat.", "it answered “I see a cat.” about a picture of a red square."),
    ],
)
def test_who_is_wrong_is_refused_with_what_it_said(kind, wrong, told):
    with pytest.raises(EngineRefused) as refused:
        check(kind, Engine(wrong))
    assert str(refused.value).startswith("Engine failed its self-test: ")
    assert told in str(refused.value)


def test_weights_that_fill_the_memory_are_told():
    with pytest.raises(EngineRefused, match="not enough memory to load Engine: CUDA"):
        check("talk", Engine(MemoryFull("CUDA out of memory")))


def test_a_refusal_while_loading_keeps_its_words():
    with pytest.raises(EngineRefused, match="^The weights lack head.weight.$"):
        check("talk", Engine(EngineRefused("The weights lack head.weight.")))


def test_a_server_that_is_away_is_no_failed_test(monkeypatch):
    monkeypatch.setattr("jurybox_judging.ask_engine.time.sleep", lambda seconds: None)
    with pytest.raises(Passing):
        check("talk", Engine(Passing("no route to host")))


def test_a_detector_of_things_that_cannot_be_drawn_is_not_tested():
    engine = Engine([])
    engine.classes = ("giraffe",)
    check("objects", engine)


def test_an_engine_without_eyes_is_not_tested():
    engine = Engine([])
    engine.needs_pixels = False
    check("objects", engine)
    assert engine.loaded == 0


def test_a_refusal_names_the_option_that_leaves_the_test_out_and_ends_its_sentences_once():
    class Silent:
        needs_pixels = True

        def load(self):
            """Nothing to load."""

        def answer(self, asked):
            return [[Answer(None, reason="It said nothing.")] * 2]

    with pytest.raises(EngineRefused) as refused:
        self_test.check_engines({"answers": Silent()}, keep_alive=lambda: None)
    assert "self_test = false" in refused.value.message
    assert ".." not in refused.value.message
