"""The built-in engine: classical vision with the protocols of the neural engines.

No weights, no download. It knows ten shapes and ten colours; it refuses a question about anything
else, because not knowing a word is not the same as not seeing the thing.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata

import numpy as np
from PIL import Image

from jurybox_judging.boxes import shared_area
from jurybox_judging.engines.shared.builtin_vision import COLORS, SHAPES, FoundShape, find_shapes
from jurybox_judging.engines.shared.checkpoint import pictures
from jurybox_judging.number_words import NUMBERS
from jurybox_judging.options import Declared
from jurybox_judging.protocols import (
    Answer,
    ColorOf,
    Detection,
    Engine,
    Objects,
    Question,
    Talk,
    Want,
)

NAMES = {"builtin": {"class": "BuiltinEngine"}}

_COUNTS = NUMBERS[:11]  # those that it counts to
_RELATIONS = ("left of", "right of", "above", "below")
# Detectors give high scores early: GenEval's 0.3 and 0.9 stand for about 1/20 and 3/4.
_BOLDNESS = 0.4
_FAINTEST = 0.05  # a thing that is less likely than this to be its best shape is not reported
_NUMBERED = re.compile(r"^[ \t]*(\d{1,3})[.)][ \t]+(\S.*)$", re.MULTILINE)
_ANY_NAME = 0.1  # what is missing to 1 is shared out equally among the ten shapes
_DOUBT = 1e-4  # no answer is more certain than this: it may have overlooked something


class UnreadableQuestion(ValueError):
    """The engine cannot read this question; the message says what it reads."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    kind: str
    shape: str
    color: str = ""
    relation: str = ""
    other: str = ""


@dataclass(eq=False)
class BuiltinEngine(Engine, Declared):
    batch: int = pictures(8)

    identity = "judges.engines.builtin:BuiltinEngine"
    version = "builtin-1"
    classes = SHAPES

    def __post_init__(self) -> None:
        super().__post_init__()
        self._last: tuple[tuple, list[FoundShape]] | None = None

    @property
    def facts(self) -> dict[str, str]:
        libraries = " ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scipy"))
        return {"device": "cpu", "precision": "float32", "libraries": libraries}

    def load(self) -> None:
        """There are no weights."""

    @staticmethod
    def why_unreadable(want: Want) -> str:
        """A question is read by its words, so this is known before there is a picture."""
        if isinstance(want, Objects):
            unknown = [name for name in want.classes if name not in SHAPES]
            return f"The built-in engine knows no {', '.join(unknown)}." if unknown else ""
        if not isinstance(want, Question):
            return ""
        try:
            _read(want.text, want.answers[0])
        except UnreadableQuestion as error:
            return str(error)
        return ""

    def detect(
        self, images: Sequence[Image.Image], classes: Sequence[tuple[str, ...]] = ()
    ) -> list[list[Detection]]:
        return [self._detect(image) for image in images]

    def colors(self, crops: Sequence[tuple[Image.Image, Detection, ColorOf]]) -> list[str]:
        return [self._color(image, detection) for image, detection, _ in crops]

    def answer(self, asked: Sequence[tuple[Image.Image, Sequence[Question]]]) -> list[list[Answer]]:
        return [[self._answer(image, question) for question in each] for image, each in asked]

    def talk(self, asked: Sequence[tuple[Image.Image, Talk]]) -> list[tuple[str, ...]]:
        """A numbered list of questions is answered by JSON, a single question by its answer."""
        return [tuple(self._reply(image, turn) for turn in talk.turns) for image, talk in asked]

    def _reply(self, image: Image.Image, turn: str) -> str:
        numbered = _NUMBERED.findall(turn)
        if not numbered:
            return self._say(image, turn)
        said = {}
        for number, question in numbered:
            # What it cannot read it leaves out: not knowing a word is no answer.
            with suppress(UnreadableQuestion):
                said[number] = self._say(image, question.rstrip())
        return json.dumps(said)

    def _say(self, image: Image.Image, text: str) -> str:
        counted = _read_whole(text, "yes") is None and read_question(text).kind == "count"
        answer = self._answer(image, Question(text, ("one" if counted else "yes",)))
        return answer.said.lower()

    def _detect(self, image: Image.Image) -> list[Detection]:
        """Things from top to bottom; the score grows with the probability of the named shape."""
        detections: list[Detection] = []
        for thing in self._things(image):
            best = int(thing.shapes.argmax())
            if thing.shapes[best] >= _FAINTEST:
                detections.append(
                    {
                        "class": SHAPES[best],
                        "score": float(thing.shapes[best]) ** _BOLDNESS,
                        "box": thing.box,
                        "color": _color_name(thing),
                    }
                )
        return detections

    def _color(self, image: Image.Image, detection: Detection) -> str:
        if "color" in detection:
            return detection["color"]
        things = self._things(image)
        shared = [shared_area(thing.box, detection["box"]) for thing in things]
        if not any(shared):
            raise ValueError("The built-in engine sees nothing in this box to name the color of.")
        return _color_name(things[int(np.argmax(shared))])

    def _answer(self, image: Image.Image, question: Question) -> Answer:
        # A question is read before any pixel is looked at: a refusal costs nothing.
        expected = question.answers[0]
        try:
            parts = _read(question.text, expected)
        except UnreadableQuestion as error:
            return Answer(None, reason=str(error))
        began = time.perf_counter()
        things = self._things(image)
        probability = math.prod(_likelihood(things, *part) for part in parts)
        if len(parts) > 1 and expected.strip().lower() == "no":
            probability = 1 - probability
        probability = _with_doubt(probability)
        return Answer(
            probability,
            said=expected if probability >= 0.5 else _likeliest_answer(things, *parts[0]),
            tokens=((expected, probability),),
            seconds=time.perf_counter() - began,
        )

    def _things(self, image: Image.Image) -> list[FoundShape]:
        """Keeps the last picture: a prompt has up to eight questions about the same one.

        Compared by its pixels, not by the object: a picture may be painted over in place.
        """
        image = image.convert("RGB")
        pixels = (image.size, image.tobytes())
        # One read and one write of the attribute, so that two threads cannot mix up their pictures.
        last = self._last
        if last is None or last[0] != pixels:
            last = self._last = (pixels, find_shapes(image))
        return last[1]


