"""The images of each generator with a judge's scores, as a set's numbers are made of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from annotations.models import Image, Study
from audit.set_scores.figure import ScoredImage
from judges.exports.set_files import metadata_as_read, with_parts
from judges.models import Run, Score


@dataclass
class Scored:
    """By generator: images with their scores, and how many have none."""

    rows: dict[str, list[ScoredImage]] = field(default_factory=lambda: defaultdict(list))
    left_out: dict[str, int] = field(default_factory=lambda: defaultdict(int))


def images_of(study: Study) -> QuerySet[Image]:
    ordered = study.images.select_related("prompt", "generator")
    return ordered.order_by("prompt_id", "pk")


def make_row(image: Image, value: float, **more: Any) -> ScoredImage:
    given = {"points": {}, "evidence": {}, **more}
    prompt = image.prompt
    # Like no key, which has no NUL.
    given["drawn_with"] = prompt.family and f"\0{prompt.family}"
    return ScoredImage(
        prompt.key, prompt.metadata, image.sample, value, tags=tuple(prompt.tags), **given
    )


def scored_by_judge(run: Run) -> Scored:
    told = Scored()
    scores = Score.objects.filter(run=run).select_related("image__prompt", "image__generator")
    with metadata_as_read():
        ordered = scores.prefetch_related(with_parts()).order_by("image__prompt_id", "image_id")
        for score in ordered:
            generator = score.image.generator.name
            if score.value is None:
                told.left_out[generator] += 1
            else:
                told.rows[generator].append(_scored_image(score, score.value))
    return told


def _scored_image(score: Score, value: float) -> ScoredImage:
    said = score.evidence.get("answers")
    # Of a form about an edit the answers are grades, by their names.
    are_verdicts = bool(said) and "expected" in said[0]
    return make_row(
        score.image,
        value,
        points={one.atom.index: one.value for one in score.atoms.all()},
        evidence=score.evidence,
        answers=tuple(_was_right(one) for one in said) if are_verdicts else None,
    )


def _was_right(answer: dict[str, Any]) -> float:
    said = str(answer.get("said") or "").strip(" .,?!").lower()
    return float(said == str(answer.get("expected", "yes")).lower())
