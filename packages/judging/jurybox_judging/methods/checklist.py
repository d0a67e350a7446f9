"""The checklist: a model answers questions about points of a picture, and a formula makes one score of them.

`asks` are texts, each a conversation of one turn. In them {prompt} stands for the prompt, {points} for all
points of the prompt with their numbers, {metadata.KEY} for what the prompt's metadata say; a text with
{point} is put once for each point. Replies are read as `form` says. A point that is not answered, or
not readable, has no score and says so; it is never a 0.

What is read is a number for each point (`points` in the formula), and one for each of `fields`: its
value is the path in a reply, beginning with the number of the ask: sc = [1, "score", 1] is the first
item of the list “score” in the reply to the first ask.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.methods.dsg import valid
from jurybox_judging.methods.shared.answer_spellings import matches
from jurybox_judging.methods.shared.formula import FUNCTIONS, NAME, NoValue, parse
from jurybox_judging.methods.shared.points import NoPoints, Point, numbered, points_of
from jurybox_judging.methods.shared.reasoning import (
    UNFINISHED,
    answer_at_option,
    conversation_as_evidence,
    read_reply,
    split_thoughts,
    thinking_option,
)
from jurybox_judging.methods.shared.replies import FORMS, MISSING, Reply
from jurybox_judging.methods.shared.samples import (
    check_samples,
    combine_readings,
    over_samples_option,
    samples_option,
    spread_of_samples,
)
from jurybox_judging.methods.shared.shown import NoPicture, check_places, pictures_option, shown_to
from jurybox_judging.options import (
    MOST_TOKENS,
    Optioned,
    choice,
    fields_of_request,
    flag,
    free_text,
    real,
    shorten_value,
    texts,
    whole,
)
from jurybox_judging.protocols import (
    AtomJudgement,
    Judgement,
    KnownAnswers,
    Placed,
    Subject,
    Talk,
    Unscored,
    Want,
)

NAMES = {"checklist": {"class": "Checklist", "parts": ("talk",)}}

POINTS = "points"
EACH = "#"  # in a path: the number of the point
_PLACE = re.compile(r"\{(prompt|points|point|point\.name|metadata\.[^{}\n]{1,60})\}")
_WORDS = re.compile(r"\w+")
_NUMBER = re.compile(r"[+-]?\d{1,9}(?:\.\d{1,20})?")
ASK = (
    "Look at the picture and answer each question in one word.\n\n{points}\n\n"
    "Reply with one JSON object: the number of each question is a name, its answer the value, "
    'such as {"1": "yes", "2": "no"}.'
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One text with what it is about: all points, or one of them."""

    number: int  # of the ask, counted from 1
    text: str
    point: int | None = None  # place of the point, counted from 0
    pictures: tuple[Placed, ...] = ()
    sample: int = 0  # which time it is put, counted from 0


@dataclass(frozen=True, slots=True)
class Sample:
    """What was read of one reply to every question: of each point, and of each field."""

    points: tuple[Reading, ...]
    fields: Mapping[str, Reading]


