"""Disentangled BLIP-VQA (T2I-CompBench, Huang et al. 2023): one question for each thing.

"a green bench and a red car" becomes "a green bench?" and "a red car?"; the score is the product
of the probabilities of yes. As coded, that is yes against no, each printed with four decimals
before they are multiplied, and the product again; the paper takes the probability of yes itself
and rounds nothing (`paper=True`).

A prompt without noun phrases scores 1 in the official script, where an empty place in its table
counts as yes. Here it stays without a score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.noun_phrases import check_reader, parser_option, reader
from jurybox_judging.options import Optioned, flag
from jurybox_judging.protocols import Judgement, KnownAnswers, Question, Subject, Unscored, Want

NAMES = {"blip-vqa": {"class": "BlipVqa", "parts": ("answers",)}}

# Noun chunks from "on the top of" and the like, which name no object.
NOT_OBJECTS = ("top", "the side", "the left", "the right")
PLACES = 8
WORDS = 50


def product(probabilities: Sequence[float], *, rounded: bool = True, paper: bool = False) -> float:
    """`rounded`: four decimals before and after, in float32, as the script passes them on."""
    values = np.asarray(probabilities, dtype=float)
    if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
        raise ValueError("Probabilities are a plain list of numbers from 0 to 1.")
    if paper or not rounded:
        return float(np.prod(values))
    result = np.float32(1)
    for value in values:
        result *= np.float32(f"{value:.4f}")
    return float(f"{result:.4f}")


def questions(chunks: Sequence[str]) -> list[str]:
    """The questions about these noun chunks: the first eight that name an object."""
    things = [chunk for chunk in chunks if chunk not in NOT_OBJECTS]
    return [cleaned(f"{chunk}?") for chunk in things[:PLACES]]


def cleaned(question: str) -> str:
    """Lower case, without some punctuation, at most fifty words: as in BLIP's training."""
    text = re.sub(r'[.!"()*#:;~]', "", question.lower()).rstrip(" ")
    return " ".join(text.split(" ")[:WORDS])


@dataclass(frozen=True, kw_only=True)
class BlipVqa(Optioned):
    """The noun phrases come from `metadata["chunks"]`, or else from the parser."""

    rounded: bool = flag(True, "Four decimals before and after multiplying, as coded.")
    paper: bool = flag(False, "The probability of yes itself, nothing rounded, as in the paper.")
    parser: str = parser_option()

    identity: ClassVar[str] = "BlipVqa"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reader(self.parser)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        asked = self._questions(subject)
        if isinstance(asked, str):
            return ()
        return tuple(want for want in dict.fromkeys(asked) if want not in seen)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        asked = self._questions(subject)
        if isinstance(asked, str):
            return Unscored(asked, lacks="phrases")
        answers = [(question, seen[question]) for question in asked]
        evidence = {
            "answers": [
                {"question": question.text, **answer_as_evidence(answer)}
                for question, answer in answers
            ]
        }
        failed = [
            f"“{question.text}”: {answer.reason or 'no answer'}"
            for question, answer in answers
            if answer.probability is None
        ]
        if failed:
            return Unscored(f"Not every question was answered: {'; '.join(failed)}", evidence)
        score = product(
            [answer.probability for _, answer in answers], rounded=self.rounded, paper=self.paper
        )
        return Judgement(score=score, evidence=evidence)

    def _questions(self, subject: Subject) -> list[Question] | str:
        """The questions, or a sentence saying why there are none."""
        chunks = subject.metadata.get("chunks")
        if chunks is None:
            chunks = [phrase.text for phrase in reader(self.parser)(subject.prompt)]
        elif not isinstance(chunks, list | tuple) or not all(isinstance(c, str) for c in chunks):
            return "The prompt's own “chunks” must be a list of texts."
        texts = questions(chunks)
        if not texts:
            return "This prompt has no noun phrase to ask about."
        if self.paper:
            return [Question(text, ("yes",), "first_tokens") for text in texts]
        return [Question(text, ("yes", "no"), "share") for text in texts]
