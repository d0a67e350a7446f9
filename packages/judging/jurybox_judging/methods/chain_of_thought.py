"""A model describes the picture and then scores it (T2I-CompBench, MiniGPT4-CoT, appendix C.1).

Two turns, by the category of the prompt, in the words of the official scripts or (`wording="paper"`)
of the paper. For attributes, the scripts ask about one noun phrase after the other in one
conversation; in the paper's words there is a conversation about each that has an adjective. The score is
the mean over the phrases. The first number from 0 to 100 in the reply counts (`reading="json"` accepts
only the score in the JSON that was requested), and where there is none the conversation is held
again, three times in all. After that there is no score; the reply is kept as evidence.

As coded, the temperature is 0.7 for attributes and 1 for all else; in the paper it is 0.7.
In the table for complex prompts the texts for 40 and 20 are swapped compared with those for
relationships; they are kept as printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

from jurybox_judging.methods.shared import chain_of_thought_as_coded as coded
from jurybox_judging.noun_phrases import Phrase, check_reader, parser_option, reader
from jurybox_judging.options import MOST_TOKENS, Optioned, choice, real, whole
from jurybox_judging.protocols import Judgement, KnownAnswers, Subject, Talk, Unscored, Want

NAMES = {"chain-of-thought": {"class": "ChainOfThought", "parts": ("talk",)}}


@dataclass(frozen=True, slots=True)
class Turns:
    describe: str
    predict: str


_ACCORDING = "According to the image and your previous answer, evaluate"
_ANALYSIS = (
    "Provide your analysis and explanation in JSON format with the following keys: "
    "score (e.g., 85), explanation (within 20 words)."
)
_CRITERIA = "Give a score from 0 to 100, according the criteria:"
_PORTRAYED = f'{_ACCORDING} if the text "{{prompt}}" is correctly portrayed in the image.'


def _attribute(kind: str) -> Turns:
    return Turns(
        f"You are my assistant to identify any objects and their {kind} in the image. "
        "Briefly describe what it is in the image within 50 words.",
        f"{_ACCORDING} if there is {{phrase}} in the image. {_CRITERIA} "
        "100: there is {noun}, and {noun} is {adjective}. "
        "75: there is {noun}, {noun} is mostly {adjective}. "
        "20: there is {noun}, but it is not {adjective}. "
        f"10: no {{noun}} in the image. {_ANALYSIS}",
    )


TURNS = {
    "color": _attribute("color"),
    "shape": _attribute("shape"),
    "texture": _attribute("texture"),
    "spatial": Turns(
        "You are my assistant to identify objects and their spatial layout in the image. "
        "Briefly describe the image within 50 words.",
        f"{_PORTRAYED} {_CRITERIA} "
        "100: correct spatial layout in the image for all objects mentioned in the text. "
        "80: basically, spatial layout of objects matches the text. "
        "60: spatial layout not aligned properly with the text. "
        "40: image not aligned properly with the text. "
        f"20: image almost irrelevant to the text. {_ANALYSIS}",
    ),
    "non_spatial": Turns(
        "You are my assistant to identify the actions, events, objects and their relationships "
        "in the image. Briefly describe the image within 50 words.",
        f"{_PORTRAYED} {_CRITERIA} "
        "100: the image accurately portrayed the actions, events and relationships between "
        "objects described in the text. "
        "80: the image portrayed most of the actions, events and relationships but with minor "
        "discrepancies. "
        "60: the image depicted some elements, but action relationships between objects are not "
        "correct. "
        "40: the image failed to convey the full scope of the text. "
        f"20: the image did not depict any actions or events that match the text. {_ANALYSIS}",
    ),
    "complex": Turns(
        "You are my assistant to evaluate the correspondence of the image to a given text "
        "prompt. Briefly describe the image within 50 words, focus on the objects in the image "
        "and their attributes (such as color, shape, texture), spatial layout and action "
        "relationships.",
        f"{_ACCORDING} how well the image aligns with the text prompt: {{prompt}}. {_CRITERIA} "
        "100: the image perfectly matches the content of the text prompt, with no discrepancies. "
        "80: the image portrayed most of the actions, events and relationships but with minor "
        "discrepancies. "
        "60: the image depicted some elements in the text prompt, but ignored some key parts or "
        "details. "
        "40: the image did not depict any actions or events that match the text. "
        f"20: the image failed to convey the full scope in the text prompt. {_ANALYSIS}",
    ),
}
ATTRIBUTES = ("color", "shape", "texture")
# For prompts of the extended benchmark, the closest of these texts is used.
CATEGORIES = {**{name: name for name in TURNS}, "3d_spatial": "spatial", "numeracy": "complex"}
READINGS = ("first number", "json")


def read_score(reply: str, reading: str = "first number") -> float | None:
    """From 0 to 100; None for a reply without such a number, which is never guessed.

    As coded, a number is a word of digits alone: of 85.5 it is 85.
    """
    if reading == "json":
        return _json_score(reply)
    words = (word for word in re.split(r"\W", reply) if re.fullmatch(r"[0-9]+", word))
    return next((number for number in map(float, words) if number <= 100), None)


@dataclass(frozen=True, kw_only=True)
class ChainOfThought(Optioned):
    category: str = choice(
        "", ("", *CATEGORIES), "The category of prompts whose metadata name none."
    )
    reading: str = choice(
        "first number",
        READINGS,
        "How the score is read: the first number of the reply, as coded, or its JSON alone.",
    )
    asks: int = whole(3, "How often it is asked where no score can be read.", minimum=1, maximum=10)
    temperature: float | None = real(
        None, "For all categories; without it, as coded: 0.7 or 1.", minimum=0, maximum=2
    )
    wording: str = choice(
        "code", ("code", "paper"), "The questions of the official scripts or those of the paper."
    )
    max_tokens: int = whole(300, "The longest reply, in tokens.", minimum=1, maximum=MOST_TOKENS)
    seed: int = whole(0, "Of the first ask; the next ones count on.", minimum=0, maximum=2**31 - 1)
    parser: str = parser_option()

    identity: ClassVar[str] = "ChainOfThought"
    version: ClassVar[str] = "2"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reader(self.parser)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        wants = []
        for turns in self._conversations(subject):
            held: list[Sequence[str]] = []
            for talk in self._asks(turns, subject):
                if talk not in seen:
                    wants.append(talk)
                    break
                held.append(seen[talk])
                if None not in self._scores(held):
                    break
        return tuple(dict.fromkeys(wants))

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        conversations = self._conversations(subject)
        if not conversations:
            return self._unscored(subject)
        held: list[dict[str, Any]] = []
        for turns in conversations:
            replies = [seen[talk] for talk in self._asks(turns, subject) if talk in seen]
            held.append(
                {
                    "turns": list(turns),
                    "replies": [list(reply) for reply in replies],
                    "scores": self._scores(replies),
                }
            )
        evidence = {"conversations": held}
        unread = [
            entry["replies"][-1][1 + at]
            for entry in held
            for at, score in enumerate(entry["scores"])
            if score is None
        ]
        if unread:
            return Unscored(f"No score can be read in the reply “{unread[0][:200]}”.", evidence)
        return Judgement(
            fmean(score for entry in held for score in entry["scores"]) / 100, evidence=evidence
        )

    def _scores(self, held: Sequence[Sequence[str]]) -> list[float | None]:
        """The reply to each question after the first, where the conversation was held several
        times: the first score that can be read."""
        return [
            next((s for reply in said if (s := read_score(reply, self.reading)) is not None), None)
            for said in zip(*(replies[1:] for replies in held), strict=True)
        ]

    def _category(self, subject: Subject) -> str:
        named = str(subject.metadata.get("category", ""))
        return CATEGORIES.get(named) or CATEGORIES.get(self.category, "")

    def _conversations(self, subject: Subject) -> list[tuple[str, ...]]:
        category = self._category(subject)
        if not category or not subject.prompt.strip():
            return []
        if self.wording == "code":
            if category not in ATTRIBUTES:
                return [coded.about_the_prompt(category, subject.prompt)]
            phrases = [phrase for phrase in reader(self.parser)(subject.prompt) if phrase.nouns]
            return [coded.about_phrases(category, phrases)] if phrases else []
        turns = TURNS[category]
        if category not in ATTRIBUTES:
            return [(turns.describe, turns.predict.replace("{prompt}", subject.prompt))]
        described = (p for p in reader(self.parser)(subject.prompt) if p.nouns and p.adjectives)
        return [(turns.describe, _phrase_question(turns.predict, phrase)) for phrase in described]

    def _unscored(self, subject: Subject) -> Unscored:
        if not self._category(subject):
            known = ", ".join(CATEGORIES)
            return Unscored(
                f"This prompt has no category of {known} (its “category”, or the option).",
                lacks="category",
            )
        return Unscored("This prompt describes no thing to ask about.", lacks="phrases")

    def _asks(self, turns: tuple[str, ...], subject: Subject) -> list[Talk]:
        """The same conversation again, with other seeds, until a score can be read."""
        usual = 0.7 if self._category(subject) in ATTRIBUTES else 1.0
        temperature = usual if self.temperature is None else float(self.temperature)
        return [
            Talk(turns, self.max_tokens, temperature, self.seed + ask) for ask in range(self.asks)
        ]


def _phrase_question(predict: str, phrase: Phrase) -> str:
    noun, adjective = " ".join(phrase.nouns), " ".join(phrase.adjectives)
    words = {"{phrase}": f"{adjective} {noun}", "{noun}": noun, "{adjective}": adjective}
    return re.sub(r"\{\w+\}", lambda place: words[place[0]], predict)


def _json_score(reply: str) -> float | None:
    for start in (brace.start() for brace in re.finditer(r"\{", reply)):
        try:
            answer, _ = json.JSONDecoder().raw_decode(reply, start)
            value = float(answer["score"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        if 0 <= value <= 100:
            return value
    return None
