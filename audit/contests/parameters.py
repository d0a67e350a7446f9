"""What somebody wants to know of a leaderboard."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_noop

from annotations.errors import Refused

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


@dataclass(frozen=True, slots=True)
class Parameters:
    """`slice`: only prompts with this tag; empty for all. `made_from`: pairs or answers; empty for pairs
    where people have voted on some."""

    question: str = ""
    ties: str = "davidson"
    slice: str = ""
    made_from: str = ""

    def __post_init__(self) -> None:
        if self.ties not in TIES:
            raise Refused(f"Ties are counted as one of {', '.join(TIES)}.")
        if self.made_from not in ("", *MADE_FROM):
            raise Refused(f"Comparisons are made from one of {', '.join(MADE_FROM)}.")
        if max(len(self.question), len(self.slice)) > 200:
            raise Refused("A question’s or a tag’s name has 200 letters at most.")
