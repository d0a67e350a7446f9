"""Every page and every first page of the API, for studies of growing size.

    python -m tests.bench.bench_growth [--quick] [--postgres URL]     FULL=1: also 1,000,000 images

The addresses are those of the URL conf, so that a new page cannot be forgotten: one that nobody knows
how to open fails. Studies with ten answers an image (three from a million images), a pair with three votes
for each prompt and findings to repair lie in one database, made by bulk SQL. Each page is opened once, and what
it asks of a worker is made, before anything is measured. Printed are the processor milliseconds of this process
for each size, compression among them, the median of a few calls by turns, the exponent of their growth and the
kilobytes that go out; with PostgreSQL, the time in which the database works is not in them, and the clock's is
printed beside. Pages that keep what they count are opened once more after a label has changed, and what a worker
needs to count it again stands below. Exit status 1 when a page takes more than 50 ms, or more than 1.5 times what
it takes at 1,000 images (and 3 ms more, below which it is the clock that one measures).
"""

from __future__ import annotations

import argparse
import gzip
import html
import logging
import math
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta

from tests.bench import bench_dashboards as dashboards
from tests.bench.sizes import SMALL, reached, sized

RATIO, LIMIT, FLOOR = 1.5, 0.050, 0.003
ROUNDS = sized(5, 1)
POLL = {"HTTP_HX_REQUEST": "true"}
# The page of drift with all of its charts, opened again.
WHOLE_LIMIT, WHOLE_KB = 0.060, 15
KEPT = {"people", "disagreements", "study", "export", "form-edit", "leaderboard"}
# What is opened with something of the study, and what is no page of a study that grows.
LEFT_OUT = {
    "password-reset": "takes a link from a mail",
    "login-code": "takes a half-made log-in",
    "join": "takes an invitation",
    "crowd": "takes a crowd link",
    "account-email-confirm": "takes a link from a mail",
    "logout": "ends the session",
    "known-answer-csv": "a file, which holds everything",
    "generator-csv": "a file, which holds everything",
    "decide-images": "a file, which holds everything",
    "export-file": "a file, which holds everything",
    "export-records": "a file, which holds everything",
    "api-export": "a file, which holds everything",
    "api-records": "a file, which holds everything",
    "report-file": "a file, drawn anew",
    "leaderboard-file": "a file, drawn anew",
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
    "comment-delete": "takes a comment",
    "self-check": "takes a check",
    "self-check-file": "takes a check",
    "known-answer-walk": "takes gold questions",
    "flag-change": "takes a POST",
    "model-server-try": "takes a POST",
    "model-server-remove": "takes a POST",
    "prompt-parts-save": "takes a POST",
    "recipe-remove": "takes a POST",
    "api-recipe": "takes a recipe",
    "api-nothing": "is no page",
    "question-chart": "takes times of answers",
}
# Where a gap stands for something else than on most pages.
OTHERWISE: dict[str, dict[str, object]] = {
    "chart": {"<slug:name>": "drift", "<slug:kind>": "json"},
    "drift-chart": {"<slug:kind>": "json"},
    "people-chart": {"<slug:chart>": "others", "<slug:kind>": "json"},
    "why-chart": {"<slug:kind>": "json"},
    "leaderboard-chart": {"<slug:chart>": "standing", "<slug:kind>": "json"},
    "pairs-file": {"<slug:name>": "nothing"},
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="1,000 and 10,000 images")
    arguments.add_argument("--postgres", default="postgres://postgres@127.0.0.1:5432/postgres")
    arguments.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.one:
        sizes = sized([1_000, 10_000], [240, 480]) + ([] if asked.quick or SMALL else [100_000])
        sizes += [1_000_000] if os.environ.get("FULL") and not asked.quick else []
        sys.exit(0 if dashboards.in_test_database(lambda: measure(sizes)) else 1)
    sys.exit(0 if dashboards.on_each_database(asked, "tests.bench.bench_growth") else 1)


