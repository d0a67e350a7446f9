"""People's answers about an image and what the judge saw in it, side by side, for a card or a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext

from annotations.forms.prompt_pictures import SOURCE
from annotations.models import Annotation, Answer, Atom, Image, PromptPicture, Study
from annotations.pictures.store import small_size
from audit.evidence import mask_outlines, read_evidence
from judges.models import AtomScore, Run, Score
from jurybox_formats.forms import marks
from jurybox_judging.methods import geneval

# Okabe & Ito's colours: the boxes of an image differ in colour and in the class written on them.
BOX_COLOURS = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#0072B2")
# Boxes drawn over an image: those with the highest confidence.
MOST_BOXES = 12


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
    """Several people's answers to one question: how many answered yes, or their mean."""

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
    def sentence(self) -> str:
        if not self.yes_no:
            return gettext("%(mean)s (mean of %(n)s)") % {"mean": f"{self.mean:.3g}", "n": self.n}
        return gettext("%(yes)s of %(n)s yes") % {"yes": self.yes, "n": self.n}


@dataclass(frozen=True, slots=True)
class AtomRow:
    text: str
    kind: str
    people: Vote | None
    score: float | None
    error: str

    @property
    def judge(self) -> str:
        """The judge's answer: yes from one half on."""
        return "" if self.score is None else "yes" if self.score >= 0.5 else "no"


@dataclass(frozen=True, slots=True)
class ImageCard:
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
    before: PromptPicture | None = None  # what an edit began with

    @property
    def has_outlines(self) -> bool:
        return any(box.outline for box in self.boxes)

    @property
    def distance(self) -> float | None:
        """Score minus threshold: below 0 the judge says no."""
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
    chosen = facts.get("threshold")
    cuts = chosen["from"] if chosen else []
    return sum(cuts) / len(cuts) if cuts else None


def run_of(study_id: int, fingerprint: str) -> Run | None:
    return (
        Run.objects.filter(study_id=study_id, judge__fingerprint=fingerprint)
        .select_related("judge")
        .first()
    )


def cards(
    ids: Sequence[int], run: Run | None, gaps: dict[int, float], threshold: float | None
) -> list[ImageCard]:
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
    whole_votes, atom_votes = votes(images)
    atoms: dict[int, list[Atom]] = {}
    for atom in Atom.objects.filter(prompt__in={i.prompt_id for i in images.values()}):
        atoms.setdefault(atom.prompt_id, []).append(atom)
    judged: dict[tuple[int | None, int], AtomScore] = {
        (row.score_id, row.atom_id): row
        for row in AtomScore.objects.filter(score__in=[score.pk for score in scores.values()])
    }
    sources = _sources(images.values())
    made = []
    for pk in ids:
        if pk not in images:
            continue
        image, score = images[pk], scores.get(pk)
        evidence = evidence_of(score)
        rows = [
            _atom_row(
                atom,
                atom_votes.get((pk, atom.pk)),
                judged.get((score.pk if score else None, atom.pk)),
            )
            for atom in atoms.get(image.prompt_id, [])
        ]
        made.append(
            ImageCard(
                image=image,
                gap=gaps.get(pk),
                score=score,
                people=whole_votes.get(pk, {}),
                atoms=[row for row in rows if row.people or row.score is not None or row.error],
                boxes=boxes(evidence),
                clauses=read_evidence.clauses(evidence),
                threshold=threshold,
                thumbnail=thumbnail_size(image),
                before=sources.get(image.prompt_id),
            )
        )
    return made


def _sources(images: Iterable[Image]) -> dict[int, PromptPicture]:
    """The first source picture of each prompt; most prompts have none, and say so themselves."""
    prompts = {image.prompt_id for image in images if image.prompt.picture_count}
    if not prompts:
        return {}
    rows = PromptPicture.objects.filter(prompt__in=prompts, place__startswith=SOURCE)
    return {row.prompt_id: row for row in rows.order_by("-pk")}


def evidence_of(score: Score | None) -> dict[str, Any]:
    return (score.evidence if score else None) or {}


def thumbnail_size(image: Image) -> tuple[int, int] | None:
    if not image.file or not image.width or not image.height:
        return None
    return small_size(image.width, image.height)


def votes(
    images: Iterable[int],
) -> tuple[dict[int, dict[str, Vote]], dict[tuple[int, int], Vote]]:
    """Image -> question -> vote, and (image, atom) -> vote. The images are of one study."""
    images = list(images)
    whole: dict[int, dict[str, list[float]]] = {}
    parts: dict[tuple[int, int], list[float]] = {}
    rows = Answer.objects.filter(
        annotation__image__in=images,
        annotation__state=Annotation.State.COUNTED,
        value__isnull=False,
    ).order_by()
    for image, question, atom, value in rows.values_list(
        "annotation__image_id", "question", "atom_id", "value"
    ):
        if value is None:
            continue
        if atom is None:
            whole.setdefault(image, {}).setdefault(question, []).append(value)
        else:
            parts.setdefault((image, atom), []).append(value)
    rated = _rated(images, {question for questions in whole.values() for question in questions})
    return (
        {
            image: {
                question: vote(values, rated=question in rated)
                for question, values in sorted(questions.items())
            }
            for image, questions in whole.items()
        },
        {place: vote(values) for place, values in parts.items()},
    )


