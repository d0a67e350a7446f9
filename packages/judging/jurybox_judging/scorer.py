"""Score pictures with one judge: read what is stored, ask the engines for the rest, then judge.

Stored answers are read first; only pictures that are still needed are decoded, in threads, and the
engines get many of them in one call. Their answers are stored at once: for this judge with other
thresholds, for other judges, and for the next worker if this one dies.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from PIL import Image as Picture

from jurybox_judging.ask_engine import Call, Failed, ask_in_batches, reason_of
from jurybox_judging.engines.shared.refusals import refusal_in_any, refusal_of
from jurybox_judging.errors import clause_of
from jurybox_judging.protocols import (
    RESULT,
    Answer,
    Answerer,
    Colorist,
    ColorOf,
    DepthOf,
    DepthSensor,
    Detector,
    Judgement,
    KnownAnswers,
    Method,
    Objects,
    Placed,
    Question,
    Shown,
    Subject,
    Talk,
    Unscored,
    Want,
)
from jurybox_judging.recipes.names import KINDS
from jurybox_judging.stored_form import KIND_OF, answer_as_json, key_of, key_of_want, want_as_json

if TYPE_CHECKING:
    from jurybox_judging.registry import Judge

DECODERS = 4
# A method that still asks after this many rounds will never stop.
ROUNDS = 20
# Pictures of prompts that stay open: the images of a prompt come soon after each other.
OPEN = 32


class Looks(Protocol):
    """Where answers are kept, by the image's key in that store."""

    def stored_answers(
        self, *, engine: str, wanted: Mapping[int, Mapping[str, Want]]
    ) -> Iterable[tuple[int, str, Any]]: ...

    def row(self, image: int, **columns: Any) -> Any: ...

    def save(self, rows: Sequence[Any]) -> None: ...


