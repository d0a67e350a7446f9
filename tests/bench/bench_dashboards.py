"""Opening the audit's pages: a study of 100,000 images and 1,000,000 answers beside one of 1,000.

    python -m tests.bench.bench_dashboards [--quick] [--postgres URL]

Both studies lie in one database, made by bulk SQL; the report of each is computed by the same code
from a sample and stored with its packed columns at full size, since the time of a worker is not
what is measured here. Each page is opened through the whole stack of Django (middleware, session,
templates), whole and as a poll; the median is printed with its ratio to the small study and the
number of queries of both. Exit status 1 when a goal is missed: 300 ms, equal queries and, for pages
that read a stored report, ratio 2. What searches or counts images may take longer where there are
a hundred times as many.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.sizes import reached, sized

FEW = sized(1_000, 240)
GENERATORS = 8
RATERS = 10
RATERS_OF_A_MILLION = 3
LIMIT, RATIO = 0.300, 2.0
# Below this, a ratio measures the clock.
FLOOR = 0.005
SEARCHES = ("data", "export")
PAGES = (
    ("home", {}),
    ("summary", {}),
    ("judge", {}),
    ("side-by-side", {}),
    ("slices", {}),
    ("gallery", {}),
    ("gallery", {"generator": "2", "side": "strict"}),
    ("judge", {}),
    ("agreement", {}),
    ("papers", {}),
    ("reports", {}),
    ("data", {}),
    ("data", {"page": "500"}),
    ("data", {"q": "prompt 12"}),
    ("data", {"tag": "tag 3"}),
    ("data", {"generator": "generator 2"}),
    ("data", {"variant": "original"}),
    ("data", {"flag": "any"}),
    ("data", {"labels": "none"}),
    ("data", {"labels": "enough"}),
    ("data", {"answer": "aligned:yes"}),
    ("data", {"split": "any"}),
    ("data", {"known": "no"}),
    ("data", {"judge": "judge-0", "least": "0.2", "most": "0.4"}),
    ("data", {"judge": "judge-0", "sort": "-score"}),
    ("data", {"sort": "-split"}),
    ("data", {"prompt": "p000007"}),
    ("export", {}),
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="10,000 images, 100,000 answers")
    arguments.add_argument("--postgres", default="postgres://postgres@127.0.0.1:5432/postgres")
    arguments.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.one:
        large, rounds = sized((10_000, 9) if asked.quick else (100_000, 15), (480, 1))
        sys.exit(0 if in_test_database(lambda: _measure(large, rounds)) else 1)
    sys.exit(0 if on_each_database(asked, "tests.bench.bench_dashboards") else 1)


def on_each_database(asked, module: str) -> bool:
    """Runs the module again as a child, `--one`, on SQLite and, where a server answers, PostgreSQL;
    `--postgres ''` leaves that out."""
    met = [_child(asked, module, "SQLite", "")]
    if asked.postgres and _answers(asked.postgres):
        met.append(_child(asked, module, "PostgreSQL", asked.postgres))
    else:
        print("PostgreSQL: left out" + ": no server answers" * bool(asked.postgres))
    return all(met)


def _child(asked, module: str, name: str, url: str) -> bool:
    """A process of its own, with a database of its own that goes with it."""
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        environment = {
            **os.environ,
            "JURYBOX_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        }
        environment.pop("DATABASE_URL", None)
        if url:
            environment["DATABASE_URL"] = url
        print(f"\n{name}", flush=True)
        command = [sys.executable, "-m", module, "--one"]
        command += ["--quick"] if asked.quick else []
        return subprocess.run(command, env=environment, check=False).returncode == 0


def _answers(url: str) -> bool:
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def in_test_database(measured: Callable[[], bool]) -> bool:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings
    from django.db import connection
    from django.test.utils import get_runner, setup_test_environment

    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
    setup_test_environment()
    if connection.vendor == "postgresql":
        # A name of its own: tests may be running on this server.
        connection.settings_dict["TEST"]["NAME"] = f"jurybox_bench_{os.getpid()}"
    runner = get_runner(settings)(verbosity=0, interactive=False)
    old = runner.setup_databases()
    try:
        return measured()
    finally:
        runner.teardown_databases(old)


def analyze() -> None:
    from django.db import connection

    # What the server does by itself where rows come one at a time.
    vacuum = "VACUUM " if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"{vacuum}ANALYZE")


def _measure(large: int, rounds: int) -> bool:
    began = time.perf_counter()
    clients = {size: build(size) for size in (FEW, large)}
    analyze()
    print(
        f"{large:,} images, {large * RATERS:,} answers, {2 * large:,} scores; "
        f"built in {time.perf_counter() - began:.0f} s",
        flush=True,
    )
    print(f"{'page':<34}{FEW:>9,}{large:>10,}{'ratio':>8}{'queries':>10}  goal")
    met = True
    for name, query in PAGES:
        for kind, headers in (("", {}), (" (poll)", {"HTTP_HX_REQUEST": "true"})):
            if kind and (name in ("home", *SEARCHES) or query):
                continue
            opened = [
                Opened(clients[size], size, name, query, headers, poll=bool(kind))
                for size in (FEW, large)
            ]
            # By turns, so that a busy moment of the machine meets both.
            for _ in range(rounds):
                for one in opened:
                    one.time()
            small, big = (one.median for one in opened)
            few, many = (one.queries for one in opened)
            ratio = big / small
            flat = name in SEARCHES or ratio <= RATIO or big < FLOOR
            good = big < LIMIT and flat and few == many
            met &= reached(good)
            asked = " ".join(f"{key}={value}" for key, value in query.items())
            words = f"{name} {asked}".strip() + kind
            print(
                f"{words:<34}{1000 * small:>6.1f} ms{1000 * big:>7.1f} ms{ratio:>8.2f}"
                f"{few:>6}/{many:<4} {'met' if good else 'MISSED'}",
                flush=True,
            )
    return met


class Opened:
    """One address of one study; a poll sends what it has seen, as the page does."""

    def __init__(self, client, size: int, name: str, query, headers, *, poll: bool) -> None:
        from django.db import connection
        from django.urls import reverse

        self.client, self.query, self.headers = client, query, headers
        self.address = reverse(name, args=[] if name == "home" else [f"bench-{size}"])
        self.expected = 200
        if poll:
            page = self.open().content.decode()
            seen = re.search(r'"X-Seen": "(\w+)"', page)[1]
            self.headers, self.expected = {**headers, "HTTP_X_SEEN": seen}, 204
        self.times: list[float] = []
        self.queries = 0
        with connection.execute_wrapper(self._counted):
            self.open()

    def open(self):
        response = self.client.get(self.address, self.query, **self.headers)
        assert response.status_code == self.expected
        return response

    def time(self) -> None:
        began = time.perf_counter()
        self.open()
        self.times.append(time.perf_counter() - began)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    def _counted(self, execute, *statement):
        self.queries += 1
        return execute(*statement)


def build(size: int):
    """A study of `size` images, all rows by bulk SQL, and a person who may see it."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from annotations.forms.versions import publish_form
    from annotations.models import Membership, Study
    from audit.images import tally
    from jurybox_formats.forms.papers import geneval_audit

    study = Study.objects.create(
        slug=f"bench-{size}",
        title="Bench",
        form=publish_form(geneval_audit.FORM),
        overlap=RATERS if size < 1_000_000 else RATERS_OF_A_MILLION,
    )
    user = get_user_model().objects.create(username=f"owner-{size}")
    Membership.objects.create(study=study, user=user, name="owner", role="owner")
    _images(study, size)
    _answers_of(study)
    for number in range(2):
        _scores(study, number)
    _report(study)
    tally.update_rows(study)
    client = Client()
    client.force_login(user)
    return client


