"""`manage.py run_judge STUDY JUDGE`: start a judge, or continue its run."""

from __future__ import annotations

import sys

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges import tasks
from judges.management.imports import study_or_error
from judges.models import Run
from judges.registry import from_text
from judges.runs import lifecycle, score_chunk
from judges.runs.queries import run_row


class Command(BaseCommand):
    help = "Start a judge over the images of a study."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("judge")
        parser.add_argument(
            "--wait", action="store_true", help="work on it here and return when it is done"
        )
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="k=v",
            help="threshold=0.4 for the method, objects.checkpoint=… for a part; see `judges NAME`",
        )

    def handle(self, *, study, judge, wait, option, **options) -> None:
        try:
            run = lifecycle.start_run(
                study=study_or_error(study), name=judge, options=from_text(judge, pairs(option))
            )
            if wait:
                self._work(run)
            else:
                tasks.wake(run)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        row = run_row(run)
        words = f"{judge}: {row.done} of {row.expected} images, {row.state}"
        if row.failed:
            words += f"; {row.failed} could not be scored"
        if row.assumed:
            words += f"; {row.assumed} answers were not told and count 0"
        self.stdout.write(words)
        if run.reason:
            raise CommandError(run.reason)

    def _work(self, run: Run) -> None:
        on_terminal = sys.stderr.isatty()
        for done in score_chunk.work_off_steps(run=run):
            if on_terminal:
                self.stderr.write(f"\r{done} of {run.expected}", ending="")
        if on_terminal:
            self.stderr.write("\r", ending="")
        run.refresh_from_db()


def pairs(given: list[str]) -> dict[str, str]:
    options = {}
    for pair in given:
        key, equals, text = pair.partition("=")
        if not key or not equals:
            raise CommandError(f"--option takes k=v, not “{pair}”.")
        options[key] = text
    return options
