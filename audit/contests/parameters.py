"""What somebody wants to know of a leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotations.errors import Refused
from annotations.models import Study
from annotations.pairs.votes import questions_of as pair_questions
from annotations.stored_answers.question import choose
from audit.reports.pairing import kept_questions

# "arena" is the half win for both that arenas count, for numbers like theirs.
TIES = {
    "davidson": gettext_noop("Davidson’s ties"),
    "rao_kupper": gettext_noop("Rao and Kupper’s ties"),
    "arena": gettext_noop("a tie is half a win, as in arenas"),
}
MADE_FROM = {
    "pairs": gettext_noop("images side by side"),
    "answers": gettext_noop("answers about single images"),
}


def _in_language(choices: Mapping[str, str]) -> dict[str, str]:
    return {key: gettext(words) for key, words in choices.items()}


def _ways(study: Study, body: Mapping[str, Any]) -> dict[str, str]:
    both = pair_questions(study) and kept_questions(study)
    return _in_language(MADE_FROM) if both else {}


def _questions(study: Study, body: Mapping[str, Any]) -> dict[str, str] | None:
    """Those of pairs, where the comparisons are made from them."""
    of_pairs, of_answers = pair_questions(study), kept_questions(study)
    if of_answers is None:
        return None
    made_from = body.get("made_from") or ("pairs" if of_pairs else "answers")
    return {name: name for name in (of_pairs if made_from == "pairs" else of_answers)}


def _slices(study: Study, body: Mapping[str, Any]) -> dict[str, str]:
    tags = body.get("tags", [])
    return {"": gettext("all prompts"), **{tag: tag for tag in tags}} if len(tags) > 1 else {}


@dataclass(frozen=True, slots=True)
class Parameters:
    """`slice`: only prompts with this tag; empty for all. `made_from`: pairs or answers; empty for pairs
    where people have voted on some."""

    question: str = choose(gettext_noop("question"), _questions)
    ties: str = choose(gettext_noop("ties"), lambda *_: _in_language(TIES), default="davidson")
    slice: str = choose(gettext_noop("slice"), _slices)
    made_from: str = choose(gettext_noop("made from"), _ways)

    def __post_init__(self) -> None:
        if self.ties not in TIES:
            raise Refused(f"Ties are counted as one of {', '.join(TIES)}.")
        if self.made_from not in ("", *MADE_FROM):
            raise Refused(f"Comparisons are made from one of {', '.join(MADE_FROM)}.")
        if max(len(self.question), len(self.slice)) > 200:
            raise Refused("A question’s or a tag’s name has 200 letters at most.")
