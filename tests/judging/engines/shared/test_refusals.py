"""What a model refuses is told apart from what it answers, in three languages."""

import pytest

from jurybox_judging.engines.shared.refusals import refusal_in, refusal_of
from jurybox_judging.protocols import Talk

REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I can’t assist with identifying people in images. Score: 0",
    "Sorry, but I cannot comply with this request.",
    "I cannot help with this.",
    "Unfortunately, I am unable to assist.",
    "As an AI language model, I cannot view images.",
    "I cannot provide a rating.",
    "I must decline to answer this question.",
    "I'm unable to process this image.",
    "<think>\nIs it allowed? I can help.\n</think>\n\nI'm sorry, but I can't help with that.",
    "The user asks.</think>I won't help with that.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "Tut mir leid, ich kann dir dabei nicht weiterhelfen.",
    "Leider kann ich diese Frage nicht beantworten.",
    "Ich darf dieses Bild nicht bewerten.",
    "抱歉，我无法协助处理这个请求。",
    "对不起，我不能提供帮助。",
    "作为一个人工智能助手，我无法查看图片。",
    "很抱歉,我无法回答这个问题。",
]
ANSWERS = [
    "",
    "No.",
    "yes",
    "I cannot see a dog.",
    "I can't see any picture of a dog on the wall.",
    "I'm sorry, but I don't see a dog in this image.",
    "Sorry, no.",
    "I cannot identify a cat in the picture.",
    "I cannot give full marks: the dog is blue. Score: 60",
    "I cannot provide a rating above 5, as the cat is missing: 4",
    "I can help with that. Score: 80",
    "I cannot help but notice that the dog is blue. Score: 60",
    "A sign says “I can't help with that”.",
    "“I'm sorry, but I can't help with that.”",
    '"I can\'t help with that" is written on the sign.',
    '{"score": 0, "explanation": "I\'m sorry, but I can\'t help with that."}',
    '```json\n{"answer": "I can\'t help"}\n```',
    "<think>\nI'm sorry, but I can't help with that.\n</think>\nyes",
    "<think>\nI'm sorry, but I can't help with that.",
    "Ich kann keinen Hund sehen.",
    "Es tut mir leid, aber ich sehe keinen Hund.",
    "Leider ist der Hund nicht rot.",
    "Ich kann den Hund nicht erkennen.",
    "我看不到狗。",
    "我无法看到狗。",
    "抱歉，图中没有狗。",
    "不能。",
]


@pytest.mark.parametrize("reply", REFUSALS)
def test_a_refusal_is_told_with_the_words_of_the_model(reply):
    assert refusal_in(reply).startswith("The model refused: ")


@pytest.mark.parametrize("reply", ANSWERS)
def test_an_answer_is_no_refusal(reply):
    assert refusal_in(reply) == ""


def test_the_reason_is_one_short_line():
    reason = refusal_in("I'm sorry, but\nI can't help with that. " + "Really. " * 100)
    assert reason.startswith("The model refused: I'm sorry, but I can't help with that. Really.")
    assert len(reason) == len("The model refused: ") + 200


NO = ("I'm sorry, but I can't help with that.",)


@pytest.mark.parametrize(
    ("held", "is_refused"),
    [
        ({Talk(("a",)): NO}, True),
        ({Talk(("a",)): ("yes",)}, False),
        # Held again with another seed, it was answered.
        ({Talk(("a",)): NO, Talk(("a",), seed=1): ("yes",)}, False),
        ({Talk(("a",)): NO, Talk(("a",), seed=1): NO}, True),
        # One of two conversations was refused.
        ({Talk(("a",)): ("yes",), Talk(("b",)): NO}, True),
        # A description that was refused makes no score of what comes after it.
        ({Talk(("a", "b")): (*NO, "score: 0")}, True),
        ({}, False),
    ],
)
def test_a_conversation_is_refused_if_it_was_so_each_time(held, is_refused):
    assert bool(refusal_of(held)) == is_refused
