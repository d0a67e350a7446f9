"""DSG: yes-or-no questions, some of which depend on others (Cho et al. 2024).

Whether the dog is red counts only where there is a dog. As coded, a question is valid when its
*direct* parents were answered with yes, whatever these depend on in turn; `transitive=True` also
checks the grandparents, as the pseudo-code of the official read-me does. An invalid question
scores 0 and stays in the mean.

Two ways to ask. "one-word": as GenEval 2 asks its questions, the likeliest token decides. "gpt-4o":
as DSG's own code asks a chat model, yes or no and nothing else; a free reply, in lower case and without
punctuation, must be "yes".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.methods.dpg import DpgQuestion, zeroed
from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.methods.shared.answer_spellings import matches, one_word
from jurybox_judging.options import Optioned, choice, flag
from jurybox_judging.protocols import (
    Answer,
    Atom,
    AtomJudgement,
    Judgement,
    KnownAnswers,
    Subject,
    Talk,
    Unscored,
    Want,
)

NAMES = {"dsg": {"class": "Dsg", "parts": ("answers",), "instead": {("wording", "gpt-4o"): "talk"}}}

# In these words, with this limit, DSG's own code asks GPT-4o; other models get the bare question.
ASK = (
    "Answer only with 'yes' or 'no'. Do not give other outputs or punctuation marks. "
    "Question: {question}"
)
LONGEST = 20  # tokens of a reply
ROOT = 0
Id = Any  # of a question: a number or a text


def score(
    dependencies: Mapping[Id, Sequence[Id]] | None,
    answers: Mapping[Id, str],
    *,
    transitive: bool = False,
    expected: Mapping[Id, str] | None = None,
) -> float:
    """The share of questions that are right and valid; 0 for no questions at all, as coded.

    The right answer is "yes" to the letter, unless `expected` has another. Dependencies on 0 are
    none; without `dependencies` all questions are valid.
    """
    right = _right(answers, expected)
    counted = valid(dependencies, answers, transitive=transitive, expected=expected)
    return sum(right[name] and counted[name] for name in right) / len(right) if right else 0.0


def valid(
    dependencies: Mapping[Id, Sequence[Id]] | None,
    answers: Mapping[Id, str],
    *,
    transitive: bool = False,
    expected: Mapping[Id, str] | None = None,
) -> dict[Id, bool]:
    """For each question, whether the questions that it depends on were answered right."""
    right = _right(answers, expected)
    by_text = {str(name): name for name in right}
    parents: dict[Id, list[Id]] = {}
    for name, on in (dependencies or {}).items():
        missing = [str(p) for p in on if str(p) != str(ROOT) and str(p) not in by_text]
        if missing:
            raise ValueError(f"Question {name} rests on {', '.join(missing)}, which has no answer.")
        if str(name) in by_text:
            parents[by_text[str(name)]] = [by_text[str(p)] for p in on if str(p) != str(ROOT)]

    held: dict[Id, bool] = {}

    def holds(name: Id, below: frozenset[Id] = frozenset()) -> bool:
        if name in below:
            raise ValueError(f"Question {name} rests on itself.")
        if name not in held:
            held[name] = all(
                right[parent] and (not transitive or holds(parent, below | {name}))
                for parent in parents.get(name, ())
            )
        return held[name]

    return {name: holds(name) for name in right}


# --- the lines in which the official prompts have a language model write questions -----------


def parse_tuples(text: str) -> dict[int, str]:
    """`1 | attribute - color (light, red)` -> the category of each tuple."""
    return {number: content.partition("(")[0].strip() for number, content in _lines(text)}


def parse_dependencies(text: str) -> dict[int, list[int]]:
    """`3 | 1, 2` -> the questions that each one depends on; 0 for none."""
    dependencies = {}
    for number, content in _lines(text):
        parts = clean_dependency(content).split(",")
        if not all(part.isdecimal() and len(part) < 10 for part in parts):
            raise ValueError(f"“{content}” names no questions that {number} rests on.")
        dependencies[number] = [int(part) for part in parts]
    return dependencies


def parse_questions(text: str) -> dict[int, str]:
    return dict(_lines(text))


def clean_dependency(text: str) -> str:
    """The numbers in a list that are not 0; a single character stays what it is."""
    text = text.strip()
    if len(text) == 1:
        return text
    parts = [part.strip() for part in text.split(",")]
    return ",".join(part for part in parts if part.isdecimal() and part != str(ROOT))


def _lines(text: str) -> list[tuple[int, str]]:
    rows = []
    for line in text.strip().removeprefix("output:").strip().splitlines():
        parts = line.split("|")
        if len(parts) != 2 or not re.fullmatch(r"\d{1,9}", parts[0].strip()):
            raise ValueError(f"“{line}” is no line like “1 | text”.")
        rows.append((int(parts[0]), parts[1].strip()))
    return rows


def normalize_reply(reply: str) -> str:
    """A reply as DSG's own code compares it."""
    return re.sub(r"[.,?!]", "", reply.lower().strip())


