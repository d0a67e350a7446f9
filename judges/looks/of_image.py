"""All model outputs for one image, and the scores that judges made of them: for a page, a command.

The field names are the keys of `look --json`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_noop

from annotations.models import Image
from judges import installed
from judges.models import Judge, Look, Score
from jurybox_judging import stored_form

# How many of a detector's hundred guesses are listed.
LISTED = 20
# Kinds of questions that a model answers in its own words, or reads words for.
WORDED = {"answers", "talk", "which of two", "writing", "colors"}


@dataclass(frozen=True, slots=True)
class JudgeScore:
    judge: str
    title: str
    fingerprint: str
    score: float | None
    correct: bool | None
    reason: str
    seconds: float | None

    def line(self) -> str:
        value = "no score" if self.score is None else f"{self.score:.4f}"
        reason = f" – {self.reason}" if self.reason else ""
        return f"  {self.title}: {value}{_seconds(self.seconds)}{reason}"


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """A question to an engine about the image, and its answer; `tokens` are those counted."""

    kind: str
    engine: str
    asked: str
    told: str
    probability: float | None = None
    tokens: tuple[tuple[str, float], ...] = ()
    seconds: float | None = None

    @property
    def is_reply(self) -> bool:
        """Whether the model itself wrote the answer."""
        return self.kind in WORDED

    def lines(self) -> list[str]:
        lines = [self.asked, f"  {self.told}{_seconds(self.seconds)}, by {self.engine}"]
        if self.probability is not None:
            lines.append(f"  probability {self.probability:.6f}")
        if self.tokens:
            tokens = ", ".join(f"“{token}” {chance:.6f}" for token, chance in self.tokens)
            lines.append(f"  tokens {tokens}")
        return lines


@dataclass(frozen=True, slots=True)
class ImageOutputs:
    image: str
    prompt: str
    verdicts: list[JudgeScore] = field(default_factory=list)
    told: list[ModelOutput] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def lines(self) -> list[str]:
        lines = [f"{self.image}: {self.prompt}", *(score.line() for score in self.verdicts)]
        for output in self.told:
            lines += ["", *output.lines()]
        return lines if self.told else [*lines, "No judge has asked about this image yet."]


def outputs_for(image: Image, *, judge: str = "") -> ImageOutputs:
    """With `judge`, only its scores and what its engines answered."""
    every_score = Score.objects.filter(image=image).select_related("run__judge__recipe")
    scores = every_score.filter(run__judge__name=judge) if judge else every_score
    looks = Look.objects.filter(image=image).order_by("pk")
    if judge:
        looks = looks.filter(engine__in=_engine_names(scores))
    names = _engine_names(every_score)
    return ImageOutputs(
        image=image.key,
        prompt=image.prompt.text,
        verdicts=[_judge_score(score) for score in scores.order_by("run__judge__name", "run")],
        told=[_model_output(look, names.get(look.engine, look.engine)) for look in looks],
    )


def _engine_names(scores: QuerySet[Score]) -> dict[str, str]:
    """The engines behind these scores: the key of their looks -> name and checkpoint."""
    return {
        facts["key"]: " ".join(filter(None, (facts.get("engine"), facts.get("checkpoint"))))
        for score in scores
        for facts in score.run.judge.facts.values()
    }


def _judge_score(score: Score) -> JudgeScore:
    judge: Judge = score.run.judge
    return JudgeScore(
        judge=judge.name,
        title=installed.title_of(judge),
        fingerprint=judge.fingerprint,
        score=score.value,
        correct=score.correct,
        reason=score.error or score.reason,
        seconds=score.seconds,
    )


def _model_output(look: Look, engine: str) -> ModelOutput:
    kind = look.asked.get("kind", "")
    stored: Any = look.told
    if kind == "answers":
        return ModelOutput(
            kind,
            engine,
            _place_names(look.asked) + look.asked["text"],
            stored["said"],
            stored["probability"],
            tuple((token, chance) for token, chance in stored["tokens"]),
            look.seconds if stored["seconds"] is None else stored["seconds"],
        )
    asked, answer = _IN_WORDS[kind](look.asked, stored)
    return ModelOutput(kind, engine, asked, answer, seconds=look.seconds)


def _objects(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    detections = sorted(stored_form.StoredDetections(stored), key=lambda d: -d["score"])
    found = ", ".join(f"{d['class']} {d['score']:.2f}" for d in detections[:LISTED])
    fainter = len(detections) - LISTED
    if fainter > 0:
        found = gettext_noop(f"{found} and {fainter} fainter ones")
    wanted = ", ".join(asked["classes"]) or gettext_noop("all objects")
    return wanted, found or gettext_noop("nothing")


def _color(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    noun, number = asked["noun"], asked["index"]
    return gettext_noop(f"the color of the {noun} (object {number})"), stored


def _depth(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    box = ", ".join(f"{edge:.0f}" for edge in asked["box"])
    depth = gettext_noop("no pixel there") if stored is None else f"{stored:.4f}"
    return gettext_noop(f"the depth at {box}"), depth


def _writing(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    read = " · ".join(line["text"] for line in stored)
    return gettext_noop("all that is written"), read or "nothing"


def _similarity(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    return asked["text"], f"{stored:.4f}"


def _reward(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    return _place_names(asked) + asked["text"], ", ".join(f"{number:.4f}" for number in stored)


def _talk(asked: dict[str, Any], stored: Any) -> tuple[str, str]:
    return _place_names(asked) + "\n".join(asked["turns"]), "\n".join(stored)


def _place_names(asked: dict[str, Any]) -> str:
    """The places of the pictures, where there were several."""
    places = [one["place"] for one in asked.get("pictures", ())]
    return f"[{', '.join(places)}] " if places else ""


_IN_WORDS: dict[str, Callable[[dict[str, Any], Any], tuple[str, str]]] = {
    "objects": _objects,
    "colors": _color,
    "depth": _depth,
    "writing": _writing,
    "similarity": _similarity,
    "reward": _reward,
    "talk": _talk,
    "which of two": _talk,
}


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f" in {seconds:.3f} s"