@dataclass(frozen=True, slots=True)
class Reading:
    """The reply at one place, and the number that it is; or None and why not."""

    said: Any
    score: float | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Checklist(Optioned):
    asks: tuple[str, ...] = texts(
        (ASK,),
        "What the model is asked: {prompt}, {points} with their numbers, {point} to ask about each "
        "by itself, {point.name}, {metadata.KEY}.",
        most=8,
        longest=4_000,
    )
    form: str = choice(
        "json",
        FORMS,
        "How replies are read: JSON, lines “Name: value”, <tags>, or as the answer itself.",
    )
    reading: str = choice(
        "answers",
        ("answers", "numbers", "yes-or-no"),
        "“answers”: 1 where it is the expected answer, else 0; “numbers”: the number itself. "
        "“yes-or-no”: yes where that word stands anywhere, else no where that does (T2I-CoReBench).",
    )
    point_field: tuple[str, ...] = texts(
        (EACH,),
        "Where a point's answer stands in a reply, name by name; # is the number of the point.",
        most=6,
    )
    fields: Mapping[str, Any] | None = fields_of_request(
        "Further numbers for the formula: name = [number of the ask, field, …].", longest=4_000
    )
    formula: str = free_text(
        f"mean({POINTS})",
        "The score: points and fields with + - * /, min, max, mean and sqrt.",
        longest=500,
    )
    lowest: float | None = real(None, "No number below counts.", minimum=-1e9, maximum=1e9)
    highest: float | None = real(None, "No number above counts.", minimum=-1e9, maximum=1e9)
    points: tuple[str, ...] | None = texts(
        None, "The points of all prompts; without them, each prompt's own.", most=100, longest=2_000
    )
    points_from: str = free_text(
        "", "The name in a prompt's metadata that holds its points; empty: its atoms."
    )
    all_points: bool = flag(
        True, "Without an answer to every point there is no score; false: the others count."
    )
    dependencies: bool = flag(False, "An atom counts only where those it rests on were met.")
    tries: int = whole(
        1, "How often it is asked where an answer cannot be read.", minimum=1, maximum=10
    )
    temperature: float = real(0.0, "Of the replies.", minimum=0, maximum=2)
    max_tokens: int = whole(1_024, "The longest reply, in tokens.", minimum=1, maximum=MOST_TOKENS)
    seed: int = whole(0, "Of the first try; the next ones count on.", minimum=0, maximum=2**31 - 1)
    pictures: tuple[str, ...] = pictures_option()
    samples: int = samples_option()
    over_samples: str = over_samples_option()
    thinking_tokens: int = thinking_option()
    answer_at: str = answer_at_option()

    identity: ClassVar[str] = "Checklist"
    version: ClassVar[str] = "1"

    @staticmethod
    def in_peoples_unit(options: Mapping[str, Any]) -> bool:
        return options.get("reading") != "numbers"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_places(self.pictures)
        check_samples(self.samples, self.temperature)
        for name, path in (self.fields or {}).items():
            self._check_field(name, path)
        known = [POINTS, *(self.fields or {})]
        unknown = [name for name in parse(self.formula).names if name not in known]
        if unknown:
            raise ValueError(f"“formula” names {unknown[0]}; there are {', '.join(known)}.")
        if POINTS in parse(self.formula).names and not self._asks_points:
            raise ValueError("“formula” counts points, but no ask holds {points} or {point}.")
        if self.dependencies and (self.points or self.points_from or self.reading == "numbers"):
            raise ValueError("“dependencies” are those of atoms, which are read as answers.")

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        try:
            points = self._points(subject)
            asks = self._wants(subject, points)
        except (NoPoints, NoPicture):
            return ()
        wants: dict[Want, None] = {}
        for ask in asks:
            for talk in self._talks(ask):
                if talk not in seen:
                    wants[talk] = None
                    break
                if not self._lacks(ask, seen[talk], points):
                    break
        return tuple(wants)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        try:
            points = self._points(subject)
            asks = self._wants(subject, points)
        except (NoPoints, NoPicture) as error:
            return Unscored(str(error), lacks=error.lacks)
        replies = {ask: self._reply(ask, seen, points) for ask in asks}
        sampled = [self._sample(number, points, replies) for number in range(self.samples)]
        read = [
            self._combined([one.points[place] for one in sampled]) for place in range(len(points))
        ]
        fields = {
            name: self._combined([one.fields[name] for one in sampled]) for name in self._paths()
        }
        counted = self._count_points(points, read)
        evidence = {
            "conversations": [
                conversation_as_evidence([ask.text], [replies[ask].whole]) for ask in asks
            ],
            "answers": [_row(*row) for row in zip(points, read, strict=True)],
            **(
                {"fields": {name: _reading_evidence(one) for name, one in fields.items()}}
                if fields
                else {}
            ),
        }
        if self.samples > 1:
            alone = [self._score_of_sample(points, one) for one in sampled]
            evidence["samples"] = spread_of_samples(alone)
        atoms = tuple(
            AtomJudgement(point.index, score, one.reason)
            for point, one, score in zip(points, read, counted, strict=True)
            if point.index is not None
        )
        lacking = [f"field {name}: {one.reason}" for name, one in fields.items() if one.reason]
        missing = [
            f"point {number} ({point.text[:100]}): {one.reason}"
            for number, (point, one) in enumerate(zip(points, read, strict=True), start=1)
            if one.reason
        ]
        if lacking or (missing and (self.all_points or len(missing) == len(points))):
            words = "; ".join([*lacking, *missing])
            return Unscored(f"Not everything was answered: {words}", evidence)
        numbers: dict[str, Any] = {n: one.score for n, one in fields.items()}
        numbers[POINTS] = [score for score in counted if score is not None]
        try:
            score = parse(self.formula).value(numbers)
        except NoValue as error:
            return Unscored(f"The formula has no value: {error}", evidence)
        reasons = [f"{len(missing)} of {len(points)} points have no score"] if missing else []
        partly = sum(any(one.reason for one in self._all_of(sample)) for sample in sampled)
        if self.samples > 1 and partly:
            reasons.append(f"{partly} of {self.samples} samples could not be read in full")
        return Judgement(score, reason="; ".join(reasons), atoms=atoms, evidence=evidence)

    # --- several samples

    def _sample(self, number: int, points: Sequence[Point], replies: Mapping[Ask, Reply]) -> Sample:
        own = {ask: reply for ask, reply in replies.items() if ask.sample == number}
        return Sample(
            tuple(self._read_point(place, point, own) for place, point in enumerate(points)),
            {name: self._read_field(path, own) for name, path in self._paths().items()},
        )

    @staticmethod
    def _all_of(sample: Sample) -> list[Reading]:
        return [*sample.points, *sample.fields.values()]

    def _combined(self, readings: Sequence[Reading]) -> Reading:
        """Of one sample, itself. Of several: how often each reply came, and one number or why there is none."""
        if len(readings) == 1:
            return readings[0]
        return Reading(
            *combine_readings(
                [one.said for one in readings],
                [one.score for one in readings],
                [one.reason for one in readings],
                self.over_samples,
            )
        )

    def _score_of_sample(self, points: Sequence[Point], sample: Sample) -> float | None:
        """The score by this sample alone; None where it has none."""
        scores = [score for score in self._count_points(points, sample.points) if score is not None]
        lacking = [one for one in self._all_of(sample) if one.reason]
        if any(one.reason for one in sample.fields.values()) or (lacking and self.all_points):
            return None
        numbers: dict[str, Any] = {name: one.score for name, one in sample.fields.items()}
        try:
            return parse(self.formula).value({**numbers, POINTS: scores})
        except NoValue:
            return None

    # --- the questions

    @property
    def _asks_points(self) -> bool:
        return any("{point}" in text or "{points}" in text for text in self.asks)

    def _points(self, subject: Subject) -> list[Point]:
        if not self._asks_points:
            return []
        return points_of(subject, self.points or (), self.points_from)

    def _wants(self, subject: Subject, points: Sequence[Point]) -> list[Ask]:
        asks = []
        pictures = shown_to(subject, self.pictures)
        for number, text in enumerate(self.asks, start=1):
            about: Sequence[int | None] = (None,)
            if "{point}" in text:
                about = range(len(points))
            for place in about:
                words = _fill_text(text, subject, points, place)
                asks += [Ask(number, words, place, pictures, n) for n in range(self.samples)]
        return asks

    def _talks(self, ask: Ask) -> list[Talk]:
        """The same again, with other seeds, until everything can be read."""
        first = self.seed + ask.sample * self.tries
        return [
            Talk(
                (ask.text,),
                self.max_tokens,
                self.temperature,
                first + number,
                ask.pictures,
                self.thinking_tokens,
            )
            for number in range(self.tries)
        ]

    # --- what is read

    def _reply(self, ask: Ask, seen: KnownAnswers, points: Sequence[Point]) -> Reply:
        """The first that lacks nothing, else the last that came."""
        came = [seen[talk] for talk in self._talks(ask) if talk in seen]
        whole_ones = [reply for reply in came if not self._lacks(ask, reply, points)]
        best = (whole_ones or came[-1:] or [("",)])[0]
        return self._as_reply(best)

    def _as_reply(self, told: Sequence[str]) -> Reply:
        whole = told[-1] if told else ""
        return Reply(whole, self.form, read_reply(whole, self.answer_at))

    def _lacks(self, ask: Ask, told: Sequence[str], points: Sequence[Point]) -> bool:
        """Whether something that this reply should hold cannot be read in it."""
        replies = {ask: self._as_reply(told)}
        about = [place for place in range(len(points)) if self._holds(ask, place)]
        read = [self._read_point(place, points[place], replies) for place in about]
        for path in self._paths().values():
            if path[0] == ask.number:
                read.append(self._read_field(path, replies))
        return any(one.reason for one in read)

    def _holds(self, ask: Ask, place: int) -> bool:
        """Whether the reply to this ask holds the answer to this point."""
        text = self.asks[ask.number - 1]
        return ask.point == place if ask.point is not None else "{points}" in text

    def _read_point(self, place: int, point: Point, replies: Mapping[Ask, Reply]) -> Reading:
        path = [str(place + 1) if step == EACH else step for step in self.point_field]
        for ask, reply in replies.items():
            if self._holds(ask, place):
                return self._read(reply, path, point.expected)
        return Reading(None, None, "it was not asked")

    def _read_field(self, path: Sequence[Any], replies: Mapping[Ask, Reply]) -> Reading:
        for ask, reply in replies.items():
            if ask.number == path[0]:
                return self._read(reply, path[1:], "yes")
        return Reading(None, None, "it was not asked")

    def _read(self, reply: Reply, path: Sequence[Any], expected: str) -> Reading:
        if self.thinking_tokens and split_thoughts(reply.whole).is_cut:
            return Reading(None, None, UNFINISHED)
        said = reply.value_at(path)
        if said is MISSING:
            return Reading(None, None, "the reply does not say")
        if self.reading == "answers":
            return _as_answer(said, expected)
        if self.reading == "yes-or-no":
            return _as_yes_or_no(said, expected)
        number = _as_number(said)
        if number is None:
            return Reading(said, None, f"{shorten_value(said)} is no number")
        low = -math.inf if self.lowest is None else self.lowest
        high = math.inf if self.highest is None else self.highest
        if not low <= number <= high:
            return Reading(said, None, f"{number:g} is not from {low:g} to {high:g}")
        return Reading(said, number)

    def _count_points(self, points: Sequence[Point], read: Sequence[Reading]) -> list[float | None]:
        """0 where an atom rests on one that was not met."""
        scores = [one.score for one in read]
        if not self.dependencies:
            return scores
        known = {p.index: s for p, s in zip(points, scores, strict=True) if s is not None}
        answers = {index: "yes" if score else "no" for index, score in known.items()}
        parents = {
            p.index: [f for f in p.parents if f in known] for p in points if p.index in known
        }
        # Counted from 1, since DSG's 0 is the root.
        counted = valid(
            {i + 1: [p + 1 for p in of] for i, of in parents.items() if i is not None},
            {i + 1: answer for i, answer in answers.items() if i is not None},
        )
        return [
            score if score is None or p.index is None or counted[p.index + 1] else 0.0
            for p, score in zip(points, scores, strict=True)
        ]

    # --- fields

    def _paths(self) -> dict[str, list[Any]]:
        return {name: list(path) for name, path in (self.fields or {}).items()}

    def _check_field(self, name: str, path: Any) -> None:
        if not NAME.fullmatch(name) or name in (*FUNCTIONS, POINTS):
            raise ValueError(f"“{name}” cannot be the name of a field.")
        steps = path if isinstance(path, list | tuple) and path else [None]
        number, *rest = steps
        if isinstance(number, bool) or not isinstance(number, int):
            number = 0
        if not 1 <= number <= len(self.asks) or not all(isinstance(s, int | str) for s in rest):
            raise ValueError(
                f"“fields.{name}” must be a list: the number of an ask, 1 to {len(self.asks)}, then "
                "names or places in its reply."
            )
        if "{point}" in self.asks[number - 1]:
            raise ValueError(f"“fields.{name}” reads an ask that has a reply for each point.")