@dataclass(frozen=True, kw_only=True)
class Dsg(Optioned):
    wording: str = choice(
        "one-word",
        ("one-word", "gpt-4o"),
        "“one-word” asks as GenEval 2 does; “gpt-4o” as DSG's own code asks a chat model.",
    )
    dependencies: bool = flag(True, "Questions count only where those they rest on were met.")
    transitive: bool = flag(False, "Also those that these rest on in turn must have been met.")
    zeroing: str = choice(
        "direct",
        ("direct", "in-order"),
        "Which questions count 0. “direct”: where one they rest on was answered no (DSG, OneIG). "
        "“in-order”: also where that one was zeroed before, as DPG-Bench does.",
    )

    identity: ClassVar[str] = "Dsg"
    version: ClassVar[str] = "2"
    in_peoples_unit: ClassVar[bool] = True

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if self._without_yes_or_no(subject):
            return ()
        asked = dict.fromkeys(self._want(atom) for atom in subject.atoms)
        return tuple(want for want in asked if want not in seen)

    def _without_yes_or_no(self, subject: Subject) -> list[Atom]:
        """The atoms that DSG's own words cannot ask about."""
        if self.wording != "gpt-4o":
            return []
        return [a for a in subject.atoms if a.expected.lower() not in ("yes", "no")]

    def _want(self, atom: Atom) -> Want:
        if self.wording == "gpt-4o":
            return Talk((ASK.replace("{question}", atom.question),), LONGEST)
        return one_word(atom.question, atom.expected)

    def _answer(self, atom: Atom, seen: KnownAnswers) -> Answer:
        answer = seen[self._want(atom)]
        return Answer(None, answer[-1]) if self.wording == "gpt-4o" else answer

    def _is_right(self, atom: Atom, answer: Answer) -> bool:
        if self.wording == "gpt-4o":
            return normalize_reply(answer.said) == atom.expected.lower()
        return matches(answer.said, atom.expected)

    def _is_told(self, answer: Answer) -> bool:
        if self.wording == "gpt-4o":
            return normalize_reply(answer.said) in ("yes", "no")
        return bool(answer.said.strip())

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.atoms:
            return Unscored("This prompt has no questions to ask.", lacks="questions")
        if others := self._without_yes_or_no(subject):
            named = "; ".join(f"atom {a.index} ({a.question}) “{a.expected}”" for a in others)
            return Unscored(
                f"DSG's own words ask for yes or no, but expected is: {named}.",
                lacks="yes or no",
            )
        answered = {atom.index: self._answer(atom, seen) for atom in subject.atoms}
        evidence = {
            "answers": [
                {
                    "index": atom.index,
                    "question": atom.question,
                    "expected": atom.expected,
                    **answer_as_evidence(answered[atom.index]),
                }
                for atom in subject.atoms
            ]
        }
        failed = [
            atom
            for atom in subject.atoms
            if self.wording != "gpt-4o"
            and answered[atom.index].probability is None
            and not answered[atom.index].said.strip()
        ]
        if failed:
            return Unscored(
                f"Not every question was answered: {_answer_names(failed, answered)}", evidence
            )
        # Numbered from 1, since 0 is the root.
        answers = {
            atom.index + 1: "yes" if self._is_right(atom, answered[atom.index]) else "no"
            for atom in subject.atoms
        }
        parents = {atom.index + 1: [p + 1 for p in atom.parents] for atom in subject.atoms}
        try:
            counted = valid(
                parents if self.dependencies else None, answers, transitive=self.transitive
            )
        except ValueError as error:
            return Unscored(str(error), evidence)
        scores = {n: float(answer == "yes" and counted[n]) for n, answer in answers.items()}
        if self.zeroing == "in-order" and self.dependencies:
            asked = [DpgQuestion(n, tuple(parents[n]), "") for n in answers]
            scores = zeroed(asked, [float(answer == "yes") for answer in answers.values()])
            counted = {n: scores[n] == (answers[n] == "yes") for n in scores}
        unmet = "a question that this one rests on was not met"
        atoms = tuple(
            AtomJudgement(number - 1, score, "" if counted[number] else unmet)
            for number, score in scores.items()
        )
        # Nothing but a blank is no yes, as in the official code; nor is a sentence.
        silent = sum(not self._is_told(answer) for answer in answered.values())
        score = sum(scores.values()) / len(scores)
        return Judgement(score, atoms=atoms, evidence=evidence, assumed=silent)


def _right(answers: Mapping[Id, str], expected: Mapping[Id, str] | None) -> dict[Id, bool]:
    wanted = expected or {}
    return {name: answer == wanted.get(name, "yes") for name, answer in answers.items()}


def _answer_names(atoms: Sequence[Atom], answered: Mapping[int, Answer]) -> str:
    return "; ".join(
        f"atom {atom.index} ({atom.question}): {answered[atom.index].reason or 'it was not answered'}"
        for atom in atoms
    )