def measure(sizes: list[int]) -> bool:
    from audit.answers import worker
    from tests import making

    logging.disable(logging.WARNING)
    clients = {size: dashboards.build(size) for size in sizes}
    for client in clients.values():
        client.defaults["HTTP_ACCEPT_ENCODING"] = "gzip"
    for size in sizes:
        add_pairs(size)
        add_findings(size)
    dashboards.analyze()
    pages, unknown = pages_of(sizes)
    opened = {
        name: at
        for name, at in pages.items()
        # Else it takes a POST, or something that these studies do not have.
        if clients[sizes[0]].get(at[sizes[0]]).status_code not in (404, 405)
    }
    for size in sizes:
        for name, at in opened.items():
            began = time.process_time()
            clients[size].get(at[size])
            if size == sizes[-1]:
                print(f"{name}, cold: {1000 * (time.process_time() - began):.0f} ms")
        clients[size].get(opened["pairs"][size], **POLL)
        what_a_worker_makes(size)
    for name, at in opened.items():
        for size in sizes:
            answer = clients[size].get(at[size])
            assert answer.status_code < 400, (name, size, answer.status_code)
    for size in sizes:
        # A page that waited for its questions asks for its numbers only now.
        what_a_worker_makes(size)
    print(
        f"{'page':<26}"
        + "".join(f"{size:>11,}" for size in sizes)
        + f"{'exponent':>10}{'sent':>10}  goal"
    )
    met = True
    for name, at in opened.items():
        met &= row(name, clients, at)
    for name in sorted(KEPT & opened.keys()):
        met &= row(f"{name}, after a label", clients, opened[name], before=a_label_has_changed)
    met &= row("pairs, its numbers", clients, opened["pairs"], headers=POLL)
    met &= drift_with_its_charts(clients)
    judge_runs(sizes)
    for name in ("judge", "runs"):
        polled = {"headers": POLL, "seen": seen(clients, opened[name])}
        met &= row(f"{name}, polled in a run", clients, opened[name], **polled)
    for size in sizes:
        began = time.process_time()
        a_label_has_changed(size)
        worker.request_due_answers()
        making.compute_waiting_answers()
        print(
            f"A worker counts {size:,} images again in {time.process_time() - began:.2f} s of CPU"
        )
    if unknown:
        print(f"Nobody says how to open: {', '.join(unknown)}")
    return met and not unknown


def pages_of(sizes: list[int]) -> tuple[dict[str, dict[int, str]], list[str]]:
    """The addresses of each page by size, and the pages that nobody knows how to open."""
    from tests.hostile.routes import routes

    gaps = {size: gaps_of(size) for size in sizes}
    pages, unknown = {}, []
    for name, address in routes():
        if name in LEFT_OUT or name.startswith(("api-root", "schema")):
            continue
        at = {size: filled(address, gaps[size] | OTHERWISE.get(name, {})) for size in sizes}
        if any("<" in page for page in at.values()):
            unknown.append(name)
        else:
            pages[name] = at
    return pages, unknown


def row(
    name: str,
    clients,
    pages: dict[int, str],
    before: Callable[[int], None] | None = None,
    headers: dict[str, str] | None = None,
    seen: dict[int, dict[str, str]] | None = None,
) -> bool:
    spent: dict[int, list[tuple[float, float]]] = {size: [] for size in pages}
    sent = 0
    for _ in range(ROUNDS + 1):
        for size, page in pages.items():
            if before:
                before(size)
            asked = {**(headers or {}), **(seen or {}).get(size, {})}
            cpu, clock = time.process_time(), time.perf_counter()
            sent = weight(clients[size].get(page, **asked))
            spent[size].append((time.process_time() - cpu, time.perf_counter() - clock))
    cpu = [statistics.median(one for one, _ in spent[size][1:]) for size in pages]
    clock = statistics.median(one for _, one in spent[list(pages)[-1]][1:])
    return line(name, list(pages), cpu, clock, sent)


def line(name: str, sizes: list[int], cpu: list[float], clock: float, sent: int) -> bool:
    exponent = math.log(max(cpu[-1], 1e-4) / max(cpu[0], 1e-4)) / math.log(sizes[-1] / sizes[0])
    most = max(cpu)
    lacking = []
    if most > LIMIT:
        lacking.append(f"{1000 * (most - LIMIT):.0f} ms above {1000 * LIMIT:.0f}")
    if most > RATIO * cpu[0] and most > cpu[0] + FLOOR:
        lacking.append(f"{most / cpu[0]:.1f} x its smallest study")
    print(
        f"{name:<26}"
        + "".join(f"{1000 * one:>8.1f} ms" for one in cpu)
        + f"{exponent:>10.2f}{sent / 1000:>7.1f} kB  "
        + (f"MISSED: {', '.join(lacking)}" if lacking else "met")
        + f"  (clock {1000 * clock:.0f} ms)",
        flush=True,
    )
    return reached(not lacking)


def weight(answer) -> int:
    """The bytes that go out."""
    if answer.streaming:
        return len(b"".join(answer.streaming_content))
    return len(answer.content)


