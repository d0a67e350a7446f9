"""Makes the rows a test is about, through the same verbs as everybody else."""

from __future__ import annotations

import io
import random
import uuid
from datetime import date
from functools import cache
from itertools import starmap
from unittest import mock

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from PIL import Image as Picture

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.labelling import assign, record
from annotations.models import Annotation, HandedBack, Image, Membership, Study
from annotations.pictures import decode_process
from audit.accounts import tokens
from judges.models import Judge, Run
from judges.runs.save_scores import insert_scores
from jurybox_formats.forms.papers import geneval_audit
from jurybox_formats.sources.records import (
    AtomRecord,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptRecord,
)
from jurybox_judging.protocols import Judgement, Unscored


@cache
def png(colour: tuple[int, int, int] = (200, 30, 30), size: int = 16) -> bytes:
    out = io.BytesIO()
    Picture.new("RGB", (size, size), colour).save(out, "PNG")
    return out.getvalue()


def noise(width: int, height: int) -> Picture.Image:
    """A picture that compresses badly, and the same one in every process."""
    content = random.Random(width * height).randbytes(3 * width * height)
    return Picture.frombytes("RGB", (width, height), content)


def html_of(response: HttpResponse) -> str:
    assert response.status_code == 200
    return response.content.decode()


def study(slug: str = "shapes", *, prompts: int = 4, overlap: int = 3, files: bool = True) -> Study:
    made = Study.objects.create(
        slug=slug,
        title="Shapes",
        form=publish_form(geneval_audit.FORM),
        overlap=overlap,
    )
    outcome = Outcome()
    generators = {"early": date(2021, 1, 1), "late": date(2024, 1, 1)}
    images = (
        ImageRecord(
            key=f"{generator}-{number}",
            prompt=f"p{number}",
            generator=generator,
            content=png((number, 0, 0)) if files else None,
        )
        for number in range(prompts)
        for generator in generators
    )
    # Starting processes and threads costs more than to decode such small pictures.
    here = mock.patch.object(
        decode_process.Decoders, "map", lambda _, work, items, pictures: map(work, items)
    )
    with here:
        write_study.import_records(
            study=made,
            records=[
                *map(prompt, range(prompts)),
                *starmap(GeneratorRecord, generators.items()),
                *images,
            ],
            outcome=outcome,
        )
    assert outcome.rejected == []
    return made


def prompt(number: int) -> PromptRecord:
    return PromptRecord(
        key=f"p{number}",
        text=f"a red circle, number {number}",
        tags=("colors",),
        atoms=(
            AtomRecord(0, "object", "circle", "Are there any circles in the image?", "Yes"),
            AtomRecord(1, "attribute", "red", "Is the circle red?", "Yes", (0,)),
        ),
        atomicity=2,
        metadata={"tag": "colors", "include": [{"class": "circle", "count": 1, "color": "red"}]},
    )


def person(study: Study, name: str, *, role: str = "annotator") -> Membership:
    user, _ = get_user_model().objects.get_or_create(username=name)
    return Membership.objects.create(study=study, user=user, name=name, role=role)


def token(user: User, **options: str) -> str:
    """One that may write, unless the options say otherwise."""
    return tokens.make(user=user, name="a test", **{"scope": "write", **options})[1]


def cookie_of_person(study: Study, number: int) -> str:
    """A new annotator of the study, logged in: the value of the session's cookie."""
    client = Client()
    client.force_login(person(study, f"person-{number}").user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def give(image: Image, person: Membership) -> None:
    """As if it had been given to them and had gone back: they may answer for it late."""
    HandedBack.objects.get_or_create(image=image, annotator=person)


def label(person: Membership, *, aligned: float = 1, quality: float = 1) -> Annotation:
    """The next image, answered."""
    assignment = assign.next_image(annotator=person)
    return record.record_label(
        image=assignment.image,
        annotator=person,
        form=person.study.form,
        answers={"aligned": aligned, "quality": quality},
        submission=uuid.uuid4(),
    )


def labels(study: Study, values: dict[str, dict[str, float]], *, question: str = "aligned") -> None:
    """`{image key: {rater: value}}` as an import would bring it."""
    outcome = Outcome()
    write_study.import_records(
        study=study,
        records=(
            LabelRecord(image=image, rater=rater, question=question, value=float(value))
            for image, given in values.items()
            for rater, value in given.items()
        ),
        outcome=outcome,
    )
    assert outcome.rejected == []


def scores(
    study: Study,
    values: dict[str, float | str | bool],
    *,
    name: str = "some-judge",
    in_peoples_unit: bool | None = True,
) -> Run:
    """`{image key: score}`; a text is the reason of a failed judgement, a bool a verdict."""
    from django.utils import timezone

    judge, _ = Judge.objects.get_or_create(
        fingerprint=f"test-{name}"[:16],
        defaults={
            "name": name,
            "method": "Some",
            "method_version": "1",
            "engine": "None",
            "engine_version": "1",
        },
    )
    run, _ = Run.objects.get_or_create(
        study=study,
        judge=judge,
        defaults={
            "started_at": timezone.now(),
            "state": Run.State.FINISHED,
            "expected": study.images.count(),
            "in_peoples_unit": in_peoples_unit,
        },
    )
    images = Image.objects.filter(study=study, key__in=values).exclude(scores__run=run)
    new = [(image, _result(values[image.key]), None) for image in images]
    if new:
        with transaction.atomic():
            insert_scores(run, new)
    return run


def _result(value: float | str | bool) -> Judgement | Unscored:
    if isinstance(value, str):
        return Unscored(value)
    return Judgement(float(value), correct=value if isinstance(value, bool) else None)


def compute_waiting_answers() -> int:
    """What a worker does with all that pages have requested; how many."""
    from annotations import jobs
    from audit.answers.worker import KIND

    waiting = [job for job in jobs.waiting() if job.kind == KIND.model.KIND]
    for job in waiting:
        jobs.run(job.pk)
    return len(waiting)
