"""The report of a large study, and what a second one costs: `python -m tests.bench.large_report PROMPTS`
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
from pathlib import Path
from typing import Any

from tests.bench.whole_report import database_of_its_own

NEW_LABELS = 100


def main() -> None:
    with database_of_its_own():
        print(json.dumps(measure(int(sys.argv[1]))))


def measure(prompts: int) -> dict[str, Any]:
    from audit.reports import make as reports
    from tests.large_study import large_study

    study = large_study(prompts=prompts)
    found: dict[str, Any] = {"images": study.images.count()}
    for name in ("first", "unchanged", "after"):
        if name == "after":
            label_again(study)
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


def label_again(study: Any) -> None:
    """One more person answers for a hundred images from all over the study."""
    import numpy as np
    from django.utils import timezone

    from annotations.models import Annotation, Answer, Membership

    rng = np.random.default_rng(1)
    person = Membership.objects.create(study=study, name="one more", simulated=True)
    images = list(study.images.order_by("key"))
    for place in rng.choice(len(images), NEW_LABELS, replace=False).tolist():
        given = Annotation.objects.create(
            study=study,
            image=images[place],
            annotator=person,
            form=study.form,
            submitted_at=timezone.now(),
        )
        Answer.objects.create(annotation=given, question="aligned", value=int(rng.integers(2)))


def cpu() -> float:
    parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in parts)


def forget_peak() -> None:
    """The peak of building the study is none of the report's."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


if __name__ == "__main__":
    main()
