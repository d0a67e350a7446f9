"""Studies in which one thing moved between January and February: the judge, people, the form's words, which
kinds of images there are, or how the judge errs on images of the same kind.

Every image has a hidden ease, and people say yes where it lies below a limit, so that the same image
gets the same answer again but for one in twenty. Half of January's images are answered about again in
February, in the words of then and in those of February.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from annotations.forms.versions import publish_form
from annotations.models import (
    Annotation,
    Answer,
    FormVersion,
    Generator,
    Image,
    Membership,
    Prompt,
    Study,
)
from judges.models import Judge, Run, Score
from judges.runs import counts
from jurybox_formats.forms.papers import geneval_audit

CAUSES = ("judge", "people", "wording", "mix", "within")
PROMPTS = 300
SIZE, MIX, HARD, FORGETS = 0.25, 0.6, 0.4, 0.05
THEN, NOW = "labelled=..2026-01-31", "labelled=2026-02-01.."
OLD, NEW = "judge-of-january", "judge-of-february"


def planted(cause: str, *, seed: int = 1) -> Study:
    moved = dict.fromkeys(CAUSES, 0.0) | {cause: MIX if cause == "mix" else SIZE}
    rng = np.random.default_rng([seed, CAUSES.index(cause)])
    form = publish_form(geneval_audit.FORM)
    study = Study.objects.create(slug=cause, title=f"Moved: {cause}", form=form, simulated=True)
    other = publish_form(_in_other_words()) if cause == "wording" else form
    limit, ease, score, hard, images = _images(study, rng, moved["mix"])
    early = np.arange(limit.size) < PROMPTS
    today = limit - moved["people"]
    asked_now = today - moved["wording"]
    first = datetime(2026, 1, 5, tzinfo=UTC)
    later = datetime(2026, 2, 5, tzinfo=UTC)

    def said(bar: np.ndarray) -> np.ndarray:
        forgets = rng.random(bar.size) < FORGETS
        return np.where(forgets, rng.random(bar.size) < bar, ease < bar) * 1.0

    again = early & (np.arange(limit.size) % 2 == 0)
    _answer(study, "ann", form, images, early, (ease < limit) * 1.0, first)
    new_side = (ease < asked_now - moved["within"]) * 1.0
    _answer(study, "ben", other, images, ~early, new_side, later)
    _answer(study, "cem", form, images, again, said(today), later)
    if cause == "wording":
        _answer(study, "dora", other, images, again, said(asked_now), later)
    score = np.clip(score - HARD * hard, 0, 1)
    _score(study, OLD, images, score)
    if cause == "judge":
        _score(study, NEW, images, score - SIZE)
    return study


def _images(
    study: Study, rng: np.random.Generator, mix: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list[Image]]:
    """January's images, then February's, each of a prompt of its own."""
    counted = np.concatenate([rng.random(PROMPTS) < 0.2, rng.random(PROMPTS) < 0.2 + mix])
    prompts = Prompt.objects.bulk_create(
        Prompt(
            study=study,
            key=f"p{n:03}",
            text=f"a red circle, number {n}",
            tags=["counting" if count else "colors"],
            atomicity=3,
        )
        for n, count in enumerate(counted.tolist())
    )
    generators = Generator.objects.bulk_create(
        Generator(study=study, name=name) for name in ("early", "late")
    )
    images = Image.objects.bulk_create(
        Image(
            study=study,
            key=f"i{n:03}",
            prompt=prompt,
            generator=generators[n >= PROMPTS],
            place=n,
        )
        for n, prompt in enumerate(prompts)
    )
    limit = np.clip(0.6 + 0.1 * rng.normal(size=counted.size), 0.3, 0.9)
    score = np.clip(limit + 0.1 * rng.normal(size=limit.size), HARD + SIZE, 1)
    return limit, rng.random(limit.size), score, counted, images


def _in_other_words():
    first, *others = geneval_audit.FORM.questions
    stricter = replace(first, text="Does the image show exactly what the prompt asks for?")
    return replace(geneval_audit.FORM, questions=(stricter, *others))


def _answer(
    study: Study,
    name: str,
    form: FormVersion,
    images: list[Image],
    which: np.ndarray,
    said: np.ndarray,
    first: datetime,
) -> None:
    person = Membership.objects.create(study=study, name=name, simulated=True)
    places = np.flatnonzero(which).tolist()
    forms = Annotation.objects.bulk_create(
        Annotation(
            study=study,
            image=images[place],
            annotator=person,
            form=form,
            submitted_at=first + timedelta(hours=number),
        )
        for number, place in enumerate(places)
    )
    Answer.objects.bulk_create(
        Answer(annotation=one, question="aligned", value=float(said[place]))
        for one, place in zip(forms, places, strict=True)
    )


def _score(study: Study, name: str, images: list[Image], scores: np.ndarray) -> None:
    judge = Judge.objects.create(
        fingerprint=f"{study.slug}-{name}"[:16],
        name=name,
        method="Planted",
        method_version="1",
        engine="Planted",
        engine_version="1",
    )
    run = Run.objects.create(
        study=study,
        judge=judge,
        state="finished",
        in_peoples_unit=True,
        expected=len(images),
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    Score.objects.bulk_create(
        Score(run=run, image=image, value=value)
        for image, value in zip(images, scores.tolist(), strict=True)
    )
    counts.recount(run.pk)
