"""The report of a large study, and what further ones cost: `python -m tests.bench.large_report PROMPTS`
prints one line.

Twelve judges, eight generators and sixty tags (`tests.large_study`); of PROMPTS prompts each generator
has one image. What is measured is `make_report`, from reading the rows to the stored report: processor
seconds of this process and its children, and its peak memory.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

from tests.bench.whole_report import database_of_its_own, forget_peak, peak

NEW_LABELS = {"after": 100, "one": 1}


def main() -> None:
    with database_of_its_own():
        print(json.dumps(measure(int(sys.argv[1]))))


def measure(prompts: int) -> dict[str, Any]:
    from audit.reports import make as reports
    from tests.large_study import large_study

    study = large_study(prompts=prompts)
    found: dict[str, Any] = {"images": study.images.count()}
    for name in ("first", "unchanged", "judge", "after", "one"):
        if name == "judge":
            judge_again(study)
        if name in NEW_LABELS:
            label_again(study, NEW_LABELS[name])
        forget_peak()
        began, wall = cpu(), time.perf_counter()
        report = reports.make_report(study=study)
        found[name] = {
            "cpu": cpu() - began,
            "wall": time.perf_counter() - wall,
            "peak": peak(),
            "report": report.pk,
        }
    return found


def label_again(study: Any, answers: int) -> None:
    """One more person answers for so many images from all over the study."""
    import numpy as np
    from django.utils import timezone

    from annotations.models import Annotation, Answer, Membership

    rng = np.random.default_rng(1)
    person = Membership.objects.create(study=study, name=f"{answers} more", simulated=True)
    images = list(study.images.order_by("key"))
    for place in rng.choice(len(images), answers, replace=False).tolist():
        given = Annotation.objects.create(
            study=study,
            image=images[place],
            annotator=person,
            form=study.form,
            submitted_at=timezone.now(),
        )
        Answer.objects.create(annotation=given, question="aligned", value=int(rng.integers(2)))


def judge_again(study: Any) -> None:
    """One more judge, that says otherwise than the first about a tenth of the images."""
    from django.utils import timezone

    from annotations.versions import raise_labels_version
    from judges.models import Judge, Run, Score
    from judges.runs import counts

    first = study.runs.order_by("pk").first()
    judge = Judge.objects.create(
        fingerprint="one-more",
        name="one-more",
        method="Large",
        method_version="1",
        engine="Large",
        engine_version="1",
    )
    run = Run.objects.create(
        study=study,
        judge=judge,
        state="finished",
        in_peoples_unit=True,
        expected=first.expected,
        started_at=timezone.now(),
    )
    said = first.scores.order_by("image_id").values_list("image_id", "value")
    Score.objects.bulk_create(
        (
            Score(run=run, image_id=image, value=abs(value - (place % 10 == 0)))
            for place, (image, value) in enumerate(said)
        ),
        batch_size=2000,
    )
    counts.recount(run.pk)
    raise_labels_version(study.pk)


def cpu() -> float:
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


if __name__ == "__main__":
    main()
