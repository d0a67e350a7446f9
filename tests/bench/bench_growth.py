"""Every page and every first page of the API, for studies of growing size.

    python -m tests.bench.bench_growth [--quick] [--postgres URL]     FULL=1: also 1,000,000 images

The addresses are those of the URL conf, so that a new page cannot be forgotten: one that nobody knows
how to open fails. Studies with ten answers an image (three from a million images) lie in one database, made
by bulk SQL. Printed are the processor milliseconds of this process for each size, the median of a few
calls by turns, and the exponent of their growth; with PostgreSQL, the time in which the database works
is not in them, and the clock's is printed beside. Pages that keep what they count are opened once more
after a label has changed, and what a worker needs to count it again stands below. Exit status 1 when a
page takes more than 1.5 times what it takes at 1,000 images and more than 50 ms.
"""

from __future__ import annotations

import argparse
import logging
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta

from tests.bench import bench_dashboards as dashboards

RATIO, LIMIT = 1.5, 0.050
ROUNDS = 5
KEPT = {"people", "disagreements", "study", "export", "form-edit", "leaderboard"}
# What is opened with something of the study, and what is no page of a study that grows.
LEFT_OUT = {
    "password-reset": "takes a link from a mail",
    "login-code": "takes a half-made log-in",
    "join": "takes an invitation",
    "crowd": "takes a crowd link",
    "logout": "ends the session",
    "known-answer-csv": "a file, which holds everything",
    "generator-csv": "a file, which holds everything",
    "decide-images": "a file, which holds everything",
    "export-file": "a file, which holds everything",
    "api-export": "a file, which holds everything",
    "report-file": "a file, drawn anew",
    "chart": "measured with the dashboards",
    "weight-check": "takes a check",
    "weight-check-file": "takes a check",
    "recipe-file": "takes a recipe",
    "delivery-piece": "takes an upload",
    "import-again": "takes an upload",
    "api-import": "takes an upload",
    "api-import-again": "takes an upload",
    "account-token-end": "takes a POST",
    "api-token-end": "takes a DELETE",
    "deletion-again": "takes a POST",
    "invitation-close": "takes a POST",
    "invitation-places": "takes a POST",
    "training-confirm": "takes a POST",
    "training-table": "a file, which holds everything",
    "repairs-say": "takes a POST",
    "self-check": "takes a check",
    "self-check-file": "takes a check",
    "known-answer-walk": "takes known answers",
    "flag-change": "takes a POST",
    "recipe-remove": "takes a POST",
    "api-recipe": "takes a recipe",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="1,000 and 10,000 images")
    arguments.add_argument("--postgres", default="postgres://postgres@127.0.0.1:5432/postgres")
    arguments.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.one:
        sizes = [1_000, 10_000] + ([] if asked.quick else [100_000])
        sizes += [1_000_000] if os.environ.get("FULL") and not asked.quick else []
        sys.exit(0 if dashboards.in_test_database(lambda: measure(sizes)) else 1)
    sys.exit(0 if dashboards.on_each_database(asked, "tests.bench.bench_growth") else 1)


def measure(sizes: list[int]) -> bool:
    from audit import counting
    from tests.hostile.routes import routes

    logging.disable(logging.WARNING)
    clients = {size: dashboards.build(size) for size in sizes}
    dashboards.analyze()
    print(f"{'page':<26}" + "".join(f"{size:>11,}" for size in sizes) + f"{'exponent':>10}  goal")
    met, unknown, kept = True, [], []
    gaps = {size: gaps_of(size) for size in sizes}
    for name, address in routes():
        if name in LEFT_OUT or name.startswith(("api-root", "schema")):
            continue
        pages = {size: filled(address, gaps[size]) for size in sizes}
        if any("<" in page for page in pages.values()):
            unknown.append(name)
            continue
        first = clients[sizes[0]].get(pages[sizes[0]])
        if first.status_code in (404, 405):
            continue  # takes a POST, or something that these studies do not have
        if name in KEPT:
            kept.append((name, pages))
        met &= row(name, clients, pages)
    for name, pages in kept:
        met &= row(f"{name}, after a label", clients, pages, before=a_label_has_changed)
    for size in sizes:
        began = time.process_time()
        a_label_has_changed(size)
        counting.keep(study=study_of(size))
        print(
            f"A worker counts {size:,} images again in {time.process_time() - began:.2f} s of CPU"
        )
    if unknown:
        print(f"Nobody says how to open: {', '.join(unknown)}")
    return met and not unknown


def row(
    name: str, clients, pages: dict[int, str], before: Callable[[int], None] | None = None
) -> bool:
    spent: dict[int, list[tuple[float, float]]] = {size: [] for size in pages}
    for _ in range(ROUNDS + 1):
        for size, page in pages.items():
            if before:
                before(size)
            cpu, clock = time.process_time(), time.perf_counter()
            answer = clients[size].get(page)
            if answer.streaming:
                b"".join(answer.streaming_content)
            spent[size].append((time.process_time() - cpu, time.perf_counter() - clock))
    sizes = list(pages)
    cpu = [statistics.median(one for one, _ in spent[size][1:]) for size in sizes]
    clock = statistics.median(one for _, one in spent[sizes[-1]][1:])
    exponent = math.log(max(cpu[-1], 1e-4) / max(cpu[0], 1e-4)) / math.log(sizes[-1] / sizes[0])
    good = all(one <= RATIO * cpu[0] or one <= LIMIT for one in cpu)
    print(
        f"{name:<26}"
        + "".join(f"{1000 * one:>8.1f} ms" for one in cpu)
        + f"{exponent:>10.2f}  {'met' if good else 'MISSED'}  (clock {1000 * clock:.0f} ms)",
        flush=True,
    )
    return good


def a_label_has_changed(size: int) -> None:
    """Long after the last counting, with a worker that comes soon."""
    from django.utils import timezone

    from annotations.models import Kept
    from audit.models import Making
    from audit.reports import freshness

    study = study_of(size)
    Kept.objects.filter(study=study).update(made_at=timezone.now() - timedelta(days=1))
    Making.objects.filter(study=study).update(asked_at=timezone.now())
    freshness.changed(study.pk)


def filled(address: str, gaps: dict[str, object]) -> str:
    for gap, value in gaps.items():
        address = address.replace(gap, str(value))
    return f"/{address}"


def study_of(size: int):
    from annotations.models import Study

    return Study.objects.get(slug=f"bench-{size}")


def gaps_of(size: int) -> dict[str, object]:
    """Something of the study for each gap in an address."""
    study = study_of(size)
    image = study.images.order_by("pk").first()
    run = study.runs.order_by("pk").first()
    report = study.reports.first()
    member = study.memberships.filter(role="annotator").order_by("pk").first()
    return {
        "<slug:slug>": study.slug,
        "<slug:public_id>": image.public_id,
        "<int:member_id>": member.pk,
        "<int:run_id>": run.pk,
        "<int:report_id>": report.pk,
        "<int:prompt_id>": image.prompt_id,
        "<slug:key>": "aligned",
        "<slug:name>": "slices",
        "<slug:kind>": "csv",
        "<str:judge>": "geneval-builtin",
    }


if __name__ == "__main__":
    main()