def _fill_text(text: str, subject: Subject, points: Sequence[Point], place: int | None) -> str:
    """In one go, so that nothing that a prompt says is filled in again."""
    about = points[place] if place is not None else Point("")

    def replace_place(match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("metadata."):
            held = subject.metadata.get(name.removeprefix("metadata."))
            if not isinstance(held, str | int | float):
                raise NoPoints(
                    f"This prompt's metadata has no text named “{name[9:]}”.", "metadata"
                )
            return str(held)
        return {
            "prompt": subject.prompt,
            "points": numbered(points),
            "point": about.text,
            "point.name": about.name,
        }[name]

    return _PLACE.sub(replace_place, text)


def _as_answer(said: Any, expected: str) -> Reading:
    text = {True: "yes", False: "no"}.get(said) if isinstance(said, bool) else said
    if isinstance(text, int | float):
        text = f"{text:g}"
    if not isinstance(text, str) or not text.strip(" .!?,;:\"'*"):
        return Reading(said, None, f"{shorten_value(said)} is no answer")
    word = text.strip(" .!?,;:\"'*\n").lower()
    if expected.strip().lower() in ("yes", "no"):
        word = {"true": "yes", "false": "no"}.get(word, word)
        if word not in ("yes", "no"):
            return Reading(said, None, f"{shorten_value(said)} is neither yes nor no")
    return Reading(said, float(matches(word, expected)))


def _as_yes_or_no(said: Any, expected: str) -> Reading:
    words = _WORDS.findall(said.lower()) if isinstance(said, str) else []
    word = next((word for word in ("yes", "no") if word in words), "")
    if not word:
        return Reading(said, None, f"{shorten_value(said)} holds neither yes nor no")
    return Reading(said, float(word == expected.strip().lower()))


def _as_number(said: Any) -> float | None:
    if isinstance(said, bool):
        return None
    if isinstance(said, str) and _NUMBER.fullmatch(said.strip()):
        return float(said)
    if isinstance(said, int | float) and -1e12 < said < 1e12:
        return float(said)
    return None


def _reading_evidence(one: Reading) -> dict[str, Any]:
    said = (
        one.said
        if isinstance(one.said, str)
        else ""
        if one.said is None
        else shorten_value(one.said)
    )
    return {"said": said, "score": one.score, "reason": one.reason}


def _row(point: Point, one: Reading) -> dict[str, Any]:
    row = {"question": point.text, "expected": point.expected, **_reading_evidence(one)}
    return row if point.index is None else {"index": point.index, **row}
