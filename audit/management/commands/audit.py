"""`jurybox audit LABELS SCORES`: two tables, one report. No server, and no study left behind."""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from django.apps import apps
from django.core.management import BaseCommand, CommandError, CommandParser, call_command
from django.db import connection
from django.test.utils import override_settings
from tqdm import tqdm

from annotations.errors import Refused
from audit.from_files.report_of import Made, report_of
from audit.handed_in.formats import HANDED_IN, of_report
from audit.models import Report
from audit.reports.options import CONSENSUS, Options
from audit.words import report as report_words

# By the ending of the file.
FORMATS = {"html": "html", "pdf": "pdf", "json": "json", "tex": "latex", "txt": "text"}


class Command(BaseCommand):
    help = "Report on a table of labels and a table of scores; nothing is kept but the report."
    # There is no installation to check.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        usual = Options()
        parser.add_argument("labels", type=Path)
        parser.add_argument("scores", type=Path)
        parser.add_argument("--images", type=Path, metavar="FILE", help="prompts and generators")
        parser.add_argument("--generators", type=Path, metavar="FILE", help="release dates")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help=f"ends in {', '.join(FORMATS)}; else text here"
        )
        parser.add_argument("--title", default="")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="NAME=ROLE",
            help="what a column is, where the guess is wrong",
        )
        parser.add_argument("--judge", action="append", metavar="J")
        parser.add_argument("--question")
        parser.add_argument("--seed", type=int, default=usual.seed)
        parser.add_argument("--resamples", type=int, default=usual.resamples)
        parser.add_argument("--positive-at", type=float, default=usual.positive_at)
        parser.add_argument("--threshold", type=float)
        parser.add_argument("--consensus", choices=list(CONSENSUS), default=usual.consensus)

    def handle(self, *, labels, scores, images, generators, out, title, column, **given) -> None:
        began = time.perf_counter()
        if given["resamples"] < 100:
            raise CommandError("Ask for at least 100 resamples; fewer give no usable interval.")
        format = FORMATS.get(out.suffix.lower().removeprefix(".")) if out else "text"
        if format is None:
            endings = ", ".join(f".{name}" for name in FORMATS)
            raise CommandError(f"{out.name}: a report is written as one of {endings}.")
        files = {"labels": labels, "scores": scores, "images": images, "generators": generators}
        files = {part: path for part, path in files.items() if path is not None}
        _with_tables()
        try:
            with _bar() as show:
                made = report_of(
                    files,
                    write=lambda report: _written(report, format),
                    options=Options(
                        question=given["question"],
                        judges=tuple(given["judge"]) if given["judge"] else None,
                        seed=given["seed"],
                        resamples=given["resamples"],
                        positive_at=given["positive_at"],
                        threshold=given["threshold"],
                        consensus=given["consensus"],
                    ),
                    title=title,
                    columns=_pairs(column),
                    show=show,
                )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self._tell(made)
        if out is None:
            self.stdout.write(str(made.body))
            return
        try:
            out.write_bytes(made.body if isinstance(made.body, bytes) else made.body.encode())
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        seconds = time.perf_counter() - began
        counted = f"{made.outcome.images:,} images, {made.judges} judges"
        self._say(f"{out}: {counted}, {seconds:.1f} s.")

    def _tell(self, made: Made) -> None:
        """Beside the report, so that what goes into a pipe is the report alone."""
        for words in made.told.words:
            self._say(words)
        if made.told.refused:
            self._say(f"Left out ({len(made.told.refused)}):")
        for words in made.told.refused[:20]:
            self._say(f"  {words}")
        self._say(made.outcome.as_text())

    def _say(self, words: str) -> None:
        self.stderr.write(words, lambda text: text)


def _written(report: Report, format: str) -> str | bytes:
    if format in HANDED_IN:
        return HANDED_IN[format](of_report(report))
    if format == "json":
        return json.dumps(report.body, ensure_ascii=False)
    return report_words.as_text(report.body)


def _pairs(given: list[str]) -> dict[str, str]:
    wrong = [pair for pair in given if "=" not in pair]
    if wrong:
        raise CommandError(f"--column {wrong[0]}: write NAME=ROLE, like --column model=judge.")
    return {name: role for name, _, role in (pair.rpartition("=") for pair in given)}


def _with_tables() -> None:
    """`jurybox audit` brings an empty database: it gets its tables at once, not by its history."""
    if connection.introspection.table_names():
        return
    none = {app.label: None for app in apps.get_app_configs()}
    with override_settings(MIGRATION_MODULES=none):
        call_command("migrate", run_syncdb=True, verbosity=0, interactive=False)


@contextmanager
def _bar():
    """A bar for the rows and one for the parts of the report, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    # Parts of the report come far more slowly than rows: each is shown.
    with tqdm(leave=False, unit_scale=True, dynamic_ncols=True, miniters=1) as shown:

        def show(what: str, done: int, total: int | None) -> None:
            if shown.desc != what:
                shown.reset()
                shown.set_description_str(what)
            newly_known = total != shown.total
            shown.total = total
            shown.update(done - shown.n)
            if newly_known:
                shown.refresh()

        yield show