def _color_name(thing: FoundShape) -> str:
    return tuple(COLORS)[int(thing.colors.argmax())]


def _likeliest_answer(
    things: list[FoundShape], question: ParsedQuestion, expected: bool | int
) -> str:
    """The reply where the expected answer is not the likelier one."""
    if question.kind != "count":
        return "No" if expected else "Yes"
    return max(_COUNTS, key=lambda word: _likelihood(things, question, _COUNTS.index(word)))


def read_question(text: str) -> ParsedQuestion:
    for pattern, kind in _WORDINGS:
        match = pattern.fullmatch(text.strip().removesuffix("Answer in one word.").rstrip())
        if match:
            words = {name: value.lower() for name, value in match.groupdict().items()}
            for name in words.keys() & {"shape", "other"}:
                words[name] = _shape_of(words[name], text)
            return ParsedQuestion(kind, **words)
    raise UnreadableQuestion(f"The built-in engine cannot read the question {text!r}.")


_ONE_OF_COLORS = "|".join(COLORS)
_WORDINGS = [
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"How many (?P<shape>\w+) are in the image\?", "count"),
        (r"Are there any (?P<shape>\w+) in the image\?", "object"),
        (
            rf"Is there an? (?P<color>{_ONE_OF_COLORS}) (?P<shape>\w+) in the image\?",
            "colored object",
        ),
        (rf"(?:Is|Are) the (?P<shape>\w+) (?P<color>{_ONE_OF_COLORS})\?", "attribute"),
        (
            rf"(?:Is|Are) the (?P<shape>\w+) (?:to the )?(?P<relation>{'|'.join(_RELATIONS)}) "
            r"the (?P<other>\w+)\?",
            "position",
        ),
    )
]


def _shape_of(noun: str, question: str) -> str:
    for ending in ("", "s", "es"):
        if noun.endswith(ending) and noun[: len(noun) - len(ending)] in SHAPES:
            return noun[: len(noun) - len(ending)]
    raise UnreadableQuestion(f"The built-in engine knows no {noun!r}, asked for in {question!r}.")


def _read(text: str, expected: str) -> list[tuple[ParsedQuestion, bool | int]]:
    return _read_whole(text, expected) or [_read_pair(text, expected)]


def _read_pair(text: str, expected: str) -> tuple[ParsedQuestion, bool | int]:
    question, answer = read_question(text), expected.strip().lower()
    if question.kind != "count" and answer in ("yes", "no"):
        return question, answer == "yes"
    if question.kind == "count" and answer in _COUNTS:
        return question, _COUNTS.index(answer)
    if question.kind == "count" and answer.isdecimal():
        return question, int(answer)
    raise UnreadableQuestion(f"{expected!r} is no answer to the question {text!r}.")


