"""VQAScore: the probability of "yes" to one question about the whole prompt (Lin et al. 2024).

The wording of the question is part of the score; papers and versions of the code differ in it:

- "clip-flant5": the first release; over the answer *and* the end mark, so √(P(Yes)·P(</s>)).
- "instructblip": the same of the code that asks InstructBLIP: with “Question:”, and a small yes.
- "v3": the later releases with one-token models; P of exactly the token of "Yes".
- "geneval2": GenEval 2's code; the first tokens of Yes, yes and both with a blank, added up.
- "geneval2-paper": the same in the words of its paper, without quotation marks.

A `template` of your own contains "{}" or "{prompt}"; a prompt may contain braces too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.methods.shared.answer_spellings import variants
from jurybox_judging.methods.shared.shown import NoPicture, check_places, pictures_option, shown_to
from jurybox_judging.options import Optioned, choice, free_text
from jurybox_judging.protocols import Judgement, KnownAnswers, Question, Subject, Unscored, Want

NAMES = {"vqa-score": {"class": "VqaScore", "parts": ("answers",)}}


@dataclass(frozen=True, slots=True)
class Wording:
    template: str
    answers: tuple[str, ...]
    rule: str


WORDINGS = {
    "clip-flant5": Wording(
        'Does this figure show "{}"? Please answer yes or no.', ("Yes",), "sequence"
    ),
    "instructblip": Wording(
        'Question: Does this figure show "{}"? Please answer yes or no.', ("yes",), "sequence"
    ),
    "v3": Wording('Does this figure show "{}"? Please answer Yes or No.', ("Yes",), "sequence"),
    "geneval2": Wording(
        'Does this image show "{}"? Answer the question with Yes or No.',
        variants("Yes"),
        "first_tokens",
    ),
    "geneval2-paper": Wording(
        "Does this image show {}? Answer in one word, Yes or No.", variants("Yes"), "first_tokens"
    ),
}
RULES = ("", "sequence", "first_tokens", "distinct_tokens", "share")
IGNORED = -100


def likelihood(logits: Any, labels: Sequence[int]) -> float:
    """exp(-mean cross-entropy): the geometric mean of the probabilities of the answer's tokens.

    `logits`: a row of scores per token; a label of -100 is no part of the answer.
    """
    scores = np.asarray(logits, dtype=float)
    wanted = np.asarray(labels)
    if scores.ndim != 2 or wanted.shape != scores.shape[:1]:
        raise ValueError("Each row of scores needs one label.")
    counted = wanted != IGNORED
    if not counted.any():
        raise ValueError("No token is part of the answer.")
    scores, wanted = scores[counted], wanted[counted]
    peaks = scores.max(axis=1)
    totals = peaks + np.log(np.exp(scores - peaks[:, None]).sum(axis=1))
    return float(np.exp(np.mean(scores[np.arange(len(wanted)), wanted] - totals)))


def of_listed(top: Sequence[tuple[str, float]], *, rule: str = "last") -> float | None:
    """P(yes) from the few likeliest tokens that a server lists with their log-probabilities.

    "exact": the token "Yes" to the letter, else 0: the first release.
    "last": yes in any spelling, the *last* of the list, however unlikely; without one, what no
        leaves over; with neither, 0: the later releases.
    "sum": all spellings of yes added up; without yes or no in the list there is no score.
    """
    if rule == "exact":
        return next((math.exp(log) for token, log in top if token == "Yes"), 0.0)  # noqa: S105
    listed = [(token.strip().lower(), math.exp(log)) for token, log in top]
    yes = [p for token, p in listed if token == "yes"]  # noqa: S105
    no = [p for token, p in listed if token == "no"]  # noqa: S105
    if rule == "last":
        return yes[-1] if yes else 1 - no[-1] if no else 0.0
    if rule == "sum":
        return min(sum(yes), 1.0) if yes else max(1 - sum(no), 0.0) if no else None
    raise ValueError(f"The rule is one of exact, last, sum, not “{rule}”.")


@dataclass(frozen=True, kw_only=True)
class VqaScore(Optioned):
    wording: str = choice(
        "clip-flant5",
        tuple(WORDINGS),
        "A paper’s question, or that of a version of its code.",
    )
    template: str = free_text(
        "",
        "Another question, with {} or {prompt} once; empty: the wording's own.",
        longest=2_000,
    )
    rule: str = choice("", RULES, "Which tokens count as yes; empty: the wording's own rule.")
    pictures: tuple[str, ...] = pictures_option()

    identity: ClassVar[str] = "VqaScore"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_places(self.pictures)
        if self.template:
            _place(self.template)

    @property
    def options(self) -> dict[str, Any]:
        """With the words of the question itself, since they decide what the number means."""
        known = WORDINGS[self.wording]
        return {
            "wording": self.wording,
            "template": self.template or known.template,
            "rule": self.rule or known.rule,
            "pictures": self.pictures,
        }

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if not subject.prompt.strip():
            return ()
        try:
            want = self._question(subject)
        except NoPicture:
            return ()
        return () if want in seen else (want,)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.prompt.strip():
            return Unscored("This prompt is empty.", lacks="words")
        try:
            question = self._question(subject)
        except NoPicture as error:
            return Unscored(str(error), lacks=error.lacks)
        answer = seen[question]
        evidence = {"question": question.text, **answer_as_evidence(answer)}
        value = answer.probability
        if value is None:
            return Unscored(answer.reason or "The question was not answered.", evidence)
        if not math.isfinite(value) or value < 0:
            return Unscored(f"The answer {value} is not a probability.", evidence)
        return Judgement(float(value), evidence=evidence, assumed=int(answer.between is not None))

    def _question(self, subject: Subject) -> Question:
        chosen = WORDINGS[self.wording]
        template, rule = self.template or chosen.template, self.rule or chosen.rule
        answers = chosen.answers
        if rule == "share":
            answers = ("Yes", "No")
        elif rule in ("first_tokens", "distinct_tokens") and len(answers) == 1:
            answers = variants("Yes")
        # Not str.format: a prompt may hold braces, and so may the rest of a template.
        text = template.replace(_place(template), subject.prompt, 1)
        return Question(text, answers, rule, shown_to(subject, self.pictures))


def _place(template: str) -> str:
    for place in ("{prompt}", "{}"):
        if template.count(place) == 1:
            return place
    raise ValueError("A template needs one place for the prompt: {} or {prompt}.")
