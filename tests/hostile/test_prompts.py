"""A prompt that looks like a template reaches the engine letter by letter; no method fills it in."""

from __future__ import annotations

import pytest

from judges.draft_questions import FORMS
from jurybox_judging import catalogue, registry
from jurybox_judging.engines.clip import texts_of_color
from jurybox_judging.methods import chain_of_thought, vqa_score
from jurybox_judging.protocols import Atom, Question, Similarity, Subject, Talk

PLACES = "{prompt} {} {0} {noun} {color} {phrase} {{7*7}} {% if x %} %s %(x)s ${HOME} {0.__class__}"
HOSTILE = f"a red cup {PLACES} next to a blue bowl"
ASKED = f"Is there a cup {PLACES}?"
SUBJECT = Subject(
    HOSTILE,
    (Atom(0, "object", f"cup {PLACES}", ASKED, "Yes"),),
    {"questions": [{"question": ASKED, "choices": ["yes", PLACES], "answer": "yes"}]},
    (16, 16),
)
# What the method of each judge sends on as a whole.
WHOLE = {
    "jurybox_judging.methods.vqa_score:VqaScore": HOSTILE,
    "jurybox_judging.methods.clip_score:ClipScore": HOSTILE,
    "jurybox_judging.methods.chain_of_thought:ChainOfThought": HOSTILE,
    "jurybox_judging.methods.soft_tifa:SoftTifa": ASKED,
    "jurybox_judging.methods.tifa:Tifa": ASKED,
    "jurybox_judging.methods.dsg:Dsg": ASKED,
    "jurybox_judging.methods.weighted_tokens:WeightedTokens": HOSTILE,
    "jurybox_judging.methods.checklist:Checklist": ASKED,
}
METHODS = sorted({entry.method for entry in catalogue.JUDGES.values()})


def said(wants) -> list[str]:
    texts: list[str] = []
    for want in wants:
        if isinstance(want, Question):
            texts.append(want.text)
        elif isinstance(want, Talk):
            texts += want.turns
        elif isinstance(want, Similarity):
            texts.append(want.text)
    return texts


@pytest.mark.parametrize("path", METHODS)
def test_what_looks_like_a_place_in_a_template_stays_what_it_is(path):
    kind = registry.load(path)
    options = {"category": "spatial"} if hasattr(kind, "category") else {}
    if path.endswith(":EditForm"):
        options = {"question": "did"}
    texts = said(kind(**options).wants(SUBJECT, {}))
    if path in WHOLE:
        assert any(WHOLE[path] in text for text in texts), texts
    # Neither filled in by a format nor cut: each text holds all of it, or none of it.
    for text in texts:
        assert (PLACES in text) == ("{0.__class__}" in text)
        assert "<class" not in text


def test_every_method_that_asks_with_the_words_of_a_prompt_is_among_them():
    assert set(WHOLE) <= set(METHODS)


@pytest.mark.parametrize("wording", sorted(vqa_score.WORDINGS))
def test_every_wording_of_the_one_question_holds_the_prompt_as_it_is(wording):
    (question,) = vqa_score.VqaScore(wording=wording).wants(SUBJECT, {})
    assert HOSTILE in question.text


@pytest.mark.parametrize("category", sorted(chain_of_thought.TURNS))
def test_every_conversation_holds_the_words_as_they_are(category):
    method = chain_of_thought.ChainOfThought(category=category)
    texts = said(method.wants(SUBJECT, {}))
    assert texts
    if category not in chain_of_thought.ATTRIBUTES:
        assert any(HOSTILE in text for text in texts)


@pytest.mark.parametrize("name", FORMS)
def test_the_instruction_for_drafts_holds_the_prompt_as_it_is(name):
    assert HOSTILE in FORMS[name].prompt_text(HOSTILE)


def test_a_noun_that_looks_like_a_place_is_no_place():
    (text,) = texts_of_color("{color} {noun}", "red", ["a photo of a {color} {noun}"])
    assert text == "a photo of a red {color} {noun}"