def _read_whole(text: str, expected: str) -> list[tuple[ParsedQuestion, bool | int]] | None:
    """The parts of a question about a whole prompt; None for any other question.

    The answer is the chance that all parts hold, as if they were independent: two parts that are
    half certain make a quarter. Doubts multiply here, where a mean over the atoms evens them out.
    """
    match = _WHOLE.fullmatch(text.strip())
    if not match:
        return None
    if expected.strip().lower() not in ("yes", "no"):
        raise UnreadableQuestion(f"{expected!r} is no answer to the question {text!r}.")
    prompt = match["prompt"]
    parts: list[tuple[ParsedQuestion, bool | int]] = []
    shapes: list[str] = []
    relation = ""
    for words in filter(None, _PARTS.split(prompt)):
        if words.lower() in _RELATIONS:
            relation = words.lower()
            continue
        group = _GROUP.fullmatch(words)
        if not group:
            raise UnreadableQuestion(f"The built-in engine cannot read the prompt {prompt!r}.")
        shape, number = _shape_of(group["shape"].lower(), text), group["number"].lower()
        shapes.append(shape)
        parts.append((ParsedQuestion("object", shape), True))
        parts.append(
            (ParsedQuestion("count", shape), _COUNTS.index(number) if number in _COUNTS else 1)
        )
        if group["color"]:
            parts.append((ParsedQuestion("attribute", shape, group["color"].lower()), True))
        if relation and len(shapes) == 2:
            parts.append(
                (ParsedQuestion("position", shapes[0], relation=relation, other=shape), True)
            )
    return parts


_WHOLE = re.compile(
    r"(?:Question: )?Does this (?:figure|image|picture) show [\"“]?(?P<prompt>[^\"”?]+)[\"”]?\?.*",
    re.IGNORECASE,
)
_PARTS = re.compile(rf" ({'|'.join(_RELATIONS)}) |, and | and |, ", re.IGNORECASE)
_GROUP = re.compile(
    rf"(?P<number>an?|{'|'.join(_COUNTS[1:])}) (?:(?P<color>{_ONE_OF_COLORS}) )?(?P<shape>\w+)",
    re.IGNORECASE,
)


def _likelihood(things: list[FoundShape], question: ParsedQuestion, expected: bool | int) -> float:
    are = _likely(things, question.shape)
    if question.kind == "count":
        return _exactly(are, int(expected))
    if question.kind == "object":
        yes = _any(are)
    elif question.kind == "colored object":
        color = tuple(COLORS).index(question.color)
        yes = _any([p * float(t.colors[color]) for p, t in zip(are, things, strict=True)])
    elif question.kind == "attribute":
        color = tuple(COLORS).index(question.color)
        wrong = [p * (1 - thing.colors[color]) for p, thing in zip(are, things, strict=True)]
        yes = _any(are) * (1 - _any(wrong))
    else:
        yes = _all_stand(things, are, _likely(things, question.other), question.relation)
    return yes if expected else 1 - yes


def _likely(things: list[FoundShape], shape: str) -> list[float]:
    """How likely each thing is to have this shape."""
    index = SHAPES.index(shape)
    return [float(t.shapes[index] + _ANY_NAME * (1 - t.shapes.sum())) for t in things]


def _any(chances: Sequence[float]) -> float:
    return 1 - float(np.prod([1 - chance for chance in chances]))


def _exactly(chances: Sequence[float], count: int) -> float:
    """The chance that exactly `count` of independent events happen (Poisson binomial)."""
    spread = np.array([1.0])
    for chance in chances:
        spread = np.convolve(spread, [1 - chance, chance])
    return float(spread[count]) if count < len(spread) else 0.0


def _all_stand(
    things: list[FoundShape], first: list[float], second: list[float], relation: str
) -> float:
    """How likely both shapes are there, and no pair of them breaks the relation."""
    held = 1.0
    for thing, p in zip(things, first, strict=True):
        for other, q in zip(things, second, strict=True):
            if thing is not other:
                held *= 1 - p * q * (1 - _stands(thing.box, other.box, relation))
    return _any(first) * _any(second) * held


def _stands(box: Sequence[float], other: Sequence[float], relation: str) -> float:
    """1 when the gap between the boxes is clear, 1/2 when they just touch, 0 when they overlap."""
    if relation in ("right of", "below"):
        box, other = other, box
    axis = 0 if relation in ("left of", "right of") else 1
    gap = other[axis] - box[axis + 2]
    size = min(box[axis + 2] - box[axis], other[axis + 2] - other[axis])
    return float(1 / (1 + np.exp(-min(max(30 * gap / size, -30), 30))))


def _with_doubt(probability: float) -> float:
    return _DOUBT + (1 - 2 * _DOUBT) * min(max(probability, 0.0), 1.0)
