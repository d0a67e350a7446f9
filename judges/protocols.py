"""What engines and methods say to each other: plain values, no torch, no Django.

An engine looks at pixels: a `Detector` returns objects, an `Answerer` returns probabilities.
A method turns that into a `Judgement`, or into `Unscored` with the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, Protocol, TypedDict

from PIL import Image

Detection = TypedDict(
    "Detection",
    {
        "class": str,
        "score": float,
        "box": Sequence[float],  # x1, y1, x2, y2 in pixels, y down
        "color": NotRequired[str],
    },
)


@dataclass(frozen=True, slots=True)
class Atom:
    index: int
    kind: str
    text: str
    question: str
    expected: str
    parents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """What a judge may see: the pixels and what was asked for. Never who made it or what people said."""

    image: Image.Image
    prompt: str
    atoms: tuple[Atom, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AtomJudgement:
    """The score of one atom, or None and the reason."""

    index: int
    score: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`correct` is the judge's own verdict; None for judges that only give a score."""

    score: float
    correct: bool | None = None
    reason: str = ""
    atoms: tuple[AtomJudgement, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unscored:
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)


class Detector(Protocol):
    version: str

    def detect(self, image: Image.Image) -> list[Detection]:
        """All objects found, in the detector's own order; colours where the engine can name them."""


class Answerer(Protocol):
    version: str

    def probabilities(
        self, image: Image.Image, questions: Sequence[tuple[str, str]]
    ) -> list[float]:
        """For each (question, expected answer): the probability of the expected answer."""


class Method(Protocol):
    version: str

    def judge(self, subject: Subject) -> Judgement | Unscored: ...
