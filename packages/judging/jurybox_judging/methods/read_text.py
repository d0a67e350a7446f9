"""Whether a picture shows the words that its prompt asks for, as somebody reads them.

The expected text is the prompt's own column, or what stands in quotation marks. The engine reads all
that is written; what was read and where is the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_formats.sets.prompt_sets.word_counts import count_words, language_of, words_of
from jurybox_judging.methods.word_scores import character_share, edit_share, missing_words
from jurybox_judging.options import Optioned, choice, free_text
from jurybox_judging.protocols import (
    Judgement,
    KnownAnswers,
    Line,
    Subject,
    Unscored,
    Want,
    Writing,
)

NAMES = {"read-text": {"class": "ReadText", "parts": ("writing",)}}

SCORES = ("words", "words-as-written", "edits", "characters", "whole")
# Each pair of marks, and straight single ones only around words: the apostrophe of “don't” is none.
_QUOTED = re.compile(
    r"“([^”]+)”|\"([^\"]+)\"|‘([^’]+)’|«([^»]+)»|「([^」]+)」|『([^』]+)』|(?<!\w)'([^']+)'(?!\w)"
)


def expected_text(prompt: str, given: Any = None) -> str:
    """The words to be written, line after line; empty where the prompt wants none."""
    if isinstance(given, str) and given.strip():
        return given
    if isinstance(given, list) and all(isinstance(line, str) for line in given) and any(given):
        return "\n".join(line for line in given if line.strip())
    return "\n".join(next(filter(None, found.groups())) for found in _QUOTED.finditer(prompt))


@dataclass(frozen=True, kw_only=True)
class ReadText(Optioned):
    score: str = choice(
        "words",
        SCORES,
        "words: share of words read, whatever their case (LongText). words-as-written: the same with "
        "their case (OneIG). edits: 1 − edits by the longer text. characters: 1 − character error "
        "rate. whole: 1 where all words are there.",
    )
    column: str = free_text("text", "The column of the prompts that has the text to be written.")

    identity: ClassVar[str] = "ReadText"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if Writing() in seen or not self._expected(subject):
            return ()
        return (Writing(),)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        expected = self._expected(subject)
        if not expected:
            return Unscored(
                f"This prompt has no text to be written: nothing in quotation marks, no “{self.column}”."
            )
        lines: Sequence[Line] = seen[Writing()]
        read = "\n".join(line["text"] for line in lines)
        language = language_of(expected)
        as_written = self.score == "words-as-written"
        missing = missing_words(expected, read, language, as_written=as_written)
        evidence = {
            "expected": expected,
            "read": read,
            "missing": missing,
            "detections": [
                {"class": line["text"], "score": line["score"], "box": list(line["box"])}
                for line in lines
            ],
        }
        reason = f"Not read: {', '.join(missing)}." if missing else ""
        score = self._score(expected, read, language)
        correct = None if self.score in ("edits", "characters") else not missing
        return Judgement(score, correct, reason, evidence=evidence)

    def _expected(self, subject: Subject) -> str:
        text = expected_text(subject.prompt, subject.metadata.get(self.column))
        return text if words_of(text, language_of(text)) else ""

    def _score(self, expected: str, read: str, language: str) -> float:
        if self.score == "edits":
            return edit_share(expected, read)
        if self.score == "characters":
            return character_share(expected, read)
        as_written = self.score == "words-as-written"
        found, wanted = count_words(expected, read, language, as_written=as_written)
        return float(found == wanted) if self.score == "whole" else found / wanted
