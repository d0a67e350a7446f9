"""What people said of an image and what the judge saw in it, side by side, for a card or a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from annotations.models import Annotation, Answer, Atom, Image
from annotations.pictures.decode import small_size
from audit.evidence import mask_outlines as outlines
from audit.evidence import read_evidence as told
from judges.methods import geneval
from judges.models import AtomScore, Run, Score

# Okabe-Ito again: boxes of one image are told apart by colour and by their written class.
BOX_COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2")
FEW = 12


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    width: float
    height: float
    label: str
    colour: str
    outline: str = ""  # of its mask, where the engine gave one


@dataclass(frozen=True, slots=True)
class Vote:
    """Several people's answers to one question: how many said yes, or their mean."""

    yes: int
    n: int
    mean: float
    yes_no: bool

    @property
    def sign(self) -> str:
        if not self.yes_no:
            return ""
        return "draw" if 2 * self.yes == self.n else "yes" if 2 * self.yes > self.n else "no"

    @property
    def words(self) -> str:
        if not self.yes_no:
            return f"{self.mean:.3g} (mean of {self.n})"
        return f"{self.yes} of {self.n} yes"


@dataclass(frozen=True, slots=True)
class AtomRow:
    text: str
    kind: str
    people: Vote | None
    score: float | None
    error: str

    @property
    def judge(self) -> str:
        """The judge's sign: yes from one half on."""
        return "" if self.score is None else "yes" if self.score >= 0.5 else "no"


@dataclass(frozen=True, slots=True)
class Card:
    """One image of the gallery."""

    image: Image
    gap: float | None
    score: Score | None
    people: dict[str, Vote]
    atoms: list[AtomRow]
    boxes: list[Box]
    clauses: list[dict[str, Any]]
    threshold: float | None
    thumbnail: tuple[int, int] | None = None
    raters: list[dict[str, Any]] = field(default_factory=list)

    @property
    def has_outlines(self) -> bool:
        return any(box.outline for box in self.boxes)

    @property
    def distance(self) -> float | None:
        """Score less threshold: below 0 the judge says no."""
        if self.threshold is None or self.score is None or self.score.value is None:
            return None
        return self.score.value - self.threshold

    @property
    def verdict(self) -> str:
        if self.score is None or self.score.value is None:
            return ""
        if self.score.correct is not None:
            return "yes" if self.score.correct else "no"
        distance = self.distance
        return "" if distance is None else "yes" if distance >= 0 else "no"


def threshold_of(facts: dict[str, Any]) -> float | None:
    known = facts.get("threshold")
    cuts = known["from"] if known else []
    return sum(cuts) / len(cuts) if cuts else None


def run_of(study_id: int, fingerprint: str) -> Run | None:
    return (
        Run.objects.filter(study_id=study_id, judge__fingerprint=fingerprint)
        .select_related("judge")
        .first()
    )


def cards(
    ids: Sequence[int], run: Run | None, gaps: dict[int, float], threshold: float | None
) -> list[Card]:
    """In the order of `ids`; a constant number of queries. Images that are gone are left out."""
    images = {
        image.pk: image
        for image in Image.objects.filter(pk__in=ids).select_related("prompt", "generator")
    }
    scores = {}
    if run is not None:
        scores = {
            s.image_id: s
            for s in Score.objects.filter(run=run, image__in=images).select_related("run__judge")
        }
    votes, atom_votes = _votes(images)
    atoms: dict[int, list[Atom]] = {}
    for atom in Atom.objects.filter(prompt__in={i.prompt_id for i in images.values()}):
        atoms.setdefault(atom.prompt_id, []).append(atom)
    judged = {
        (one.score_id, one.atom_id): one
        for one in AtomScore.objects.filter(score__in=[s.pk for s in scores.values()])
    }
    found = []
    for pk in ids:
        if pk not in images:
            continue
        image, score = images[pk], scores.get(pk)
        evidence = (score.evidence if score else None) or {}
        rows = [
            _atom_row(
                atom, atom_votes.get((pk, atom.pk)), judged.get((score and score.pk, atom.pk))
            )
            for atom in atoms.get(image.prompt_id, [])
        ]
        found.append(
            Card(
                image=image,
                gap=gaps.get(pk),
                score=score,
                people=votes.get(pk, {}),
                atoms=[row for row in rows if row.people or row.score is not None or row.error],
                boxes=boxes(evidence),
                clauses=told.clauses(evidence),
                threshold=threshold,
                thumbnail=small_size(image.width, image.height) if image.file else None,
            )
        )
    return found


