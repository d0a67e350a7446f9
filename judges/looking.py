"""Everything that a judge wants to know about some images: read back, or looked at now.

What is stored is read first; only the pictures that are still needed are decoded, in threads, and
the engines are asked about many of them at once. What they tell is stored at once, for this judge
with other thresholds, for other judges, and for the next worker if this one dies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image as Picture

from annotations.models import Image
from annotations.pictures.decode import open_picture
from judges.looks import store as looks
from judges.looks.ask_engine import Failed, ask, reason_of
from judges.models import Look
from judges.protocols import (
    Answer,
    Atom,
    DepthOf,
    Judgement,
    Method,
    Objects,
    Question,
    Seen,
    Subject,
    Unscored,
    Want,
)
from judges.registry import KINDS, Judge

DECODERS = 4
# A method that has more to ask after so many rounds will never be content.
ROUNDS = 20


@dataclass(eq=False, slots=True)
class Glance:
    """One image while it is judged."""

    image: Image
    subject: Subject
    seen: Seen
    wants: list[Want] = field(default_factory=list)
    failed: str = ""
    picture: Future | None = None


class Looking:
    """One judge at its work; `alive` is called before every engine call and may end it all."""

    def __init__(
        self,
        judge: Judge,
        *,
        alive: Callable[[], None] = lambda: None,
        siblings: Sequence[Method] = (),
    ) -> None:
        self.judge = judge
        self.alive = alive
        self.siblings = siblings
        self._classes = tuple(getattr(judge.parts.get("objects"), "classes", ()))
        self._seeing = any(getattr(e, "needs_pixels", True) for e in judge.parts.values())
        self._decoders = ThreadPoolExecutor(DECODERS, thread_name_prefix="decode")

    def close(self) -> None:
        self._decoders.shutdown(wait=False, cancel_futures=True)

    def begin(self, images: Iterable[Image]) -> list[Glance]:
        """What the judge wants first, what of that is stored; the rest is already being decoded."""
        glances = []
        for image in images:
            seen = Seen()
            seen.classes = self._classes
            glances.append(Glance(image, subject_of(image), seen))
        self._ask_method(glances)
        self._recall(glances)
        return glances

    def finish(self, glances: Sequence[Glance]) -> list[Judgement | Unscored]:
        for _ in range(ROUNDS):
            self._look(glances)
            self._ask_method(glances)
            if not any(glance.wants for glance in glances):
                break
            self._recall(glances)
        else:
            for glance in glances:
                if glance.wants:
                    glance.failed = f"The judge asked {ROUNDS} times and still wants to know more."
        return [self._judge(glance) for glance in glances]

    def _ask_method(self, glances: Sequence[Glance]) -> None:
        for glance in glances:
            glance.wants = []
            if glance.failed:
                continue
            try:
                wants = self.judge.method.wants(glance.subject, glance.seen)
                glance.wants = [want for want in wants if want not in glance.seen]
            except Exception as error:
                glance.failed = reason_of(error)

    def _judge(self, glance: Glance) -> Judgement | Unscored:
        if glance.failed:
            return Unscored(glance.failed)
        try:
            return self.judge.method.judge(glance.subject, glance.seen)
        except Exception as error:
            return Unscored(reason_of(error))

    # --- reading back ---------------------------------------------------------------------

    def _recall(self, glances: Sequence[Glance]) -> None:
        """Fill in what is stored; decoding of the pictures that are still needed begins."""
        for kind, engine in self.judge.keys.items():
            self._recall_kind(engine, {g: _of(kind, g.wants) for g in glances})
        for glance in glances:
            glance.wants = [want for want in glance.wants if want not in glance.seen]
            if glance.wants and self._seeing:
                self._decode(glance)

    def _recall_kind(self, engine: str, wanted: dict[Glance, list[Want]]) -> None:
        by_image = {
            glance.image.pk: (glance, {self._key(want): want for want in wants})
            for glance, wants in wanted.items()
            if wants
        }
        if not by_image:
            return
        asked = {image: wants for image, (_, wants) in by_image.items()}
        for image, key, told in looks.recall(engine=engine, wanted=asked):
            glance, wants = by_image[image]
            glance.seen[wants[key]] = told

    def _key(self, want: Want) -> str:
        return looks.key_of(looks.asked(want, closed=bool(self._classes)))

    def _decode(self, glance: Glance) -> None:
        if glance.picture is None and glance.image.file:
            glance.picture = self._decoders.submit(open_picture, glance.image.file)

    # --- looking --------------------------------------------------------------------------

    def _look(self, glances: Sequence[Glance]) -> None:
        for kind in KINDS:
            wanted = {g: _of(kind, g.wants) for g in glances if not g.failed}
            wanted = {g: wants for g, wants in wanted.items() if wants}
            if not wanted:
                continue
            if kind not in self.judge.parts:
                for glance in wanted:
                    glance.failed = f"No part of this judge tells {kind}."
                continue
            if getattr(self.judge.parts[kind], "needs_pixels", True):
                wanted = {g: wants for g, wants in wanted.items() if self._open(g) is not None}
                # Pictures of one size side by side: an engine pads them the less.
                pictures = sorted(wanted, key=lambda glance: self._open(glance).size)
                wanted = {glance: wanted[glance] for glance in pictures}
            getattr(self, f"_look_{kind}")(wanted)

    def _open(self, glance: Glance) -> Picture.Image | None:
        if not glance.image.file:
            glance.failed = "The study knows this image by name only; there is no file to look at."
            return None
        self._decode(glance)
        try:
            return glance.picture.result()
        except FileNotFoundError:
            glance.failed = "The file of this image is gone from the storage."
        except Exception as error:
            glance.failed = f"The file of this image cannot be read: {error}."
        return None

    def _look_objects(self, wanted: dict[Glance, list[Objects]]) -> None:
        detector = self.judge.parts["objects"]
        seeing = getattr(detector, "needs_pixels", True)

        def detect(some):
            pictures = [self._open(g) if seeing else _name_plate(g) for g, _ in some]
            return detector.detect(pictures, [want.classes for _, want in some])

        self._each("objects", detect, [(g, want) for g, wants in wanted.items() for want in wants])

    def _look_colors(self, wanted: dict[Glance, list[Any]]) -> None:
        faint = {
            glance: {want.objects for want in wants}
            for glance, wants in wanted.items()
            if any(_lost_its_mask(glance.seen[want.objects][want.index]) for want in wants)
        }
        if faint:
            self._look_objects({g: list(objects) for g, objects in faint.items()})
        colorist = self.judge.parts["colors"]

        def colors(some):
            return colorist.colors(
                [(self._open(g), g.seen[want.objects][want.index], want) for g, want in some]
            )

        items = [(g, want) for g, wants in wanted.items() if not g.failed for want in wants]
        self._each("colors", colors, items)

    def _look_similarity(self, wanted: dict[Glance, list[Any]]) -> None:
        matcher = self.judge.parts["similarity"]

        def similarities(some):
            return matcher.similarities([(self._open(g), want.text) for g, want in some])

        items = [(g, want) for g, wants in wanted.items() for want in wants]
        self._each("similarity", similarities, items)

    def _look_talk(self, wanted: dict[Glance, list[Any]]) -> None:
        talker = self.judge.parts["talk"]

        def talk(some):
            return talker.talk([(self._open(g), want) for g, want in some])

        self._each("talk", talk, [(g, want) for g, wants in wanted.items() for want in wants])

    def _each(self, kind: str, verb: Callable, items: list[tuple[Glance, Want]]) -> None:
        """One answer for each want of each image."""
        began = time.perf_counter()
        for told in ask(self.judge.parts[kind], verb, items, self.alive):
            seconds = (time.perf_counter() - began) / len(told)
            self._keep(kind, [(g, want, answer, seconds) for (g, want), answer in told])
            began = time.perf_counter()

    def _look_depth(self, wanted: dict[Glance, list[DepthOf]]) -> None:
        sensor = self.judge.parts["depth"]

        def depths(some):
            maps = sensor.depths([self._open(g) for g, _ in some])
            return [
                [mean_depth(one, want) for want in w]
                for one, (_, w) in zip(maps, some, strict=True)
            ]

        self._together("depth", depths, list(wanted.items()))

    def _look_answers(self, wanted: dict[Glance, list[Question]]) -> None:
        """All questions about a picture in one call, also those of the judges that come next."""
        answerer = self.judge.parts["answers"]

        def answer(some):
            return answerer.answer([(self._open(g), questions) for g, questions in some])

        asked = [(g, [*own, *self._ahead(g, own)]) for g, own in wanted.items()]
        began = time.perf_counter()
        for told in ask(answerer, answer, asked, self.alive):
            seconds = time.perf_counter() - began
            rows = []
            for (glance, questions), answers in told:
                if isinstance(answers, Failed):
                    answers = self._one_by_one(answerer, glance, questions, answers)
                each = seconds / len(told) / len(questions)
                rows += [(glance, *pair, each) for pair in zip(questions, answers, strict=True)]
            self._keep("answers", rows)
            began = time.perf_counter()

    def _one_by_one(
        self, answerer: Any, glance: Glance, questions: Sequence[Question], failed: Failed
    ) -> list[Answer]:
        """Which question was it? The others keep their answers."""
        if len(questions) == 1:
            return [Answer(None, reason=failed.reason)]

        def answer(some):
            return [answerer.answer([(self._open(glance), [one])])[0][0] for one in some]

        return [
            Answer(None, reason=told.reason) if isinstance(told, Failed) else told
            for one in questions
            for ((_, told),) in ask(answerer, answer, [one], self.alive)
        ]

    def _ahead(self, glance: Glance, own: Sequence[Question]) -> list[Question]:
        """What other judges will ask this engine about this picture, and is not stored yet."""
        ahead: dict[Question, None] = {}
        for method in self.siblings:
            try:
                wants = method.wants(glance.subject, glance.seen)
            except Exception:  # noqa: S112 - its own run will say what is wrong
                continue
            ahead |= dict.fromkeys(want for want in wants if isinstance(want, Question))
        new = [
            question for question in ahead if question not in glance.seen and question not in own
        ]
        if new:
            self._recall_kind(self.judge.keys["answers"], {glance: new})
        return [question for question in new if question not in glance.seen]

    def _together(self, kind: str, verb: Callable, items: list[tuple[Glance, list[Want]]]) -> None:
        """All wants of an image from one look at it."""
        began = time.perf_counter()
        for told in ask(self.judge.parts[kind], verb, items, self.alive):
            seconds = (time.perf_counter() - began) / len(told)
            rows = []
            for (glance, wants), answers in told:
                if isinstance(answers, Failed):
                    glance.failed = answers.reason
                else:
                    rows += [(glance, *pair, seconds) for pair in zip(wants, answers, strict=True)]
            self._keep(kind, rows)
            began = time.perf_counter()

    def _keep(self, kind: str, told: Iterable[tuple[Glance, Want, Any, float]]) -> None:
        """Into what was seen, and into rows; what could not be told is tried again next time."""
        rows = []
        for glance, want, answer, seconds in told:
            if isinstance(answer, Failed):
                glance.failed = glance.failed or answer.reason
                continue
            try:
                plain = looks.kept(want, answer)
            except ValueError as error:
                glance.failed = glance.failed or str(error)
                continue
            glance.seen[want] = answer
            if isinstance(answer, Answer) and answer.probability is None:
                continue
            asked = looks.asked(want, closed=bool(self._classes))
            rows.append(
                Look(
                    image=glance.image,
                    engine=self.judge.keys[kind],
                    want=looks.key_of(asked),
                    asked=asked,
                    told=plain,
                    seconds=seconds,
                )
            )
        looks.keep(rows)


def _name_plate(glance: Glance) -> Picture.Image:
    """For an engine that looks nothing but the name up."""
    plate = Picture.new("RGB", (1, 1))
    plate.info["key"] = glance.image.key
    return plate


def subject_of(image: Image) -> Subject:
    prompt = image.prompt
    return Subject(
        prompt=prompt.text,
        atoms=tuple(
            Atom(a.index, a.kind, a.text, a.question, a.expected, tuple(a.parents))
            for a in prompt.atoms.all()
        ),
        metadata=prompt.metadata,
        size=(image.width or 0, image.height or 0),
    )


def mean_depth(raw: np.ndarray, want: DepthOf) -> float | None:
    """The mean of the stretched map inside the box; None where the box holds no pixel.

    A map without any depth in it is all one plane, as far away as near: 0 everywhere.
    """
    low, high = float(raw.min()), float(raw.max())
    height, width = raw.shape
    across, down = (width / want.frame[0], height / want.frame[1]) if want.frame else (1.0, 1.0)
    x1, y1, x2, y2 = want.box
    columns = slice(max(int(x1 * across), 0), max(int(x2 * across), 0))
    rows = slice(max(int(y1 * down), 0), max(int(y2 * down), 0))
    inside = raw[columns, rows] if want.transposed else raw[rows, columns]
    if not inside.size:
        return None
    if high == low:
        return 0.0
    return float((inside.astype(np.float64) - low).mean() / (high - low))


def _of(kind: str, wants: Sequence[Want]) -> list[Any]:
    return [want for want in wants if looks.NAMES[type(want)] == kind]


def _lost_its_mask(detection: dict[str, Any]) -> bool:
    return "mask" in detection and detection["mask"] is None
