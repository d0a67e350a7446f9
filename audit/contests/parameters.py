"""What somebody wants to know of a leaderboard."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.errors import Refused

# "arena" is the half win for both that arenas count, for numbers like theirs.
TIES = {
    "davidson": "Davidson’s ties",
    "rao_kupper": "Rao and Kupper’s ties",
    "arena": "a tie is half a win, as in arenas",
}
MADE_FROM = {"pairs": "images side by side", "answers": "answers about single images"}


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