def _votes(images: Iterable[int]):
    whole: dict[int, dict[str, list[float]]] = {}
    parts: dict[tuple[int, int], list[float]] = {}
    rows = Answer.objects.filter(
        annotation__image__in=list(images),
        annotation__state=Annotation.State.COUNTED,
        value__isnull=False,
    ).order_by()
    for image, question, atom, value in rows.values_list(
        "annotation__image_id", "question", "atom_id", "value"
    ):
        if atom is None:
            whole.setdefault(image, {}).setdefault(question, []).append(value)
        else:
            parts.setdefault((image, atom), []).append(value)
    return (
        {
            image: {question: vote(values) for question, values in sorted(found.items())}
            for image, found in whole.items()
        },
        {place: vote(values) for place, values in parts.items()},
    )


def vote(values: Sequence[float]) -> Vote:
    return Vote(
        yes=sum(value == 1 for value in values),
        n=len(values),
        mean=sum(values) / len(values),
        yes_no=all(value in (0, 1) for value in values),
    )


def _atom_row(atom: Atom, people: Vote | None, judged: AtomScore | None) -> AtomRow:
    return AtomRow(
        text=atom.text or atom.question,
        kind=atom.kind,
        people=people,
        score=judged.value if judged else None,
        error=judged.error if judged else "",
    )


def boxes(evidence: dict[str, Any]) -> list[Box]:
    """What a detector found, the surest first; the rest is in the table of the evidence page."""
    surest = _surest(evidence)
    names = list(dict.fromkeys(one["class"] for one in surest))
    drawn = []
    for one in surest:
        left, top, right, bottom = one["box"][:4]
        color = f"{one['color']} " if one.get("color") else ""
        drawn.append(
            Box(
                x=left,
                y=top,
                width=max(right - left, 0),
                height=max(bottom - top, 0),
                label=f"{color}{one['class']} {one['score']:.2f}",
                colour=BOX_COLOURS[names.index(one["class"]) % len(BOX_COLOURS)],
            )
        )
    return drawn


def outlined(card: Card) -> Card:
    """The same card with the outlines of masks: one picture's are drawn in a moment, a page of
    pictures would take too long."""
    evidence = (card.score.evidence if card.score else None) or {}
    width, height = card.image.width or 0, card.image.height or 0
    drawn = [
        replace(box, outline=outlines.path(one.get("mask"), width, height))
        for box, one in zip(card.boxes, _surest(evidence), strict=True)
    ]
    return replace(card, boxes=drawn)


def _surest(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(told.detections(evidence), key=lambda one: -one["score"])[:FEW]


def detection_rows(score: Score | None, tag: str) -> list[dict[str, Any]]:
    """Each detection with its distance to the threshold from which it counts.

    A judge's options name only what differs from the method's own.
    """
    judge = score.run.judge if score else None
    own = asdict(geneval.Options()) if judge and judge.method == "GenEval" else {}
    options = {**own, **(judge.options if judge else {})}
    name = "counting_threshold" if tag == "counting" else "threshold"
    least = told.number(options.get(name))
    found = told.detections((score.evidence if score else None) or {})
    return [
        {
            **one,
            "place": ", ".join(f"{value:.0f}" for value in one["box"][:4]),
            "least": least,
            "distance": None if least is None else one["score"] - least,
        }
        for one in sorted(found, key=lambda one: -one["score"])
    ]


def raters(image: Image) -> list[dict[str, Any]]:
    """Who said what, for the page of one image."""
    given = (
        Annotation.objects.filter(image=image, state=Annotation.State.COUNTED)
        .select_related("annotator")
        .prefetch_related("answers__atom")
        .order_by("annotator__name")
    )
    return [
        {
            "name": one.annotator.name,
            "simulated": one.annotator.simulated,
            "answers": [
                {
                    "question": answer.atom.text if answer.atom else answer.question,
                    "value": answer.value,
                    "text": answer.text,
                    "sign": {1: "yes", 0: "no"}.get(answer.value, ""),
                }
                for answer in one.answers.all()
            ],
        }
        for one in given
    ]
