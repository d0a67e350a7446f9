"""`manage.py run_judge STUDY JUDGE`: start a judge, or continue its run."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges import tasks
from judges.batches import door
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
            "--batch-out",
            type=Path,
            metavar="DIR",
            help="write the requests of a server's judge as files of a batch, and ask nobody",
        )
        parser.add_argument(
            "--batch-in",
            type=Path,
            metavar="DIR",
            help="read the answers of a batch, and decide the run from them",
        )
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="k=v",
            help="threshold=0.4 for the method, objects.checkpoint=… for a part; see `judges NAME`",
        )

    def handle(self, *, study, judge, wait, option, **options) -> None:
        if options["batch_out"] or options["batch_in"]:
            self._batch(study, judge, option, options["batch_out"], options["batch_in"])
            return
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

    def _batch(self, study, judge, option, out: Path | None, taken: Path | None) -> None:
        if out and taken:
            raise CommandError("Give --batch-out or --batch-in, one at a time.")
        quiet = not sys.stderr.isatty()
        try:
            place = study_or_error(study)
            given = {
                "study": place,
                "name": judge,
                "options": from_text(judge, pairs(option)),
                "quiet": quiet,
            }
            if out:
                shards = door.write_out(folder=out, **given)
                self.stdout.write(
                    f"{shards.count} requests in {len(shards.files)} files in {out}. Let a server answer them, "
                    f"lay its files beside them, then: manage.py run_judge {study} {judge} --batch-in {out}"
                )
                return
            assert taken is not None
            told = door.take_in(folder=taken, **given)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        for line in words_of(told):
            self.stdout.write(line)
        if told.run is None:
            raise CommandError(
                f"{told.missing} questions have no answer yet. What came is stored; write the rest with "
                "--batch-out."
            )

    def _work(self, run: Run) -> None:
        on_terminal = sys.stderr.isatty()
        for done in score_chunk.work_off_steps(run=run):
            if on_terminal:
                self.stderr.write(f"\r{done} of {run.expected}", ending="")
        if on_terminal:
            self.stderr.write("\r", ending="")
        run.refresh_from_db()


def words_of(told: door.TakenIn) -> list[str]:
    results = told.results
    lines = [f"{told.stored} answers were stored."]
    lines += results.wrong
    if results.bad > len(results.wrong):
        lines.append(f"… and {results.bad - len(results.wrong)} more lines that cannot be read.")
    if results.doubled:
        lines.append(f"{results.doubled} lines answer a request a second time; the first stays.")
    if results.foreign:
        lines.append(
            f"{results.foreign} lines answer nothing that was still asked: they are of another judge or "
            "study, or were taken in before."
        )
    if told.run is not None:
        row = run_row(told.run)
        failed = f"; {row.failed} could not be scored" if row.failed else ""
        lines.append(f"{row.done} of {row.expected} images, {row.state}{failed}")
    return lines


def pairs(given: list[str]) -> dict[str, str]:
    options = {}
    for pair in given:
        key, equals, text = pair.partition("=")
        if not key or not equals:
            raise CommandError(f"--option takes k=v, not “{pair}”.")
        options[key] = text
    return options
