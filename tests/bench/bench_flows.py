"""Rows in, labels out, runs: each goal beside what it was, on SQLite and PostgreSQL.

    python -m tests.bench.bench_flows [--quick] [--rows N] [--postgres URL]     FULL=1: 1,000,000 rows

Counted is processor time: of this process and, with PostgreSQL, of the server's process that works for
it. Everything is a stream, so what a million takes is read off fewer rows in proportion. An export runs
in a process of its own, for its memory. The judges of the runs do nothing, or name seven atoms right:
what is left is the work around a judge.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.bench import bench_dashboards as dashboards
from tests.bench.sizes import reached, sized

IMAGES_A_PROMPT = 8
QUESTIONS = ("aligned", "quality", "likert", "mood", "taste")
MILLION = 1_000_000


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="20,000 rows")
    arguments.add_argument("--rows", type=int, default=sized(200_000, 300))
    arguments.add_argument("--postgres", default="postgres://postgres@127.0.0.1:5432/postgres")
    arguments.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = arguments.parse_args()
    if asked.one:
        rows = int(os.environ["BENCH_ROWS"])
        sys.exit(0 if dashboards.in_test_database(lambda: measure(rows)) else 1)
    rows = 20_000 if asked.quick else MILLION if os.environ.get("FULL") else asked.rows
    os.environ["BENCH_ROWS"] = str(rows)
    sys.exit(0 if dashboards.on_each_database(asked, "tests.bench.bench_flows") else 1)


def measure(rows: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        parts = os.environ.get("BENCH_PARTS", "images answers export runs").split()
        met = []
        if "images" in parts:
            met.append(images(here, rows))
        if "answers" in parts:
            met.append(answers(here, rows))
        if "export" in parts:
            met.append(export(here))
        if "runs" in parts:
            met.append(runs(min(rows, 20_000)))
        return all(met)


# --- imports


def images(folder: Path, rows: int) -> bool:
    file = folder / "images.csv"
    _write(file, ("image_id", "prompt_id", "prompt", "generator"), _image_rows(rows))
    with spent() as used:
        outcome = _import_study("growing", file)
    assert (outcome.images, outcome.rejected) == (rows, []), outcome.rejected[:3]
    per_million = used.cpu * MILLION / rows
    return goal("images' rows, a million", per_million, 60, "s", was="185") and copied(rows, used)


def answers(folder: Path, rows: int) -> bool:
    from annotations.models import Study
    from judges.intake import bring_in
    from jurybox_formats.registry import Source

    count = -(-rows // 15)
    file = folder / "answered.csv"
    _write(file, ("image_id", "prompt_id", "prompt", "generator"), _image_rows(count))
    _import_study("answered", file)
    file = folder / "labels.csv"
    header = ("image_id", "rater", "question", "value", "submitted_at")
    _write(file, header, _label_rows(rows))
    study = Study.objects.get(slug="answered")
    with spent() as used:
        outcome = bring_in.import_labels(study=study, source=Source(file))
    assert (outcome.answers, outcome.rejected) == (rows, []), outcome.rejected[:3]
    per_million = used.cpu * MILLION / rows
    return goal("answers, a million", per_million, 25, "s", was="48") and copied(rows, used)


def copied(rows: int, used: Spent) -> bool:
    from django.db import connection

    if connection.vendor != "postgresql":
        return True
    return goal("  rows a second", rows / used.ours, 100_000, "/s", least=True)


def _image_rows(rows: int) -> Iterator[tuple[str, ...]]:
    for n in range(rows):
        p, g = divmod(n, IMAGES_A_PROMPT)
        yield f"i{n:07d}", f"p{p:06d}", f"a photo of wave {p}", f"generator {g}"


def _label_rows(rows: int) -> Iterator[tuple[str, ...]]:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    for n in range(rows):
        image, rest = divmod(n, 15)
        person, question = divmod(rest, 5)
        # Of each annotation another one, as answers given in a browser have them.
        moment = (began + timedelta(microseconds=1_234_567 * (n // 5))).isoformat()
        yield f"i{image:07d}", f"r{person}", QUESTIONS[question], "1", moment


def _import_study(slug: str, file: Path):
    from judges.intake import bring_in
    from jurybox_formats.registry import Source

    return bring_in.import_study(slug=slug, format="tidy", source=Source(file))


def _write(file: Path, header: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> None:
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(rows)


# --- exports


def export(folder: Path) -> bool:
    from annotations.models import Answer

    rows = Answer.objects.filter(annotation__study__slug="answered").count()
    memory, seconds = _apart(lambda: _export(folder / "out.csv"))
    per_second = rows / seconds
    return all(
        [
            goal("export as CSV", per_second, 100_000, "rows/s", least=True, was="71,000"),
            goal("  memory", memory, 200, "MB", was="5,100 for a million images"),
        ]
    )


def _export(out: Path) -> None:
    from django.core.management import call_command

    call_command("export_labels", "answered", out=out, stderr=io.StringIO())


def _apart(work: Callable[[], None]) -> tuple[float, float]:
    """In a child of its own, for its memory: its peak in MB, and what was spent."""
    from django.db import connections

    connections.close_all()
    read, write = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            # What this process has used of memory is none of the child's.
            Path("/proc/self/clear_refs").write_text("5")
            with spent() as used:
                work()
            lines = Path("/proc/self/status").read_text().splitlines()
            (peak,) = (int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
            os.write(write, json.dumps([peak / 1024, used.cpu]).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    _, status = os.waitpid(child, 0)
    assert status == 0
    memory, seconds = json.loads(os.read(read, 1000))
    return memory, seconds


# --- runs


class Nothing:
    """An engine that is asked nothing."""

    identity = "tests:Nothing"
    version = "1"
    batch = 8
    needs_pixels = False
    facts: dict[str, str] = {}

    def load(self) -> None:
        pass


class Idle:
    """A method that wants nothing and finds everything right."""

    identity = "tests:Idle"
    version = "1"

    def __init__(self, atoms: bool = False) -> None:
        self.atoms = atoms

    def wants(self, subject, seen):
        return ()

    def judge(self, subject, seen):
        from jurybox_judging.protocols import AtomJudgement, Judgement

        if not self.atoms:
            return Judgement(1.0, True)
        return Judgement(1.0, True, atoms=tuple(AtomJudgement(a.index, 1.0) for a in subject.atoms))


def runs(count: int) -> bool:
    from judges.runs import lifecycle, score_chunk
    from jurybox_judging import catalogue
    from jurybox_judging.recipes.entry import Entry

    study = _with_atoms(count)
    count = study.images.count()  # whole prompts
    parts = {"answers": (f"{__name__}:Nothing", {})}
    met = []
    for name, atoms, limit, was in (
        ("does-nothing", False, 0.2, ".23–.65"),
        ("seven-atoms", True, 0.5, "1.3–1.8"),
    ):
        options = {"atoms": atoms, "self_test": False}
        catalogue.JUDGES[name] = Entry(name, f"{__name__}:Idle", parts, options)
        run = lifecycle.start_run(study=study, name=name)
        with spent() as used:
            score_chunk.work_off(run=run)
        run.refresh_from_db()
        assert (run.state, run.scored) == ("finished", count), run.reason
        title = f"a judge that {name.replace('-', ' ')}" if not atoms else "seven atoms"
        met.append(goal(f"{title}, an image", 1000 * used.cpu / count, limit, "ms", was=was))
    return all(met)


def _with_atoms(count: int):
    from annotations.forms.versions import publish_form
    from annotations.models import Atom, Generator, Image, Prompt, Study
    from jurybox_formats.forms.papers import geneval_audit

    study = Study.objects.create(
        slug="judged", title="Judged", form=publish_form(geneval_audit.FORM)
    )
    made_by = Generator.objects.bulk_create(
        Generator(study=study, name=f"generator {g}") for g in range(IMAGES_A_PROMPT)
    )
    asked = Prompt.objects.bulk_create(
        Prompt(study=study, key=f"p{p}", text=f"wave {p}") for p in range(count // IMAGES_A_PROMPT)
    )
    Atom.objects.bulk_create(
        Atom(prompt=prompt, index=n, kind="object", text="wave", question=f"Is there wave {n}?")
        for prompt in asked
        for n in range(7)
    )
    Image.objects.bulk_create(
        Image(study=study, key=f"{prompt.key} {g.pk}", prompt=prompt, generator=g)
        for prompt in asked
        for g in made_by
    )
    return study


# --- what is spent, and what was wanted


class Spent:
    cpu = ours = 0.0


@contextmanager
def spent() -> Iterator[Spent]:
    used = Spent()
    began, server = _own(), _server()
    yield used
    used.ours = _own() - began
    used.cpu = used.ours + _server() - server


def _own() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _server() -> float:
    """Of the process that PostgreSQL keeps for this connection."""
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    connection.ensure_connection()
    stat = Path(f"/proc/{connection.connection.info.backend_pid}/stat")
    if not stat.exists():
        return 0.0  # It runs on another machine.
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def goal(
    what: str, value: float, wanted: float, unit: str, *, least: bool = False, was: str = ""
) -> bool:
    met = value >= wanted if least else value <= wanted
    far = wanted / value if least else value / wanted
    verdict = "met" if met else f"MISSED, {far:.2f} ×"
    shown = f"{value:,.3f}" if value < 10 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"
    sign = "≥" if least else "≤"
    before = f"  (was {was})" if was else ""
    print(f"  {what:<34}{shown:>10} {unit:<7} {sign} {wanted:,g}: {verdict}{before}", flush=True)
    return reached(met)


if __name__ == "__main__":
    main()
