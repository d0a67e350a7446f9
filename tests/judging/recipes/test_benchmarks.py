"""Judges of known sets: what reaches the model, and what becomes of its reply."""

import pytest

from jurybox_judging import catalogue, registry
from jurybox_judging.protocols import Atom, KnownAnswers, Subject, Unscored

ATOMS = tuple(Atom(n, "other", "", f"Is there part {n}?", "Yes") for n in range(3))
SUBJECT = Subject("the drink of Japan", ATOMS, {"explanation": "green tea", "number": 3})


def judged(name, *replies, subject=SUBJECT):
    """The texts that were asked, and what the judge makes of these replies."""
    method = registry.method_of(catalogue.entry(name), {})
    seen, left, asked = KnownAnswers(), list(replies), []
    while wants := method.wants(subject, seen):
        for want in wants:
            asked.append(want.turns[0])
            seen[want] = (left.pop(0),)
    return asked, method.judge(subject, seen)


def test_corebench_asks_each_question_beside_the_prompt_and_leaves_out_what_cannot_be_read():
    asked, made = judged("corebench-server", "yes", '"no"', "unclear")
    assert asked[0].startswith('Prompt: "the drink of Japan"\nQuestion: "Is there part 0?"')
    assert (len(asked), made.score) == (3, 0.5)


def test_unigenbench_reads_a_list_of_0_and_1_and_asks_again_where_it_is_too_short():
    asked, made = judged("unigenbench-server", "<score>[1, 0]</score>", "<score>[1, 0, 1]</score>")
    assert "3. Is there part 2?" in asked[0] and len(asked) == 2
    assert made.score == pytest.approx(2 / 3)


def test_the_explanation_reaches_both_judges_of_wise():
    reply = "Consistency: 2\n**Realism**: 1\nAesthetic Quality: 0"
    asked, made = judged("wise-legacy-server", reply)
    assert 'EXPLANATION: "green tea"' in asked[0]
    # (.7 × 2 + .2 × 1 + .1 × 0) / 2
    assert made.score == pytest.approx(0.8)
    asked, made = judged("wise-verified-server", "<think>no?</think>Yes.")
    assert 'EXPLANATION: "green tea"' in asked[0] and made.score == 1.0
    _, made = judged("wise-verified-server", "no")
    assert made.score == 0.0
    _, made = judged("wise-verified-server", subject=Subject("a", ATOMS))
    assert isinstance(made, Unscored) and "explanation" in made.reason
