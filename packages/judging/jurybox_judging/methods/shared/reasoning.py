"""A model that thinks before it answers: its reasoning apart from its answer, and whether it came to one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jurybox_judging.options import choice, whole
from jurybox_judging.protocols import THINKING_CLOSED as CLOSED
from jurybox_judging.protocols import THINKING_OPENED as OPENED

MOST_THINKING = 65_536
ANYWHERE, END = "anywhere", "end"
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_BOX = re.compile(r"<\|begin_of_box\|>(.*?)<\|end_of_box\|>", re.DOTALL)
_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL)
UNFINISHED = (
    "the model was still thinking when its tokens were used up; give it more thinking_tokens"
)


def thinking_option() -> Any:
    return whole(
        0,
        "For a model that thinks first: the tokens of its reasoning, before max_tokens for its "
        "answer. A model of this machine is then made to answer.",
        minimum=0,
        maximum=MOST_THINKING,
    )


def answer_at_option() -> Any:
    return choice(
        ANYWHERE,
        (ANYWHERE, END),
        "Where the answer is read: anywhere in the reply, or at its end alone, which is its last "
        "<answer>…</answer> or its last line.",
    )


@dataclass(frozen=True, slots=True)
class Thought:
    """`is_cut`: it opened its reasoning and never closed it."""

    reasoning: str
    answer: str
    is_cut: bool = False


def split_thoughts(reply: str) -> Thought:
    """What stands in <think>…</think>, or before a lone </think>, is reasoning; the rest is the answer."""
    thoughts = [
        found.removeprefix(OPENED).removesuffix(CLOSED) for found in _THOUGHTS.findall(reply)
    ]
    before, closed, rest = _THOUGHTS.sub("", reply).rpartition(CLOSED)
    if closed:
        thoughts.insert(0, before.removeprefix(OPENED))
    answer, opened, open_end = rest.partition(OPENED)
    if opened:
        thoughts.append(open_end)
    joined = "\n".join(thought.strip() for thought in thoughts)
    return Thought(joined, answer.strip(), bool(opened) and not answer.strip())


def answer_at_end(answer: str) -> str:
    """The last <answer> or box that a model marked, else the last line that is not empty."""
    for pattern in (_ANSWER, _BOX):
        if found := pattern.findall(answer):
            return found[-1].strip()
    lines = [line.strip() for line in answer.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def read_reply(reply: str, answer_at: str) -> str:
    """The part of a reply in which the answer is looked for. Without END, the reply as it is."""
    return reply if answer_at == ANYWHERE else answer_at_end(split_thoughts(reply).answer)


def conversation_as_evidence(turns: Sequence[str], replies: Sequence[str]) -> dict[str, Any]:
    """Reasoning stands apart, where there is some."""
    thoughts = [split_thoughts(reply) for reply in replies]
    if not any(thought.reasoning for thought in thoughts):
        return {"turns": list(turns), "replies": list(replies)}
    return {
        "turns": list(turns),
        "replies": [thought.answer for thought in thoughts],
        "reasoning": [thought.reasoning for thought in thoughts],
    }