def _rated(images: Sequence[int], questions: set[str]) -> set[str]:
    """The questions that are answered by a rating, also where all answers shown happen to be 0 or 1."""
    study = Study.objects.filter(images__in=images[:1]).select_related("form").first()
    if study is None:
        return set()
    choices = {
        asked["name"]: {choice["value"] for choice in asked["choices"]}
        for asked in study.form.questions
        if asked["choices"]
    }
    others = Answer.objects.filter(
        annotation__study=study,
        question__in=questions - choices.keys(),
        atom__isnull=True,
        value__isnull=False,
    ).exclude(value__in=(0, 1))
    return {name for name, values in choices.items() if values != {0, 1}} | set(
        others.order_by().values_list("question", flat=True).distinct()
    )


def vote(values: Sequence[float], *, rated: bool = False) -> Vote:
    return Vote(
        yes=sum(value == 1 for value in values),
        n=len(values),
        mean=sum(values) / len(values),
        yes_no=not rated and all(value in (0, 1) for value in values),
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
    """The detections with the highest confidence; the evidence page has a table of all."""
    surest = _surest(evidence)
    names = list(dict.fromkeys(detection["class"] for detection in surest))
    drawn = []
    for detection in surest:
        name = detection["class"]
        left, top, right, bottom = detection["box"][:4]
        color = f"{detection['color']} " if detection.get("color") else ""
        drawn.append(
            Box(
                x=left,
                y=top,
                width=max(right - left, 0),
                height=max(bottom - top, 0),
                label=f"{color}{name} {detection['score']:.2f}",
                colour=BOX_COLOURS[names.index(name) % len(BOX_COLOURS)],
            )
        )
    return drawn


def outlined(card: ImageCard) -> ImageCard:
    """The same card with the outlines of its masks. For single images: a page of two dozen would take
    too long."""
    width, height = card.image.width or 0, card.image.height or 0
    drawn = [
        replace(box, outline=mask_outlines.path(detection.get("mask"), width, height))
        for box, detection in zip(card.boxes, _surest(evidence_of(card.score)), strict=True)
    ]
    return replace(card, boxes=drawn)


def _surest(evidence: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(read_evidence.detections(evidence), key=_confidence)[:MOST_BOXES]


def detection_rows(score: Score | None, tag: str) -> list[dict[str, Any]]:
    """Each detection with its distance to the threshold from which it counts.

    A judge's options name only what differs from the method's own.
    """
    judge = score.run.judge if score else None
    defaults = geneval.GenEval().options if judge and judge.method == "GenEval" else {}
    options = {**defaults, **(judge.options if judge else {})}
    name = "counting_threshold" if tag == "counting" else "threshold"
    threshold = read_evidence.number(options.get(name))
    return [
        {
            **detection,
            "place": ", ".join(f"{value:.0f}" for value in detection["box"][:4]),
            "threshold": threshold,
            "distance": None if threshold is None else detection["score"] - threshold,
        }
        for detection in sorted(read_evidence.detections(evidence_of(score)), key=_confidence)
    ]


def _confidence(detection: dict[str, Any]) -> float:
    """Sorts the highest first."""
    return -detection["score"]


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """A person's mark, in fractions of the picture that it is on: the image, or one of its prompt's."""

    x: float
    y: float
    width: float
    height: float
    on: str
    person: str
    question: str

    @property
    def is_point(self) -> bool:
        return not self.width


def placed_marks(said: Iterable[dict[str, Any]]) -> list[PlacedMark]:
    """What people marked, from what `raters` says."""
    return [
        PlacedMark(
            x=mark.x,
            y=mark.y,
            width=mark.width,
            height=mark.height,
            on=mark.on,
            person=rater["name"],
            question=answer["question"],
        )
        for rater in said
        for answer in rater["answers"]
        for mark in answer["marks"]
    ]


def raters(image: Image, name_of: Callable[[int], str]) -> list[dict[str, Any]]:
    """Everybody's answers, for the page of one image. `name_of`: what a person is called there."""
    given = (
        Annotation.objects.filter(image=image, state=Annotation.State.COUNTED)
        .select_related("annotator")
        .prefetch_related("answers__atom")
        .order_by("annotator_id")
    )
    said: list[dict[str, Any]] = [
        {
            "name": name_of(annotation.annotator_id),
            "simulated": annotation.annotator.simulated,
            "answers": [
                {
                    "question": answer.atom.text if answer.atom else answer.question,
                    "value": answer.value,
                    "text": marks.in_words(answer.text)
                    if marks.are_in(answer.text)
                    else answer.text,
                    "marks": marks.stored_marks(answer.text),
                    "sign": "yes" if answer.value == 1 else "no" if answer.value == 0 else "",
                }
                for answer in annotation.answers.all()
            ],
        }
        for annotation in given
    ]
    return sorted(said, key=lambda rater: rater["name"])
