"""Everything that engines told about one image, and what judges made of it: for a page, a command."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from annotations.models import Image
from judges import registry
from judges.looks import store as looks
from judges.models import Judge, Look, Score

# Of a detector's hundred guesses, as many are named.
MANY = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    judge: str
    title: str
    fingerprint: str
    score: float | None
    correct: bool | None
    reason: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that was asked about the picture; `tokens` are the ones that were counted."""

    kind: str
    engine: str
    asked: str
    told: str
    probability: float | None = None
    tokens: tuple[tuple[str, float], ...] = ()
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Looked:
    image: str
    prompt: str
    verdicts: list[Verdict] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def looked(image: Image, *, judge: str = "") -> Looked:
    """All looks at the image; with `judge`, those that its engines took."""
    scores = Score.objects.filter(image=image).select_related("run__judge")
    kept = Look.objects.filter(image=image).order_by("pk")
    if judge:
        scores = scores.filter(run__judge__name=judge)
        kept = kept.filter(engine__in=_names(scores=scores))
    names = _names(scores=Score.objects.filter(image=image).select_related("run__judge"))
    return Looked(
        image=image.key,
        prompt=image.prompt.text,
        verdicts=[_verdict(score) for score in scores.order_by("run__judge__name", "run")],
        told=[_told(look, names.get(look.engine, look.engine)) for look in kept],
    )


def _names(*, scores) -> dict[str, str]:
    """What the engines of these scores are called, by the key of their looks."""
    return {
        facts["key"]: " ".join(filter(None, (facts.get("engine"), facts.get("checkpoint"))))
        for score in scores
        for facts in score.run.judge.facts.values()
    }


def _verdict(score: Score) -> Verdict:
    judge: Judge = score.run.judge
    entry = registry.JUDGES.get(judge.name)
    return Verdict(
        judge=judge.name,
        title=entry.title if entry else judge.name,
        fingerprint=judge.fingerprint,
        score=score.value,
        correct=score.correct,
        reason=score.error or score.reason,
        seconds=score.seconds,
    )


def _told(look: Look, engine: str) -> Told:
    kind = look.asked.get("kind", "")
    if kind == "answers":
        told = look.told
        return Told(
            kind,
            engine,
            look.asked["text"],
            told["said"],
            told["probability"],
            tuple((token, chance) for token, chance in told["tokens"]),
            look.seconds if told["seconds"] is None else told["seconds"],
        )
    asked, told = _WORDS[kind](look)
    return Told(kind, engine, asked, told, seconds=look.seconds)


def _objects(look: Look) -> tuple[str, str]:
    found = sorted(looks.Told(look.told), key=lambda one: -one["score"])
    named = [f"{one['class']} {one['score']:.2f}" for one in found[:MANY]]
    more = f" and {len(found) - MANY} fainter ones" if len(found) > MANY else ""
    return ", ".join(look.asked["classes"]) or "all objects", (", ".join(named) or "nothing") + more


def _color(look: Look) -> tuple[str, str]:
    return f"the color of the {look.asked['noun']} (object {look.asked['index']})", look.told


def _depth(look: Look) -> tuple[str, str]:
    box = ", ".join(f"{edge:.0f}" for edge in look.asked["box"])
    return f"the depth at {box}", "no pixel there" if look.told is None else f"{look.told:.4f}"


def _similarity(look: Look) -> tuple[str, str]:
    return look.asked["text"], f"{look.told:.4f}"


def _talk(look: Look) -> tuple[str, str]:
    return "\n".join(look.asked["turns"]), "\n".join(look.told)


_WORDS = {
    "objects": _objects,
    "colors": _color,
    "depth": _depth,
    "similarity": _similarity,
    "talk": _talk,
}
