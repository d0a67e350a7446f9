"""The app's own report, end to end: `python -m tests.bench.whole_report IMAGES [PROMPTS]` prints one line.

A study with five judges and eight generators lies in a database of its own; what is measured is
`make_report`, from reading the rows to the stored report, as processor time of this process.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

JUDGES, GENERATORS, RATERS, PROMPTS = 5, 8, 3, 800


def main() -> None:
    with database_of_its_own():
        print(json.dumps(measure(*map(int, sys.argv[1:]))))


@contextmanager
def database_of_its_own() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        os.environ.update(JURYBOX_VAR=folder, DJANGO_SETTINGS_MODULE="tests.settings")
        os.environ.pop("DATABASE_URL", None)
        import django

        django.setup()
        from django.conf import settings
        from django.test.utils import get_runner

        Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
        runner = get_runner(settings)(verbosity=0, interactive=False)
        old = runner.setup_databases()
        try:
            yield
        finally:
            runner.teardown_databases(old)


def measure(images: int, prompts: int = PROMPTS) -> dict:
    from audit.reports import make as reports
    from audit.reports import pairing

    study = build(images, prompts)
    original, times = pairing.pair, []

    def timed(**asked):
        began = time.process_time()
        found = original(**asked)
        times.append(time.process_time() - began)
        return found

    pairing.pair = timed
    cpu, wall = time.process_time(), time.perf_counter()
    report = reports.make_report(study=study)
    cuts = ("by_generator", "by_tag", "by_atomicity", "by_variant")
    return {
        "images": images,
        "prompts": prompts,
        "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "pairing": sum(times),
        "slices": sum(
            1 + sum(len(judge[cut]) for cut in cuts) for judge in report.body["judges"].values()
        ),
    }


def build(images: int, prompts_n: int = PROMPTS):
    from datetime import date

    import numpy as np
    from django.utils import timezone

    from annotations.forms.papers import geneval_audit
    from annotations.forms.versions import publish_form
    from annotations.models import (
        Annotation,
        Answer,
        Generator,
        Image,
        Membership,
        Prompt,
        Study,
    )
    from judges.models import Judge, Run, Score

    rng = np.random.default_rng(3)
    now = timezone.now()
    study = Study.objects.create(
        slug="bench", title="Bench", form=publish_form(geneval_audit.FORM), overlap=RATERS
    )
    prompts = Prompt.objects.bulk_create(
        Prompt(
            study=study, key=f"p{n:04}", text=f"prompt {n}", tags=[f"tag {n % 5}"], atomicity=n % 8
        )
        for n in range(prompts_n)
    )
    generators = Generator.objects.bulk_create(
        Generator(study=study, name=f"generator {n}", release_date=date(2018 + n, 1, 1))
        for n in range(GENERATORS)
    )
    of_prompt = rng.integers(0, prompts_n, images)
    right = (rng.normal(size=prompts_n)[of_prompt] + rng.normal(size=images) > -0.3).astype(int)
    made = Image.objects.bulk_create(
        (
            Image(
                study=study,
                key=f"i{n:06}",
                prompt=prompts[prompt],
                generator=generators[n % GENERATORS],
                variant=("original", "rewritten")[n // GENERATORS % 2],
                place=0,
            )
            for n, prompt in enumerate(of_prompt.tolist())
        ),
        batch_size=2000,
    )
    for rater in range(RATERS):
        person = Membership.objects.create(study=study, name=f"rater {rater}", simulated=True)
        said = np.where(rng.random(images) < 0.9, right, 1 - right).tolist()
        forms = Annotation.objects.bulk_create(
            (
                Annotation(
                    study=study, image=image, annotator=person, form=study.form, submitted_at=now
                )
                for image in made
            ),
            batch_size=2000,
        )
        Answer.objects.bulk_create(
            (
                Answer(annotation=form, question="aligned", value=value)
                for form, value in zip(forms, said, strict=True)
            ),
            batch_size=2000,
        )
    for number in range(JUDGES):
        judge = Judge.objects.create(
            fingerprint=f"bench-{number}",
            name=f"judge-{number}",
            method="Bench",
            method_version="1",
            engine="Bench",
            engine_version="1",
        )
        run = Run.objects.create(
            study=study, judge=judge, state="finished", expected=images, started_at=now
        )
        noise = rng.normal(size=images) * (1 + 0.2 * number)
        scores = (1 / (1 + np.exp(-(right + noise)))).tolist()
        Score.objects.bulk_create(
            (
                Score(run=run, image=image, value=value)
                for image, value in zip(made, scores, strict=True)
            ),
            batch_size=2000,
        )
    return study


if __name__ == "__main__":
    main()
