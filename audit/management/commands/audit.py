"""`jurybox audit LABELS SCORES`: two tables, one report. No server, and no study left behind."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path

from django.core.management import CommandError
from django.utils import timezone

from annotations.management.command import PlainCommand, pairs, write_file
from audit.management.report_options import add_report_options, report_options
from jurybox_judging.recipes.peoples_unit import add_unit

# By the ending of the file.
FORMATS = {"html": "html", "pdf": "pdf", "json": "json", "tex": "latex", "txt": "text"}


class Command(PlainCommand):
    help = "Report on a table of labels and a table of scores; nothing is kept but the report."

    def arguments(self, add) -> None:
        add("labels", type=Path)
        add("scores", type=Path)
        add("--images", "prompts and generators", type=Path, metavar="FILE")
        add("--generators", "release dates", type=Path, metavar="FILE")
        add("--out", f"ends in {', '.join(FORMATS)}; else text here", type=Path, metavar="FILE")
        add("--title", default="")
        add.many("--column", "what a column is, where the guess is wrong", metavar="NAME=ROLE")
        add_unit(add)
        add("--judge", action="append", metavar="J")
        add_report_options(add)

    def handle(
        self, *, labels, scores, images, generators, out, title, column, unit, **given
    ) -> None:
        # The whole of the statistics; who asks for help does not wait for it.
        from audit.management.commands.report import write_report
        from audit.series.report_tables import report_tables

        began = time.perf_counter()
        options = report_options(given)
        format = FORMATS.get(out.suffix.lower().removeprefix(".")) if out else "text"
        if format is None:
            endings = ", ".join(f".{name}" for name in FORMATS)
            raise CommandError(f"{out.name}: a report is written as one of {endings}.")
        files = {"labels": labels, "scores": scores, "images": images, "generators": generators}
        files = {part: path for part, path in files.items() if path is not None}
        columns = pairs(column, "--column", "NAME=ROLE", "model=judge")
        with _bar() as show:
            made = report_tables(
                files,
                options=options,
                title=title,
                columns=columns,
                unit=unit,
                show=show,
            )
        # Beside the report, so that what goes into a pipe is the report alone.
        self._say("\n".join(made.lines()))
        written = write_report(made.body, format, out, made.title, timezone.now())
        if out is None:
            self.stdout.write(str(written))
            return
        write_file(out, written)
        seconds = time.perf_counter() - began
        counted = f"{made.outcome.images:,} images, {len(made.body['judges'])} judges"
        self._say(f"{out}: {counted}, {seconds:.1f} s.")

    def _say(self, words: str) -> None:
        self.stderr.write(words, lambda text: text)


@contextmanager
def _bar():
    """A bar for the rows and one for the parts of the report, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from tqdm import tqdm

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
