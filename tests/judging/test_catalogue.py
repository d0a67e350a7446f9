"""Every judge in the registry: it can be made without weights, and its engines can answer what it wants."""

import pytest

from jurybox_judging import catalogue, registry
from jurybox_judging.protocols import Atom, KnownAnswers, Placed, Subject
from jurybox_judging.recipes.names import VERBS
from jurybox_judging.stored_form import KIND_OF

CLAUSE = {"class": "cup", "count": 1, "color": "red"}
# A prompt that every benchmark could have made.
SUBJECT = Subject(
    "a red cup in front of a blue bowl on the left of a dog",
    (Atom(0, "object", "cup", "Is there a cup?", "yes"),),
    {
        "include": [CLAUSE],
        "categories": {"cup": [{"id": 1, "color": "red"}]},
        "relations": [],
        "category": "complex",
        "subset": "spatialaction",
        "counts": {"cup": 1},
        "label": {"Object": "a cup"},
        "text": "OPEN",
        "explanation": "a cup of tea",
    },
    (640, 480),
    (Placed("source", "a" * 64), Placed("result", "b" * 64)),
)


@pytest.mark.parametrize("name", catalogue.JUDGES)
def test_every_judge_is_made_without_weights_and_asks_only_what_its_parts_can_tell(name):
    if reason := registry.why_not(name):
        pytest.skip(reason)
    judge = registry.build(name, {})
    for kind, engine in judge.parts.items():
        assert callable(getattr(engine, VERBS[kind]))
        assert engine.facts
    wants = judge.method.wants(SUBJECT, KnownAnswers())
    assert wants
    assert {KIND_OF[type(want)] for want in wants} <= judge.parts.keys()


@pytest.mark.parametrize("name", catalogue.JUDGES)
def test_an_unknown_option_is_refused_before_a_run_exists(name):
    if reason := registry.why_not(name):
        pytest.skip(reason)
    with pytest.raises(registry.JudgeRefused, match="no_such_option"):
        registry.build(name, {"no_such_option": 1})


def test_titles_are_told_apart():
    titles = [entry.title for entry in catalogue.JUDGES.values()]
    assert len(set(titles)) == len(titles)


def test_an_engine_that_cannot_go_on_with_a_reply_is_refused_before_a_run_exists():
    with pytest.raises(registry.JudgeRefused, match=r"reply_start.*OpenAIServer cannot go on"):
        registry.build("rating-server", {"reply_start": "The quality is"})


def test_a_judge_of_one_picture_is_not_shown_a_source():
    with pytest.raises(registry.JudgeRefused, match="shows several pictures"):
        registry.build("vqa-score-blip2", {"pictures": ["source", "result"]})
