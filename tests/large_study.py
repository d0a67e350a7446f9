"""A study as labs have it: eight generators, a dozen judges, sixty tags, made by bulk inserts.

One judge comes with two option sets. Three judges drift: their verdicts on the newest generators
turn against people. The pictures are left out; what is looked at are the numbers.
"""

from __future__ import annotations

from datetime import date

import numpy as np
from django.utils import timezone

from annotations.forms.versions import publish_form
from annotations.models import Annotation, Answer, Generator, Image, Membership, Prompt, Study
from judges.models import Judge, Run, Score
from judges.runs import counts
from jurybox_formats.forms.papers import geneval_audit

JUDGES = (
    ("geneval", {"threshold": 0.3}, 12.0),
    ("geneval", {"threshold": 0.7}, 0.0),
    ("soft-tifa-gm-qwen3-vl", {}, 0.0),
    ("soft-tifa-am-qwen3-vl", {}, 0.0),
    ("vqa-score", {}, 0.0),
    ("tifa-qwen2.5-vl", {}, 0.0),
    ("dsg-qwen2.5-vl", {}, 0.0),
    ("blip-vqa", {}, 16.0),
    ("clip-score", {}, 0.0),
    ("align-score", {}, 0.0),
    ("pick-score", {}, 0.0),
    ("our-own-judge", {}, 24.0),
)
RATERS = 3
BATCH = 2000


def large_study(
    *, prompts: int = 200, generators: int = 8, tags: int = 60, slug: str = "large"
) -> Study:
    rng = np.random.default_rng(11)
    now = timezone.now()
    study = Study.objects.create(
        slug=slug,
        title="A large study",
        form=publish_form(geneval_audit.FORM),
        overlap=RATERS,
        simulated=True,
    )
    asked = Prompt.objects.bulk_create(
        Prompt(
            study=study,
            key=f"p{n:04}",
            text=f"a red circle, number {n}",
            tags=[f"skill {n % tags:02}", f"skill {(7 * n + 3) % tags:02}"],
            atomicity=3 + n % 8,
        )
        for n in range(prompts)
    )
    made_by = Generator.objects.bulk_create(
        Generator(study=study, name=f"generator {n}", release_date=date(2019 + n, 3, 1))
        for n in range(generators)
    )
    prompt, generator = (part.ravel() for part in np.indices((prompts, generators)))
    ease = rng.normal(size=prompts)[prompt] + 0.2 * generator + rng.normal(size=prompt.size)
    right = (ease > 0.2).astype(int)
    images = Image.objects.bulk_create(
        (
            Image(study=study, key=f"i{n:06}", prompt=asked[p], generator=made_by[g], place=n)
            for n, (p, g) in enumerate(zip(prompt.tolist(), generator.tolist(), strict=True))
        ),
        batch_size=BATCH,
    )
    for rater in range(RATERS):
        person = Membership.objects.create(study=study, name=f"rater {rater}", simulated=True)
        said = np.where(rng.random(right.size) < 0.93, right, 1 - right).tolist()
        forms = Annotation.objects.bulk_create(
            (
                Annotation(
                    study=study, image=image, annotator=person, form=study.form, submitted_at=now
                )
                for image in images
            ),
            batch_size=BATCH,
        )
        Answer.objects.bulk_create(
            (
                Answer(annotation=form, question="aligned", value=value)
                for form, value in zip(forms, said, strict=True)
            ),
            batch_size=BATCH,
        )
    newer = generator >= generators // 2
    for number, (name, options, loss) in enumerate(JUDGES):
        judge = Judge.objects.create(
            fingerprint=f"large-{number:03}",
            name=name,
            method="Large",
            method_version="1",
            engine="Large",
            engine_version="1",
            options=options,
            release_date=date(2019 + number % 4, 6, 1),
        )
        run = Run.objects.create(
            study=study,
            judge=judge,
            state="finished",
            in_peoples_unit=True,
            expected=len(images),
            started_at=now,
        )
        missed = newer & (rng.random(right.size) < loss / 50)
        wrong = rng.random(right.size) < 0.08 + 0.01 * number
        seen = np.where(missed, 0, np.where(wrong, 1 - right, right))
        Score.objects.bulk_create(
            (
                Score(run=run, image=image, value=float(value), correct=bool(value))
                for image, value in zip(images, seen.tolist(), strict=True)
            ),
            batch_size=BATCH,
        )
        counts.recount(run.pk)
    return study