def _images(study, size: int) -> None:
    from datetime import date

    from annotations.models import Generator, Image, Prompt
    from annotations.models.image import count_images
    from tests.bench.sql_rows import insert

    prompts = Prompt.objects.bulk_create(
        [
            Prompt(
                study=study,
                key=f"p{n:06}",
                text=f"prompt {n}",
                tags=[f"tag {n % 6}"],
                atomicity=3 + n % 8,
            )
            for n in range(size // GENERATORS)
        ],
        batch_size=2000,
    )
    generators = Generator.objects.bulk_create(
        [
            Generator(study=study, name=f"generator {n}", release_date=date(2018 + n, 1, 1))
            for n in range(GENERATORS)
        ]
    )
    insert(
        Image,
        "annotations_prompt AS prompt JOIN annotations_generator AS generator"
        f" ON generator.study_id = prompt.study_id WHERE prompt.study_id = {study.pk}",
        study_id=str(study.pk),
        prompt_id="prompt.id",
        generator_id="generator.id",
        key=f"prompt.key || '-' || (generator.id - {generators[0].pk})",
        public_id="'bench-' || prompt.id || '-' || generator.id",
        taken=str(study.overlap),
    )
    count_images(dict.fromkeys((generator.pk for generator in generators), len(prompts)))


def _answers_of(study) -> None:
    from annotations.models import Annotation, Answer, Membership
    from tests.bench.sql_rows import insert

    people = Membership.objects.bulk_create(
        [Membership(study=study, name=f"rater {n}", simulated=True) for n in range(study.overlap)]
    )
    for person in people:
        insert(
            Annotation,
            f"annotations_image WHERE study_id = {study.pk}",
            study_id=str(study.pk),
            image_id="id",
            annotator_id=str(person.pk),
            form_id=str(study.form_id),
        )
    insert(
        Answer,
        f"annotations_annotation WHERE study_id = {study.pk}",
        annotation_id="id",
        question="'aligned'",
        value="CAST((image_id + id %% 7) %% 2 AS real)",
    )


def _scores(study, number: int) -> None:
    from django.utils import timezone

    from judges.models import Judge, Run, Score
    from judges.runs import counts
    from tests.bench.sql_rows import insert

    judge, _ = Judge.objects.get_or_create(
        fingerprint=f"bench-{number}",
        defaults={
            "name": f"judge-{number}",
            "method": "Bench",
            "method_version": "1",
            "engine": "Bench",
            "engine_version": "1",
        },
    )
    run = Run.objects.create(
        study=study,
        judge=judge,
        state="finished",
        in_peoples_unit=True,
        expected=study.images.count(),
        started_at=timezone.now(),
    )
    insert(
        Score,
        f"annotations_image WHERE study_id = {study.pk}",
        run_id=str(run.pk),
        image_id="id",
        value="id * 7919 %% 1000 / 1000.0",
    )
    counts.recount(run.pk)


def _report(study) -> None:
    """The body from the first 1,000 images, the columns over all of them."""
    import numpy as np

    from annotations.versions import start_reading_labels
    from audit.models import PackedNumbers, Report
    from audit.people import agreement
    from audit.reports import gallery, pairing, summary
    from audit.reports import make as reports
    from audit.reports.pairing import pair
    from audit.reports.reference import Reference

    seen = start_reading_labels(study.pk)
    paired = pair(study=study, question="aligned")
    whole = paired.people
    few = slice(0, FEW)
    sample = _cut(paired, few)
    original, pairing.pair = pairing.pair, lambda **_: sample
    try:
        options = reports.Options(resamples=100)
        body, digest = reports.compute(study, options)
    finally:
        pairing.pair = original
    report = Report.objects.create(
        study=study,
        body=body,
        summary=summary.summarize_body(body),
        data=digest,
        stamp=seen,
        seconds=1.0,
    )
    from audit.reports.one_judge import JudgeReport

    reference = Reference.from_people(whole, options)
    series = {
        judge.name: JudgeReport(paired, judge, reference, options).series for judge in paired.judges
    }
    gallery.keep(report, gallery.packed(study.pk, paired, reference, series))
    began = time.process_time()
    agreement.body_of(study)
    print(
        f"people of {len(whole.images):,} images held against each other by a worker in "
        f"{time.process_time() - began:.1f} s of CPU",
        flush=True,
    )
    assert PackedNumbers.objects.filter(report=report, name__startswith="judge ").count() == 2
    assert np.isfinite(next(iter(series.values())).score).all()


def _cut(paired, part: slice):
    """The same series over fewer images."""
    from dataclasses import replace

    people = paired.people
    shorter = replace(
        people,
        images=people.images[part],
        prompts=people.prompts[part],
        generators=people.generators[part],
        variants=people.variants[part],
        tags=people.tags[part],
        atomicity=people.atomicity[part],
        ratings=people.ratings[:, part],
    )
    judges = tuple(
        replace(
            judge,
            scores=judge.scores[part],
            verdicts=judge.verdicts[part],
            failed=judge.failed[part],
        )
        for judge in paired.judges
    )
    return replace(paired, people=shorter, judges=judges)


if __name__ == "__main__":
    main()