def drift_with_its_charts(clients) -> bool:
    """The whole page as a browser loads it that has been there before: goal 60 ms and 15 kB."""
    sizes, spent, clocks, sent = list(clients), [], 0.0, 0
    for size, client in clients.items():
        times = []
        page = f"/studies/bench-{size}/audit/judge/"
        for _ in range(ROUNDS + 1):
            cpu, clock = time.process_time(), time.perf_counter()
            answer = client.get(page)
            sent = weight(answer)
            cpu_of_page = time.process_time() - cpu
            specs = re.findall(r'data-spec="([^"]+)"', gzip.decompress(answer.content).decode())
            assert specs
            cpu = time.process_time()
            sent += sum(weight(client.get(html.unescape(spec))) for spec in specs)
            times.append((cpu_of_page + time.process_time() - cpu, time.perf_counter() - clock))
        spent.append(statistics.median(one for one, _ in times[1:]))
        clocks = statistics.median(one for _, one in times[1:])
    good = line("drift with its charts", sizes, spent, clocks, sent)
    return reached(good and max(spent) <= WHOLE_LIMIT and sent <= 1000 * WHOLE_KB)


def judge_runs(sizes: list[int]) -> None:
    """A judge is half-way through each study."""
    from judges.models import Run

    for size in sizes:
        run = Run.objects.filter(study=study_of(size)).order_by("pk").last()
        Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)


def seen(clients, pages: dict[int, str]) -> dict[int, dict[str, str]]:
    """What each page sends with a poll, where it says what it has seen."""
    found = {}
    for size, page in pages.items():
        text = gzip.decompress(clients[size].get(page).content).decode()
        said = re.search(r'"X-Seen": "(\w+)"', text)
        found[size] = {"HTTP_X_SEEN": said[1]} if said else {}
    return found


def add_pairs(size: int) -> None:
    """One of each prompt, with three votes."""
    from django.db.models import Max, Min
    from django.utils import timezone

    from annotations.models import Image, Membership, Pair, PairPlan, PairVote

    study = study_of(size)
    PairPlan.objects.create(study=study)
    ends = (
        Image.objects.filter(study=study)
        .order_by()
        .values_list("prompt")
        .annotate(first=Min("pk"), second=Max("pk"))
    )
    Pair.objects.bulk_create(
        (
            Pair(
                study=study,
                prompt_id=prompt,
                first_id=first,
                second_id=second,
                key=f"pair-{first}",
                place=number,
                taken=3,
            )
            for number, (prompt, first, second) in enumerate(ends)
        ),
        batch_size=2000,
    )
    people = list(Membership.objects.filter(study=study, simulated=True).order_by("pk")[:3])
    said, now = ("first", "second", "both"), timezone.now()
    PairVote.objects.bulk_create(
        (
            PairVote(
                study=study,
                pair_id=pk,
                annotator=person,
                question="match",
                value=said[(pk + number * pk // 3) % 3],
                left="first" if (pk + number) % 2 else "second",
                submitted_at=now,
            )
            for pk in Pair.objects.filter(study=study).values_list("pk", flat=True)
            for number, person in enumerate(people)
        ),
        batch_size=2000,
    )


def add_findings(size: int) -> None:
    """On every twentieth image, a third of them confirmed."""
    from annotations.models import Image
    from audit.models import Finding

    study = study_of(size)
    states = Finding.State.values
    images = Image.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    Finding.objects.bulk_create(
        (
            Finding(study=study, image_id=pk, wanted="two cats", found="a cat", state=states[n % 3])
            for n, pk in enumerate(images[::20])
        ),
        batch_size=2000,
    )


def what_a_worker_makes(size: int) -> None:
    """Of what the pages have asked for; what each kind took."""
    from annotations import jobs
    from annotations.models import StoredAnswer
    from audit.answers import worker  # noqa: F401 – the kind of job

    for row in StoredAnswer.objects.filter(study=study_of(size), job__state="waiting"):
        began = time.process_time()
        jobs.run(row.job_id)
        spent = time.process_time() - began
        row.refresh_from_db()
        assert row.content, f"{row.question}: {row.reason}"
        if size > 1_000:
            print(f"A worker computes “{row.question}” of {size:,} images in {spent:.1f} s")


def a_label_has_changed(size: int) -> None:
    """Long after the last counting, with a worker that comes soon."""
    from django.utils import timezone

    from annotations.models import StoredAnswer
    from annotations.versions import raise_labels_version

    study = study_of(size)
    StoredAnswer.objects.filter(study=study).update(computed_at=timezone.now() - timedelta(days=1))
    raise_labels_version(study.pk)


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
        "<path:image_id>": image.key,
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
