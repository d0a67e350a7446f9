"""The app's own report, end to end: `python -m tests.bench.whole_report IMAGES [PROMPTS]` prints one line.

A study with five judges and eight generators lies in a database of its own; what is measured is
`make_report`, from reading the rows to the stored report: processor time of this process, and its peak
memory, the interpreter's included.
"""

from __future__ import annotations

import json
import os
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
    forget_peak()
    cpu, wall = time.process_time(), time.perf_counter()
    report = reports.make_report(study=study)
    cuts = ("by_generator", "by_tag", "by_atomicity", "by_variant")
    return {
        "images": images,
        "prompts": prompts,
        "MiB": peak() // 2**20,
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "pairing": sum(times),
        "slices": sum(
            1 + sum(len(judge[cut]) for cut in cuts) for judge in report.body["judges"].values()
        ),
    }


def forget_peak() -> None:
    """The peak of building the study is none of the report's."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def build(images: int, prompts_n: int = PROMPTS):
    from datetime import date
    from itertools import repeat

    import numpy as np
    from django.db import connection, transaction
    from django.utils import timezone

    from annotations.database.bulk import insert, next_ids
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
    from jurybox_formats.forms.papers import geneval_audit

    def made(model, size, **columns):
        """Rows of these columns, each a list or one value for all; what is not named has its default."""
        pks = next_ids(model, size)
        fields = {"id": pks}
        for field in model._meta.concrete_fields:
            given = columns.pop(field.name, None)
            if isinstance(given, list | Iterator):
                fields[field.name] = given
            elif not field.primary_key:
                value = field.get_default() if given is None else given
                value = now if value is None and getattr(field, "auto_now_add", False) else value
                if field.is_relation and value is not None:
                    value = value.pk
                stored = field.get_db_prep_save(value, connection=connection)
                fields[field.name] = repeat(stored, size)
        assert not columns, f"{model.__name__} has no {', '.join(columns)}"
        insert(model, list(fields), zip(*fields.values(), strict=True))
        return pks

    rng = np.random.default_rng(3)
    now = timezone.now()
    study = Study.objects.create(
        slug="bench", title="Bench", form=publish_form(geneval_audit.FORM), overlap=RATERS
    )
    generators = [
        Generator.objects.create(
            study=study, name=f"generator {n}", release_date=date(2018 + n, 1, 1)
        ).pk
        for n in range(GENERATORS)
    ]
    of_prompt = rng.integers(0, prompts_n, images)
    right = (rng.normal(size=prompts_n)[of_prompt] + rng.normal(size=images) > -0.3).astype(int)
    with transaction.atomic():
        prompts = made(
            Prompt,
            prompts_n,
            study=study,
            key=(f"p{n:04}" for n in range(prompts_n)),
            text=(f"prompt {n}" for n in range(prompts_n)),
            tags=(f'["tag {n % 5}"]' for n in range(prompts_n)),
            atomicity=(n % 8 for n in range(prompts_n)),
        )
        shown = made(
            Image,
            images,
            study=study,
            key=(f"i{n:06}" for n in range(images)),
            public_id=(f"i{n:06}" for n in range(images)),
            prompt=(prompts[n] for n in of_prompt.tolist()),
            generator=(generators[n % GENERATORS] for n in range(images)),
            variant=(("original", "rewritten")[n // GENERATORS % 2] for n in range(images)),
        )
        for rater in range(RATERS):
            person = Membership.objects.create(study=study, name=f"rater {rater}", simulated=True)
            said = np.where(rng.random(images) < 0.9, right, 1 - right).tolist()
            forms = made(
                Annotation,
                images,
                study=study,
                image=shown,
                annotator=person,
                form=study.form,
                submission=(f"{rater:02x}{n:030x}" for n in range(images)),
                submitted_at=now,
            )
            made(Answer, images, annotation=forms, question="aligned", value=said)
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
                study=study,
                judge=judge,
                state="finished",
                in_peoples_unit=True,
                expected=images,
                started_at=now,
            )
            noise = rng.normal(size=images) * (1 + 0.2 * number)
            scores = (1 / (1 + np.exp(-(right + noise)))).tolist()
            made(Score, images, run=run, image=shown, value=scores)
    return study


if __name__ == "__main__":
    main()
