"""Reasoning apart from the answer, in the ways in which models and servers write it."""

import pytest

from jurybox_judging.methods.shared.reasoning import (
    Thought,
    answer_at_end,
    conversation_as_evidence,
    read_reply,
    split_thoughts,
)


@pytest.mark.parametrize(
    ("reply", "thought"),
    [
        ("yes", Thought("", "yes")),
        ("<think>\nno, wait</think>\n\nyes", Thought("no, wait", "yes")),
        # The chat template has opened the thinking, so the reply only closes it.
        ("no, wait</think>yes", Thought("no, wait", "yes")),
        ("<think>a</think><think>b</think>yes", Thought("a\nb", "yes")),
        ("<think>no, perhaps yes, or", Thought("no, perhaps yes, or", "", is_cut=True)),
        ("", Thought("", "")),
    ],
)
def test_what_a_model_thought_stands_apart(reply, thought):
    assert split_thoughts(reply) == thought


@pytest.mark.parametrize(
    ("answer", "end"),
    [
        ("It says yes.\nBut:\nno\n\n", "no"),
        ("<answer>no</answer> or <answer>yes</answer>. Sure.", "yes"),
        ("The box is <|begin_of_box|>4<|end_of_box|>", "4"),
        ("\n", ""),
    ],
)
def test_an_answer_is_read_from_the_end(answer, end):
    assert answer_at_end(answer) == end


def test_only_where_it_is_wanted_a_reply_is_cut_to_its_end():
    reply = "<think>yes yes</think>yes, or rather\nno"
    assert read_reply(reply, "anywhere") == reply
    assert read_reply(reply, "end") == "no"


def test_evidence_has_the_reasoning_beside_the_reply():
    assert conversation_as_evidence(["q"], ["yes"]) == {"turns": ["q"], "replies": ["yes"]}
    assert conversation_as_evidence(["q"], ["<think>hm</think>yes"]) == {
        "turns": ["q"],
        "replies": ["yes"],
        "reasoning": ["hm"],
    }
