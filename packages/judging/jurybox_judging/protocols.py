"""What methods and engines exchange: plain values, no torch, no Django.

A method says what it wants to know about a picture; an engine looks and answers; the method turns
the answers into a `Judgement`, or into `Unscored` with the reason. A method never holds an engine.
So an engine's answers can be stored and reused, by another method or by the same one with other
thresholds, without a second look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, Protocol, TypedDict

import numpy as np
from PIL import Image

# --- what is judged -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Atom:
    index: int
    kind: str
    text: str
    question: str
    expected: str
    parents: tuple[int, ...] = ()


RESULT = "result"  # the place of the image itself


@dataclass(frozen=True, slots=True)
class Placed:
    """A picture in its place, by the hash of its file. Places are those of the prompt's pictures
    (source, reference, mask), and `RESULT`."""

    place: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What a method may know of an image: never who made it or people's answers."""

    prompt: str
    atoms: tuple[Atom, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    size: tuple[int, int] = (0, 0)  # width and height of the picture in pixels
    pictures: tuple[Placed, ...] = ()  # the prompt's, and the image itself last


# --- what a method can want to know about a picture -----------------------------------------


@dataclass(frozen=True, slots=True)
class Objects:
    """All objects found, as a sequence of `Detection` in the detector's own order.

    `classes` are the names to look for, for detectors with an open vocabulary; a detector with
    classes of its own returns all it found, whatever is named here.
    """

    classes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColorOf:
    """The name of the color of one detection: number `index` in the answer to `objects`."""

    objects: Objects
    index: int
    noun: str
    colors: tuple[str, ...]
    templates: tuple[str, ...]  # with {color} and {noun}
    background: str = "#999"  # painted where the mask is not; "original" leaves the picture alone
    crop: bool = True


@dataclass(frozen=True, slots=True)
class DepthOf:
    """The mean depth (0 far … 1 near, stretched per picture) inside a box of pixels; None where the
    box holds no pixel.

    `transposed` reads the map with x and y exchanged, as one official script does. With `frame`,
    the box belongs to a picture of that width and height.
    """

    box: tuple[float, float, float, float]
    transposed: bool = False
    frame: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Writing:
    """All that is written in the picture, as a sequence of `Line` in the order of reading."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """How well the picture fits the text, as the matcher's own number (a cosine for CLIP)."""

    text: str


@dataclass(frozen=True, slots=True)
class Reward:
    """What head number `head` of a reward model makes of the pictures and this text, word for word: its
    numbers, the reward first. `pictures` are as of a question."""

    text: str
    head: int = 0
    pictures: tuple[Placed, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One question, in exactly these words; answered by an `Answer`.

    rule "first_tokens": the probabilities of the first token of each answer, added up;
         "distinct_tokens": the same, each token once, and no token that is blank;
         "sequence": the geometric mean over the tokens of the first answer (with the end mark
                     where the model family scores it);
         "share": the first answer against the second: p₁ / (p₁ + p₂).

    `pictures`: what is shown, in this order; () is the image alone. `reply_start`: words with which the
    reply has begun already; only for engines that `continue_replies`.
    """

    text: str
    answers: tuple[str, ...]
    rule: str = "first_tokens"
    pictures: tuple[Placed, ...] = ()
    reply_start: str = ""


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation about the picture: the model's questions, turn by turn.

    The answer is a tuple with one reply for each turn. `pictures` are as of a question.
    `thinking_tokens`: how long a model may think before each reply; what it thought then stands before
    the reply, within <think> and </think>.
    """

    turns: tuple[str, ...]
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0
    pictures: tuple[Placed, ...] = ()
    thinking_tokens: int = 0


# Between these a model thinks, before it answers.
THINKING_OPENED, THINKING_CLOSED = "<think>", "</think>"

Want = Objects | ColorOf | DepthOf | Writing | Similarity | Reward | Question | Talk


# --- what an engine answers -----------------------------------------------------------------


class Mask(TypedDict):
    """Run lengths down the columns, beginning with a run of zeros (COCO's uncompressed form)."""

    size: tuple[int, int]  # height, width
    counts: Sequence[int]


Detection = TypedDict(
    "Detection",
    {
        "class": str,
        "score": float,
        "box": Sequence[float],  # x1, y1, x2, y2 in pixels, y down
        "color": NotRequired[str],
        "mask": NotRequired[Mask],
    },
)


class Line(TypedDict):
    """One line of writing, and how certain the reader is of it."""

    text: str
    score: float
    box: Sequence[float]  # x1, y1, x2, y2 in pixels, y down


@dataclass(frozen=True, slots=True)
class Answer:
    """`probability` by the question's rule, or None and the reason; `said` is the likeliest token.

    `tokens` are those that count for the probability, each with its own. `between`: where a server
    lists only some tokens and none of these, the bounds of the probability; `probability` is then
    what the official rules take for it, and `reason` says what was not listed.
    """

    probability: float | None
    said: str = ""
    tokens: tuple[tuple[str, float], ...] = ()
    seconds: float | None = None
    reason: str = ""
    between: tuple[float, float] | None = None


class KnownAnswers(dict[Want, Any]):
    """What a method knows so far: each want with its answer. `classes` are the detector's own; ()
    for an open vocabulary."""

    classes: tuple[str, ...] = ()


# --- what a method says ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AtomJudgement:
    """The score of one atom, or None and the reason."""

    index: int
    score: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`correct` is the judge's own verdict; None for judges that only give a score. `assumed`: how
    many answers were not given and count 0, as in the official code."""

    score: float
    correct: bool | None = None
    reason: str = ""
    atoms: tuple[AtomJudgement, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict)
    assumed: int = 0


@dataclass(frozen=True, slots=True)
class Unscored:
    """`lacks`: what the prompt would need to be judged ("questions", "include", …), where that is why;
    with it, reasons that differ in their words alone can be counted together."""

    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)
    lacks: str = field(default="", compare=False)  # the reason says the same in words


class Method(Protocol):
    """Rules, made of options only. `wants` is called again with the answers, until it is empty."""

    @property
    def identity(self) -> str:
        """Part of every fingerprint; never changes, wherever the class lives."""

    @property
    def version(self) -> str: ...

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        """What is still missing in `seen`; empty when the method knows enough, and from the start
        for a prompt that it cannot judge: so its `judge` can say so before any engine runs."""

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored: ...


# --- engines: one protocol per kind, many pictures in one call ------------------------------

# What one question is about: a picture, or several in their order, each with its place's name. An
# engine gets several only where it `takes_several`.
Shown = Image.Image | tuple[tuple[str, Image.Image], ...]


@dataclass(frozen=True, slots=True)
class Patience:
    """How often an engine is tried before it counts as away. Seconds: `pause` doubles from attempt
    to attempt; no wait is longer than `longest_pause`, whatever a server says."""

    attempts: int = 6
    pause: float = 1.0
    longest_pause: float = 600.0


class Growing(Protocol):
    """Finds how many pictures fit into the memory."""

    def fitted(self, size: int) -> int:
        """After a full batch of so many: how many the next one has."""

    def was_full(self, size: int) -> None:
        """No more than so many from now on."""


class Engine(Protocol):
    """Made without weights; they load with `load()` or on first use.

    A failure of the picture or the question is a ValueError, whose words are the reason. What is
    wrong with the engine itself is one of `jurybox_judging.errors`: EngineRefused, MemoryFull, Passing.
    """

    batch: int  # pictures in one call; halved by the run where the memory is too small
    growing: Growing | None = None  # where it is found by itself
    needs_pixels: bool = True  # False for an engine that knows an image by its name
    takes_several: bool = False  # whether one question may show several pictures
    continue_replies: bool = False  # whether a question may hold the beginning of its reply
    patience: Patience = Patience()
    passed_self_tests: frozenset[str] = frozenset()  # kinds; written by the run

    @property
    def identity(self) -> str:
        """ "module:class" where the class was first written. Fingerprints and the keys of stored
        looks are made of it, so it stays as it is when the class moves."""

    @property
    def version(self) -> str: ...

    @property
    def facts(self) -> Mapping[str, str]:
        """Checkpoint, revision, precision, device, libraries; known without loading."""

    def load(self) -> None: ...

    @staticmethod
    def why_unreadable(want: Want) -> str:
        """Why it could not answer this about any picture; empty where it may."""
        return ""

    def forget(self) -> None:
        """What it remembers of answers, so that the same question goes out anew."""


class Detector(Engine, Protocol):
    classes: tuple[str, ...]  # all that it can name; () for an open vocabulary

    def detect(
        self, images: Sequence[Image.Image], classes: Sequence[tuple[str, ...]] = ()
    ) -> list[list[Detection]]: ...


class Colorist(Engine, Protocol):
    def colors(self, crops: Sequence[tuple[Image.Image, Detection, ColorOf]]) -> list[str]: ...


class DepthSensor(Engine, Protocol):
    def depths(self, images: Sequence[Image.Image]) -> list[np.ndarray]:
        """Per picture, height × width, raw: larger is nearer."""


class TextReader(Engine, Protocol):
    def read_text(self, images: Sequence[Image.Image]) -> list[list[Line]]: ...


class Matcher(Engine, Protocol):
    def similarities(self, pairs: Sequence[tuple[Image.Image, str]]) -> list[float]: ...


class Rewarder(Engine, Protocol):
    def rewards(self, asked: Sequence[tuple[Shown, Reward]]) -> list[tuple[float, ...]]: ...


class Answerer(Engine, Protocol):
    def answer(self, asked: Sequence[tuple[Shown, Sequence[Question]]]) -> list[list[Answer]]: ...


class Talker(Engine, Protocol):
    def talk(self, asked: Sequence[tuple[Shown, Talk]]) -> list[tuple[str, ...]]: ...
