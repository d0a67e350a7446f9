"""Parts of prompts that a server's language model drafts; where its reply is of no use, the grammar."""

from __future__ import annotations

from collections.abc import Sequence

from annotations.models import Prompt
from judges.draft_questions import FORMS
from judges.looks.drafts import draft
from judges.parts.drafts import by_grammar
from judges.parts.part import YES, Part
from jurybox_formats.prompt_grammar.parse import read
from jurybox_judging.engines.openai_server import OpenAIServer


class ServerDraft:
    def __init__(self, engine: OpenAIServer) -> None:
        self.engine = engine
        self.parts: dict[str, list[Part]] = {}
        self.left_out: dict[str, str] = {}  # why, by the prompt's text

    def read(self, prompts: Sequence[Prompt]) -> None:
        texts = {prompt.key: prompt.text for prompt in prompts}

        def leave_out(key: str, why: str) -> None:
            self.left_out[texts[key]] = why

        rows = draft(FORMS["dsg"], self.engine, list(texts.items()), leave_out)
        for row in rows:
            parents = [int(place) - 1 for place in row["dependency"].split(",") if int(place)]
            question = row["question_natural_language"]
            kind, text = _entity_name(row["category_broad"], row["tuple"], question)
            part = Part(kind, text, question, YES, tuple(parents))
            self.parts.setdefault(row["item_id"], []).append(part)

    def find(self, prompt: Prompt) -> list[Part]:
        return self.parts.get(prompt.key) or by_grammar(prompt)


def _entity_name(kind: str, text: str, question: str) -> tuple[str, str]:
    """An entity whose question names one thing is an object of that name, which a detector looks for."""
    if kind == "entity":
        things, _ = read(question.rstrip("? "))
        if len(things) == 1:
            return "object", things[0].noun
    return kind, text
