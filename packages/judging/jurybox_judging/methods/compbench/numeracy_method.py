"""T2I-CompBench++, numeracy: how many of each thing a prompt counts are there (UniDet).

Each of the N counted things weighs 1/N: one half for being there, one half for being there as
often as the prompt wants. The default is what the official script does; its quirks and their repairs:

- it knows the nouns of its own table only; a study brings what other prompts count as
  `metadata["counts"] = {"cat": 4}`.
- a noun that is no detection's label is searched for *inside* all labels, so that "pencil case"
  becomes a pen; `whole_words=True` accepts only one of the names that a label lists.
- a prompt without a counted thing divides by zero: here it stays without a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.boxes import FAINT, Box, area, as_evidence, from_score, shared_area
from jurybox_judging.number_words import NUMBERS
from jurybox_judging.options import Optioned, choice, flag, real
from jurybox_judging.protocols import (
    Detection,
    Judgement,
    KnownAnswers,
    Objects,
    Subject,
    Unscored,
    Want,
)

COUNTS = {"a": 1, "an": 1} | {NUMBERS[count]: count for count in range(1, 9)}
_PLURAL_IN_S = (
    "airplane apple backpack bag balloon banana bear bee bicycle bird boat book bottle bowl boy "
    "bread cake camel camera candle car cat chair chicken clock computer cow cup desk dog drum "
    "duck egg flag frog giraffe girl guitar hamburger helicopter helmet horse key kite lamp lemon "
    "microphone microwave paddle painting pear pen phone pig pillow plate printer rabbit "
    "refrigerator ship sink sofa stool suitcase swan table television tent toy train truck turtle "
    "vase"
)
_OTHER_PLURALS = (
    "butterfly:butterflies couch:couches deer:deer fish:fish goldfish:goldfish knife:knives "
    "man:men mouse:mice peach:peaches person:people sheep:sheep shrimp:shrimp "
    "strawberry:strawberries tomato:tomatoes woman:women"
)
PLURALS = {noun: f"{noun}s" for noun in _PLURAL_IN_S.split()} | dict(
    pair.split(":") for pair in _OTHER_PLURALS.split()
)
SINGULARS = {plural: noun for noun, plural in PLURALS.items()} | {noun: noun for noun in PLURALS}
# The detector's words for them. The official list also has "telivision", which does nothing.
CALLED = {
    "ship": "boat",
    "goldfish": "fish",
    "painting": "picture",
    "girl": "person",
    "boy": "person",
    "man": "person",
    "woman": "person",
}


@dataclass(frozen=True, slots=True)
class CountedNoun:
    noun: str
    wanted: int
    found: int


def numeracy(
    prompt: str,
    detections: Iterable[Detection],
    *,
    threshold: float = 0.5,
    whole_words: bool = False,
) -> float:
    """The score of one image; a prompt that counts nothing is refused."""
    return _score(
        count(wanted_counts(prompt), detections, threshold=threshold, whole_words=whole_words)
    )


def wanted_counts(prompt: str) -> list[tuple[str, int]]:
    """What the prompt counts: a number word (or an article) right before a noun of the table."""
    words = re.findall(r"[\w'-]+", prompt.lower())
    return [
        (SINGULARS[noun], COUNTS[number])
        for number, noun in zip(words, words[1:], strict=False)
        if number in COUNTS and noun in SINGULARS
    ]


def count(
    wanted: Sequence[tuple[str, int]],
    detections: Iterable[Detection],
    *,
    threshold: float = 0.5,
    whole_words: bool = False,
) -> list[CountedNoun]:
    confident = [detection for detection in detections if detection["score"] >= threshold]
    labels = [detection["class"] for detection in _distinct(confident)]
    counted = []
    for noun, number in wanted:
        name = CALLED.get(noun, noun)
        if name not in labels:
            # As coded, labels stay renamed: a later noun is compared with the new name.
            labels = [
                name if _name_in_label(name, label, whole_words) else label for label in labels
            ]
        counted.append(CountedNoun(noun, number, labels.count(name)))
    return counted


@dataclass(frozen=True, kw_only=True)
class Numeracy(Optioned):
    threshold: float = real(0.5, "Detections with this score count.", minimum=0, maximum=1)
    whole_words: bool = flag(False, "A noun must be one of the names that a label lists.")
    unknown: str = choice(
        "zero", ("zero", "unscored"), "What a noun means that the detector was never taught."
    )

    identity: ClassVar[str] = "Numeracy"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        asked = _nouns_to_count(subject)
        if isinstance(asked, str) or self._untaught(asked, seen.classes) and self._leaves_out:
            return ()
        want = _objects(asked)
        return () if want in seen else (want,)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        asked = _nouns_to_count(subject)
        if isinstance(asked, str):
            return Unscored(asked, lacks="counts")
        untaught = self._untaught(asked, seen.classes)
        if untaught and self._leaves_out:
            return Unscored(untaught, lacks="classes")
        visible = from_score(seen[_objects(asked)], min(self.threshold, FAINT))
        detections = sorted(visible, key=lambda detection: -detection["score"])
        counted = count(asked, detections, threshold=self.threshold, whole_words=self.whole_words)
        wrong = [
            f"expected {thing.wanted} {thing.noun}, found {thing.found}"
            for thing in counted
            if thing.found != thing.wanted
        ]
        return Judgement(
            score=_score(counted),
            reason=". ".join(words for words in ("; ".join(wrong), untaught) if words),
            evidence={
                "counted": [
                    {"noun": thing.noun, "wanted": thing.wanted, "found": thing.found}
                    for thing in counted
                ],
                "detections": as_evidence(detections),
            },
        )

    @property
    def _leaves_out(self) -> bool:
        """Whether a prompt with a noun that the detector was never taught stays without a score."""
        return self.unknown == "unscored"

    def _untaught(self, asked: Sequence[tuple[str, int]], classes: Sequence[str]) -> str:
        names = dict.fromkeys(CALLED.get(noun, noun) for noun, _ in asked)
        unknown = [
            name
            for name in names
            if classes
            and not any(_name_in_label(name, label, self.whole_words) for label in classes)
        ]
        return f"The detector does not know the class {', '.join(unknown)}." if unknown else ""


def _nouns_to_count(subject: Subject) -> list[tuple[str, int]] | str:
    """What is to be counted, or a sentence saying why nothing is."""
    brought: Any = subject.metadata.get("counts")
    if brought is None:
        return (
            wanted_counts(subject.prompt)
            or "This prompt counts nothing that the table of nouns has."
        )
    fits = isinstance(brought, Mapping) and all(
        isinstance(number, int) and not isinstance(number, bool) and number > 0
        for number in brought.values()
    )
    if not fits or not brought:
        return "The prompt's own “counts” must be an object of nouns with whole numbers."
    return [(str(noun), number) for noun, number in brought.items()]


def _objects(asked: Sequence[tuple[str, int]]) -> Objects:
    return Objects(tuple(dict.fromkeys(CALLED.get(noun, noun) for noun, _ in asked)))


def _score(counted: Sequence[CountedNoun]) -> float:
    if not counted:
        raise ValueError("The prompt counts nothing that the table of nouns has.")
    points = sum((thing.found > 0) + (thing.found == thing.wanted) for thing in counted)
    return points / (2 * len(counted))


def _name_in_label(name: str, label: str, whole_words: bool) -> bool:
    if whole_words:
        return name in {part.strip().rstrip("0123456789") for part in re.split(r"[,/]", label)}
    return name in label


def _distinct(detections: Iterable[Detection]) -> list[Detection]:
    """One object is often found twice: nearly the same box, or one inside the other."""
    kept: list[Detection] = []
    for detection in detections:
        if not any(
            other["class"] == detection["class"] and _covers(other["box"], detection["box"])
            for other in kept
        ):
            kept.append(detection)
    return kept


def _covers(box_a: Box, box_b: Box) -> bool:
    """The shared part of the smaller box is at least the IoU, so this one test covers both."""
    return shared_area(box_a, box_b, 1) > 0.9 * min(area(box_a, 1), area(box_b, 1))
