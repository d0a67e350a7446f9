"""Drafts by a server's language model: one request for each prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from judges.draft_questions import DraftForm
from jurybox_judging.ask_engine import with_retries
from jurybox_judging.engines.openai_server import OpenAIServer

AT_ONCE = 50


def draft(
    form: DraftForm,
    engine: OpenAIServer,
    prompts: Sequence[tuple[str, str]],
    leave_out: Callable[[str, str], None],
) -> Iterator[dict[str, Any]]:
    """The rows of all prompts (key, text); `leave_out` gets the key of one without a usable reply, and
    why."""
    for start in range(0, len(prompts), AT_ONCE):
        batch = prompts[start : start + AT_ONCE]
        asked = [form.prompt_text(text) for _, text in batch]
        replies = with_retries(engine, engine.write, asked, lambda: None)
        for (key, text), (reply, reason) in zip(batch, replies, strict=True):
            try:
                if reason:
                    raise ValueError(reason)
                yield from form.read(key, text, reply)
            except ValueError as error:
                leave_out(key, str(error))
