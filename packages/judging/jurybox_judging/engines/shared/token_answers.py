"""Probabilities of answers from the scores of the next token.

The rules of `jurybox_judging.protocols.Question`, for any model that scores tokens. Nothing here loads a
model: tensors come in, plain values go out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox_judging.protocols import Answer, Question

RULES = ("first_tokens", "distinct_tokens", "sequence", "share")


@dataclass(frozen=True, slots=True)
class _AnswerTokens:
    """The tokens that decide a question, or the reason why there are none."""

    tokens: tuple[int, ...]
    reason: str = ""


class AnswerReader:
    """`end` are the tokens that a family scores after the answer itself (T5: the end mark)."""

    def __init__(self, tokenizer: Any, end: tuple[int, ...] = ()) -> None:
        self.tokenizer = tokenizer
        self.end = end
        self._encoded: dict[str, tuple[int, ...]] = {}

    def forced(self, question: Question) -> tuple[int, ...]:
        """The tokens to put after the question, so that each further one of an answer is scored."""
        return self._answer_tokens(question).tokens[:-1] if question.rule == "sequence" else ()

    def read(self, questions: Sequence[Question], logits: Any) -> list[Answer]:
        """`logits`: for each question the row after it, then one after each of its forced tokens.

        All are read in one go, since each transfer from another device takes its time.
        """
        counted = [self._answer_tokens(question) for question in questions]
        firsts: list[int] = []
        rows: list[int] = []
        tokens: list[int] = []
        row = 0
        for question, count in zip(questions, counted, strict=True):
            firsts.append(row)
            steps = question.rule == "sequence"
            rows += [row + steps * step for step in range(len(count.tokens))]
            tokens += count.tokens
            row += 1 + len(self.forced(question))
        if row != len(logits):
            raise ValueError(f"{row} rows of scores were expected, not {len(logits)}.")
        if not row:
            return []
        logs = logits.float().log_softmax(-1)
        picked = iter(logs[rows, tokens].tolist())
        said = logs[firsts].argmax(-1).tolist()
        return [
            self._answer(question, count, token, [next(picked) for _ in count.tokens])
            for question, count, token in zip(questions, counted, said, strict=True)
        ]

    def _answer(
        self, question: Question, counted: _AnswerTokens, said: int, logs: list[float]
    ) -> Answer:
        tokens = tuple(
            (self._text(token), math.exp(log))
            for token, log in zip(counted.tokens, logs, strict=True)
        )
        reason = counted.reason
        if any(math.isnan(log) for log in logs):
            return Answer(None, reason="The model's scores are not numbers.")
        if question.rule == "share" and not reason and max(logs) == -math.inf:
            reason = f"None of {_quoted(question.answers)} has any probability."
        if reason:
            return Answer(None, self._text(said), tokens, reason=reason)
        return Answer(_probability(question.rule, logs), self._text(said), tokens)

    def _answer_tokens(self, question: Question) -> _AnswerTokens:
        if question.rule not in RULES:
            raise ValueError(f"The rule is one of {', '.join(RULES)}, not {question.rule!r}.")
        if question.rule == "share" and len(question.answers) != 2:
            return _AnswerTokens((), f"A share is of two answers, not of {len(question.answers)}.")
        answers = question.answers[:1] if question.rule == "sequence" else question.answers
        encoded = [self._encode(answer) for answer in answers]
        if not answers:
            return _AnswerTokens((), "The question names no answer to look for.")
        if not all(encoded):
            return _AnswerTokens((), f"An answer is empty: {_quoted(answers)}.")
        if question.rule == "sequence":
            return _AnswerTokens(encoded[0] + self.end)
        first = tuple(tokens[0] for tokens in encoded)
        if question.rule == "distinct_tokens":
            first = tuple(self._distinct(first))
            if not first:
                return _AnswerTokens((), f"{_quoted(answers)} begin with a blank only.")
        if question.rule == "share" and first[0] == first[1]:
            return _AnswerTokens((), f"{_quoted(answers)} begin with the same token.")
        return _AnswerTokens(first)

    def _distinct(self, tokens: Sequence[int]) -> Iterator[int]:
        return (token for token in dict.fromkeys(tokens) if self._text(token).strip())

    def _encode(self, answer: str) -> tuple[int, ...]:
        if answer not in self._encoded:
            encoded = self.tokenizer.encode(answer, add_special_tokens=False)
            self._encoded[answer] = tuple(encoded)
        return self._encoded[answer]

    def _text(self, token: int) -> str:
        return self.tokenizer.decode([token])


def _probability(rule: str, logs: Sequence[float]) -> float:
    if rule == "sequence":
        return math.exp(sum(logs) / len(logs))
    if rule == "share":
        # p₁ / (p₁ + p₂) by the difference of the logarithms: two tiny numbers still have a share.
        yes, no = logs
        return 1 / (1 + math.exp(min(no - yes, 700.0)))
    # A token that begins two answers counts twice, as in the official code.
    return sum(math.exp(log) for log in logs)


def _quoted(answers: Sequence[str]) -> str:
    return ", ".join(f"“{answer}”" for answer in answers)
