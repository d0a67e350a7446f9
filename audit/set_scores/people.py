"""People's answers about each image, in the numbers that a set's script makes its score of.

A question with yes and no is answered as most people answered it, grades are people's means. An image of which
not all that is needed was answered has no score, and is counted.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean

import numpy as np
from django.db.models import QuerySet

from annotations import consensus
from annotations.models import Annotation, Answer, Image, Study
from audit.set_scores.edit_figures import BY_PERSON
from audit.set_scores.figure import ScoredImage
from audit.set_scores.scored import Scored, images_of, make_row
from judges.exports.edit_set_results import grades_of
from judges.exports.set_files import metadata_as_read
from jurybox_formats.forms.papers.edits import overall_imagenhub
from jurybox_formats.sets.edit_sets.points import FREE, POINTS
from jurybox_judging.methods import dpg, wise

CHECKLISTS = ("corebench", "unigenbench", "dpg", "oneig", "tiif")


class ImageAnswers(dict[tuple[str, int | None], list[float]]):
    """Of one image, by question and part of the prompt: None for the whole image. `by_person`: of the whole."""

    def __init__(self) -> None:
        self.by_person: dict[str, dict[str, float]] = defaultdict(dict)


def scored_by_people(study: Study, name: str, edition: str) -> Scored | None:
    """None where nobody has answered what it takes."""
    given = _answers_by_image(study)
    told, found = Scored(), False
    with metadata_as_read():
        for image in _answered_images(study).prefetch_related("prompt__atoms"):
            row = _row_of(name, edition, image, given.get(image.pk, ImageAnswers()))
            generator = image.generator.name
            if row is None:
                told.left_out[generator] += 1
            else:
                told.rows[generator].append(row)
                found = True
    return told if found else None


def _answered_images(study: Study) -> QuerySet[Image]:
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
    return images_of(study).filter(pk__in=counted.order_by().values("image"))


def _answers_by_image(study: Study) -> dict[int, ImageAnswers]:
    given: dict[int, ImageAnswers] = defaultdict(ImageAnswers)
    rows = Answer.objects.filter(
        annotation__study=study,
        annotation__state=Annotation.State.COUNTED,
        value__isnull=False,
    ).order_by("annotation__annotator__name")
    for image, who, question, atom, value in rows.values_list(
        "annotation__image_id", "annotation__annotator_id", "question", "atom__index", "value"
    ).iterator():
        if value is not None:
            given[image].setdefault((question, atom), []).append(value)
            if atom is None:
                given[image].by_person[str(who)][question] = value
    return given


def _row_of(name: str, edition: str, image: Image, given: ImageAnswers) -> ScoredImage | None:
    if name in POINTS:
        return _of_edit(name, image, given)
    if name == "imagenhub":
        overalls = [overall_imagenhub(said) for said in given.by_person.values()]
        known = [value for value in overalls if value is not None]
        evidence = {BY_PERSON: given.by_person}
        return make_row(image, fmean(known), evidence=evidence) if known else None
    if name == "wise":
        value = _wise(given, edition)
    elif name in CHECKLISTS and not _is_about_text(image, given):
        return _of_checklist(name, image, given)
    else:
        value = _mean(given, "text_share")
    return None if value is None else make_row(image, value)


def _is_about_text(image: Image, given: ImageAnswers) -> bool:
    return not list(image.prompt.atoms.all()) and ("text_share", None) in given


def _wise(given: ImageAnswers, edition: str) -> float | None:
    if edition == "legacy":
        grades = [_mean(given, name) for name in ("consistency", "realism", "aesthetic_quality")]
        known = [grade for grade in grades if grade is not None]
        return wise.legacy_grade(*known) if len(known) == len(grades) else None
    return _majority(given.get(("correct", None), []))


def _of_checklist(name: str, image: Image, given: ImageAnswers) -> ScoredImage | None:
    atoms = sorted(image.prompt.atoms.all(), key=lambda atom: atom.index)
    read = [_majority(given.get(("atom", atom.index), [])) for atom in atoms]
    answers = [value for value in read if value is not None]
    if not answers or len(answers) < len(atoms):
        return None
    if name == "dpg":
        parents = {atom.index: tuple(parent + 1 for parent in atom.parents) for atom in atoms}
        asked = [dpg.DpgQuestion(atom.index + 1, parents[atom.index] or (0,), "") for atom in atoms]
        return make_row(image, dpg.dpg_score(asked, [answers]), answers=tuple(answers))
    # Where the right answer is no, a yes is wrong.
    right = [
        1 - value if atom.expected.strip().lower() == "no" else value
        for atom, value in zip(atoms, answers, strict=True)
    ]
    if name == "oneig":
        # A question counts 0 where one that it rests on was answered no.
        right = [
            value if all(answers[parent] for parent in atom.parents) else 0.0
            for atom, value in zip(atoms, right, strict=True)
        ]
    points = {atom.index: value for atom, value in zip(atoms, right, strict=True)}
    return make_row(image, fmean(right), points=points)


def _of_edit(name: str, image: Image, given: ImageAnswers) -> ScoredImage | None:
    means = {question: fmean(values) for (question, atom), values in given.items() if atom is None}
    evidence = {"answers": [{"name": asked, "score": value} for asked, value in means.items()]}
    grades, points = grades_of(name, evidence), POINTS[name]
    is_free = bool(image.prompt.metadata.get(FREE))
    if not set(points.wanted(image.prompt.tags, is_free)) <= grades.keys():
        return None
    overall = points.overall(grades, image.prompt.tags, is_free)
    return make_row(image, overall, evidence=evidence)


def _majority(values: list[float]) -> float | None:
    if not values:
        return None
    value = float(consensus.majority(np.array(values).reshape(-1, 1))[0])
    return None if np.isnan(value) else value


def _mean(given: ImageAnswers, question: str) -> float | None:
    values = given.get((question, None))
    return fmean(values) if values else None