class ImageRow(Protocol):
    """What a picture belongs to; with looks it has their `pk`, too. An engine that looks scores up in a file finds
    it by `key`."""

    @property
    def key(self) -> str: ...
    @property
    def file(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Loose:
    """A picture that nobody stores."""

    key: str = ""
    file: str = ""


@dataclass(eq=False, slots=True)
class PendingImage:
    """One image while it is being judged."""

    image: Any  # as of `ImageRow`
    subject: Subject
    seen: KnownAnswers
    wants: list[Want] = field(default_factory=list)
    failure: str = ""
    decoding: Future[Picture.Image] | None = None
    beside: dict[str, Future[Picture.Image]] = field(default_factory=dict)  # its prompt's, by place

    @property
    def picture(self) -> Picture.Image:
        """Only after `ImageScorer.can_open` has answered yes."""
        assert self.decoding is not None
        return self.decoding.result()

    def placed_pictures(self, want: Want) -> Shown:
        """What the question shows: the image, or all pictures in their places. After `can_open`."""
        placed = pictures_of(want)
        if not placed:
            return self.picture
        return tuple(
            (one.place, self.picture if one.place == RESULT else self.beside[one.place].result())
            for one in placed
        )


Asked = Sequence[tuple[PendingImage, Any]]


class Scorer:
    """Scores pictures with one judge.

    `keep_alive` is called before every engine call; it may raise StopWorking. `siblings` are the
    methods of other running judges: their questions go into the same call. Without `looks` the engines
    answer anew, and nothing that they say is stored.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        keep_alive: Callable[[], None] = lambda: None,
        siblings: Sequence[Method] = (),
        looks: Looks | None = None,
    ) -> None:
        self.judge = judge
        self.looks = looks
        # Each speaks the protocol of its kind: the part "objects" is a Detector.
        self._parts: Mapping[str, Any] = judge.parts
        self.keep_alive = keep_alive
        self.siblings = siblings
        self._classes = tuple(getattr(judge.parts.get("objects"), "classes", ()))
        self._needs_pixels = any(getattr(e, "needs_pixels", True) for e in judge.parts.values())
        self._decoders = ThreadPoolExecutor(DECODERS, thread_name_prefix="decode")
        self._open: OrderedDict[str, Future[Picture.Image]] = OrderedDict()

    def open_file(self, file: str) -> Picture.Image:
        """The picture of an image's file, and of those beside its prompt."""
        return Picture.open(file)

    def files_beside(self, image: Any) -> Mapping[str, str]:
        """The files of its prompt's pictures, by place."""
        return {}

    def close(self) -> None:
        self._decoders.shutdown(wait=False, cancel_futures=True)

    def start(self, batch: Sequence[PendingImage]) -> None:
        """Start decoding where an engine must answer; unless another worker has its answer meanwhile."""
        waiting = [pending for pending in batch if pending.wants]
        if waiting:
            self._read_stored(waiting)
            self._decode(waiting)

    def begin_pictures(
        self, asked: Iterable[tuple[ImageRow, Subject, Picture.Image]]
    ) -> list[PendingImage]:
        """Of pictures that are open; asks no engine."""
        batch = []
        for image, subject, picture in asked:
            pending = self._pending(image, subject)
            pending.decoding = Future()
            pending.decoding.set_result(picture)
            batch.append(pending)
        self.go_on(batch)
        return batch

    def _pending(self, image: ImageRow, subject: Subject) -> PendingImage:
        seen = KnownAnswers()
        seen.classes = self._classes
        return PendingImage(image, subject, seen)

    def go_on(self, batch: Sequence[PendingImage]) -> None:
        """What the method wants next, after answers were kept; asks no engine."""
        self._ask_method(batch)
        self._read_stored(batch)
        self._decode(batch)

    def finish(self, batch: Sequence[PendingImage]) -> list[Judgement | Unscored]:
        """Ask engines and method in turn until the method has all it wants."""
        for _ in range(ROUNDS):
            self._ask_engines(batch)
            self._ask_method(batch)
            if not any(pending.wants for pending in batch):
                break
            self._read_stored(batch)
            self._decode(batch)
        else:
            for pending in batch:
                if pending.wants:
                    pending.failure = f"The judge asked {ROUNDS} times and still wants more."
        return [self._judge(pending) for pending in batch]

    def _ask_method(self, batch: Sequence[PendingImage]) -> None:
        for pending in batch:
            pending.wants = []
            if pending.failure:
                continue
            try:
                wants = self.judge.method.wants(pending.subject, pending.seen)
                pending.wants = [want for want in wants if want not in pending.seen]
            except Exception as error:
                pending.failure = reason_of(error)

    def _judge(self, pending: PendingImage) -> Judgement | Unscored:
        if pending.failure:
            return Unscored(pending.failure)
        try:
            result = self.judge.method.judge(pending.subject, pending.seen)
        except Exception as error:
            return Unscored(reason_of(error))
        refusal = refusal_of(pending.seen)
        return Unscored(refusal, result.evidence) if refusal else result

    # --- what is stored -------------------------------------------------------------------

    def _read_stored(self, batch: Sequence[PendingImage]) -> None:
        for kind, engine in self.judge.keys.items():
            self._read_stored_kind(engine, {p: _of_kind(kind, p.wants) for p in batch})
        for pending in batch:
            pending.wants = [want for want in pending.wants if want not in pending.seen]

    def _read_stored_kind(self, engine: str, wanted: Mapping[PendingImage, Sequence[Want]]) -> None:
        if self.looks is None:
            return
        by_image = {
            pending.image.pk: (pending, {self._key(want): want for want in wants})
            for pending, wants in wanted.items()
            if wants
        }
        if not by_image:
            return
        keys = {image: wants for image, (_, wants) in by_image.items()}
        for image, key, answer in self.looks.stored_answers(engine=engine, wanted=keys):
            pending, wants = by_image[image]
            pending.seen[wants[key]] = answer

    def _key(self, want: Want) -> str:
        return key_of_want(want, closed=bool(self._classes))

    def _decode(self, batch: Sequence[PendingImage]) -> None:
        for pending in batch:
            if pending.wants and self._needs_pixels:
                self._start_decoding(pending)

    def _start_decoding(self, pending: PendingImage) -> None:
        if pending.decoding is None and pending.image.file:
            pending.decoding = self._decoders.submit(self.open_file, pending.image.file)
        places = {one.place for want in pending.wants for one in pictures_of(want)}
        if places - {RESULT, *pending.beside}:
            for place, file in self.files_beside(pending.image).items():
                if place in places:
                    pending.beside[place] = self._opening(file)

    def _opening(self, file: str) -> Future[Picture.Image]:
        opening = self._open.pop(file, None) or self._decoders.submit(self.open_file, file)
        self._open[file] = opening
        if len(self._open) > OPEN:
            self._open.popitem(last=False)
        return opening

    # --- asking the engines ---------------------------------------------------------------

    def _ask_engines(self, batch: Sequence[PendingImage]) -> None:
        for kind in KINDS:
            wanted = {p: _of_kind(kind, p.wants) for p in batch if not p.failure}
            wanted = {pending: wants for pending, wants in wanted.items() if wants}
            if not wanted:
                continue
            if kind not in self._parts:
                for pending in wanted:
                    pending.failure = f"No engine of this judge answers “{kind}”."
                continue
            if not getattr(self._parts[kind], "takes_several", False):
                wanted = {p: wants for p, wants in wanted.items() if _needs_one_picture(p, wants)}
            if getattr(self._parts[kind], "needs_pixels", True):
                readable = [pending for pending in wanted if self.can_open(pending)]
                # Pictures of one size side by side: an engine pads them less.
                readable.sort(key=lambda pending: pending.picture.size)
                wanted = {pending: wanted[pending] for pending in readable}
            if kind in EACH:
                self._ask_each(kind, partial(EACH[kind], self._parts[kind]), wanted)
            else:
                getattr(self, f"_ask_{kind}")(wanted)

    def can_open(self, pending: PendingImage) -> bool:
        if pending.decoding is None and not pending.image.file:
            pending.failure = (
                "The study knows this image by name only; there is no file to look at."
            )
            return False
        self._start_decoding(pending)
        assert pending.decoding is not None
        error = pending.decoding.exception()
        if error is not None:
            pending.failure = _why_closed("The file of this image", error)
        for place in dict.fromkeys(one.place for w in pending.wants for one in pictures_of(w)):
            if place == RESULT or pending.failure:
                continue
            if place not in pending.beside:
                pending.failure = f"This prompt has no {place} picture any more."
            elif (error := pending.beside[place].exception()) is not None:
                pending.failure = _why_closed(f"The {place} picture of this prompt", error)
        return not pending.failure

    def _ask_objects(self, wanted: Mapping[PendingImage, Sequence[Objects]]) -> None:
        detector: Detector = self._parts["objects"]
        needs_pixels = getattr(detector, "needs_pixels", True)

        def detect(asked: Sequence[tuple[PendingImage, Objects]]) -> Sequence[Any]:
            pictures = [p.picture if needs_pixels else _named_pixel(p) for p, _ in asked]
            return detector.detect(pictures, [want.classes for _, want in asked])

        self._ask_each("objects", detect, wanted)

    def _ask_colors(self, wanted: Mapping[PendingImage, Sequence[ColorOf]]) -> None:
        # Masks of faint detections are not stored; these detectors run once more.
        unmasked = {
            pending: list({want.objects for want in wants})
            for pending, wants in wanted.items()
            if any(_lost_its_mask(pending.seen[want.objects][want.index]) for want in wants)
        }
        if unmasked:
            self._ask_objects(unmasked)
        colorist: Colorist = self._parts["colors"]

        def colors(asked: Sequence[tuple[PendingImage, ColorOf]]) -> Sequence[Any]:
            return colorist.colors(
                [(p.picture, p.seen[want.objects][want.index], want) for p, want in asked]
            )

        self._ask_each("colors", colors, {p: w for p, w in wanted.items() if not p.failure})

    def _ask_each(
        self,
        kind: str,
        call: Callable[[Asked], Sequence[Any]],
        wanted: Mapping[PendingImage, Sequence[Want]],
    ) -> None:
        """One answer for each want of each image."""
        items = [(pending, want) for pending, wants in wanted.items() for want in wants]
        for answered, seconds in self._timed(kind, call, items):
            self.keep(kind, [(p, want, answer, seconds) for (p, want), answer in answered])

    def _timed(
        self, kind: str, call: Call, items: Sequence[Any]
    ) -> Iterator[tuple[list[tuple[Any, Any]], float]]:
        """Each batch with its answers, and the seconds that the engine took for one of them."""
        began = time.perf_counter()
        for answered in ask_in_batches(self._parts[kind], call, items, self.keep_alive):
            yield answered, (time.perf_counter() - began) / len(answered)
            # What the caller did with the answers is not the engine's time.
            began = time.perf_counter()

    def _ask_depth(self, wanted: Mapping[PendingImage, Sequence[DepthOf]]) -> None:
        """One depth map answers all boxes of an image."""
        sensor: DepthSensor = self._parts["depth"]

        def depths(asked: Sequence[tuple[PendingImage, Sequence[DepthOf]]]) -> Sequence[Any]:
            needs_pixels = getattr(sensor, "needs_pixels", True)
            maps = sensor.depths([p.picture if needs_pixels else _named_pixel(p) for p, _ in asked])
            return [
                [mean_depth(depth_map, want) for want in wants]
                for depth_map, (_, wants) in zip(maps, asked, strict=True)
            ]

        for answered, seconds in self._timed("depth", depths, list(wanted.items())):
            rows: list[tuple[PendingImage, Want, Any, float]] = []
            for (pending, wants), answers in answered:
                if isinstance(answers, Failed):
                    pending.failure = answers.reason
                else:
                    pairs = zip(wants, answers, strict=True)
                    rows += [(pending, want, answer, seconds) for want, answer in pairs]
            self.keep("depth", rows)

    def _ask_answers(self, wanted: Mapping[PendingImage, Sequence[Question]]) -> None:
        """All questions that show the same in one call, with those of the judges that come next."""
        answerer: Answerer = self._parts["answers"]

        def answer(asked: Sequence[tuple[PendingImage, Sequence[Question]]]) -> Sequence[Any]:
            return answerer.answer([(p.placed_pictures(some[0]), some) for p, some in asked])

        items = [
            (p, some)
            for p, own in wanted.items()
            for some in group_by_pictures([*own, *self._of_siblings(p, own)])
        ]
        for answered, seconds in self._timed("answers", answer, items):
            rows: list[tuple[PendingImage, Want, Any, float]] = []
            for (pending, questions), answers in answered:
                if isinstance(answers, Failed):
                    answers = self._one_by_one(answerer, pending, questions, answers)
                each = seconds / len(questions)
                pairs = zip(questions, answers, strict=True)
                rows += [(pending, question, reply, each) for question, reply in pairs]
            self.keep("answers", rows)

    def _one_by_one(
        self,
        answerer: Answerer,
        pending: PendingImage,
        questions: Sequence[Question],
        failed: Failed,
    ) -> list[Answer]:
        """Finds the question that failed; the others keep their answers."""
        if len(questions) == 1:
            return [Answer(None, reason=failed.reason)]

        def answer(asked: Sequence[Question]) -> list[Answer]:
            return [answerer.answer([(pending.placed_pictures(one), [one])])[0][0] for one in asked]

        return [
            Answer(None, reason=reply.reason) if isinstance(reply, Failed) else reply
            for question in questions
            for ((_, reply),) in ask_in_batches(answerer, answer, [question], self.keep_alive)
        ]

    def _of_siblings(self, pending: PendingImage, own: Sequence[Question]) -> list[Question]:
        """Questions of other judges to this engine about this picture that are not stored yet."""
        of_siblings: dict[Question, None] = {}
        for method in self.siblings:
            try:
                wants = method.wants(pending.subject, pending.seen)
            except Exception:  # noqa: S112 - its own run will say what is wrong
                continue
            of_siblings |= dict.fromkeys(want for want in wants if isinstance(want, Question))
        # What shows other pictures waits for its own run: here nobody has opened them.
        open_now = {(), *(question.pictures for question in own)}
        new = [
            question
            for question in of_siblings
            if question not in pending.seen
            and question not in own
            and question.pictures in open_now
        ]
        if new:
            self._read_stored_kind(self.judge.keys["answers"], {pending: new})
        return [question for question in new if question not in pending.seen]

    def keep(self, kind: str, answered: Iterable[tuple[PendingImage, Want, Any, float]]) -> None:
        """For this judge and as rows for all; what failed is not stored, so it is tried again."""
        rows = []
        for pending, want, answer, seconds in answered:
            if isinstance(answer, Failed):
                pending.failure = pending.failure or answer.reason
                continue
            try:
                stored = answer_as_json(want, answer)
            except ValueError as error:
                pending.failure = pending.failure or str(error)
                continue
            pending.seen[want] = answer
            if isinstance(answer, Answer) and answer.probability is None:
                continue
            if isinstance(want, Talk) and refusal_in_any(answer):
                continue
            if self.looks is None:
                continue
            asked = want_as_json(want, closed=bool(self._classes))
            rows.append(
                self.looks.row(
                    pending.image.pk,
                    engine=self.judge.keys[kind],
                    want=key_of(asked),
                    asked=asked,
                    told=stored,
                    seconds=seconds,
                )
            )
        if self.looks is not None:
            self.looks.save(rows)


Item = TypeVar("Item")


def in_batches(items: list[Item], judge: Judge) -> Iterator[list[Item]]:
    """As many at a time as the largest of the engines takes now: that may grow and shrink meanwhile."""
    start = 0
    while start < len(items):
        size = max((engine.batch for engine in judge.parts.values()), default=len(items))
        yield items[start : start + size]
        start += size


def _placed(asked: Asked) -> list[tuple[Shown, Any]]:
    return [(pending.placed_pictures(want), want) for pending, want in asked]


# How an engine answers, by the kind of want, where each want of an image has a call of its own.
EACH: dict[str, Callable[[Any, Asked], Sequence[Any]]] = {
    "writing": lambda reader, asked: reader.read_text([p.picture for p, _ in asked]),
    "similarity": lambda matcher, asked: matcher.similarities(
        [(p.picture, want.text) for p, want in asked]
    ),
    "reward": lambda rewarder, asked: rewarder.rewards(_placed(asked)),
    "talk": lambda talker, asked: talker.talk(_placed(asked)),
}


def _named_pixel(pending: PendingImage) -> Picture.Image:
    """For an engine that only looks up the image's key in a file."""
    pixel = Picture.new("RGB", (1, 1))
    pixel.info["key"] = pending.image.key
    return pixel


def pictures_of(want: Want) -> tuple[Placed, ...]:
    """What a question shows besides the image, and in which order; () is the image alone."""
    return getattr(want, "pictures", ())


def group_by_pictures(questions: Iterable[Question]) -> list[list[Question]]:
    """Those together that show the same pictures in the same order."""
    found: dict[tuple[Placed, ...], list[Question]] = {}
    for question in questions:
        found.setdefault(question.pictures, []).append(question)
    return list(found.values())


def mean_depth(raw: np.ndarray, want: DepthOf) -> float | None:
    """The mean inside the box of the map stretched to 0 … 1; None where the box holds no pixel.

    A map without any depth in it is one plane: 0 everywhere.
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


def _needs_one_picture(pending: PendingImage, wants: Sequence[Want]) -> bool:
    if any(map(pictures_of, wants)):
        pending.failure = (
            "This judge shows several pictures in one question, and its engine takes one."
        )
    return not pending.failure


def _why_closed(what: str, error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{what} is gone from the storage."
    return f"{what} cannot be read: {clause_of(error)}."


def _of_kind(kind: str, wants: Sequence[Want]) -> list[Any]:
    return [want for want in wants if KIND_OF[type(want)] == kind]


def _lost_its_mask(detection: dict[str, Any]) -> bool:
    return "mask" in detection and detection["mask"] is None
