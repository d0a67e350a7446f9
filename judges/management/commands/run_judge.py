"""`manage.py run_judge STUDY JUDGE`: start a judge, or continue its run."""

import sys
from pathlib import Path

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from judges import tasks
from judges.batches import door
from judges.management.judge_options import add_option, options_of
from judges.models import Run
from judges.runs import lifecycle, score_chunk
from judges.runs.queries import run_row


class Command(StudyCommand):
    help = "Start a judge over the images of a study."

    def arguments(self, add) -> None:
        add("judge")
        add.flag("--wait", "work on it here and return when it is done")
        requests = "write the requests of a server's judge as files of a batch, and ask nobody"
        add("--batch-out", requests, type=Path, metavar="DIR")
        answers = "read the answers of a batch, and decide the run from them"
        add("--batch-in", answers, type=Path, metavar="DIR")
        add_option(
            add,
            "threshold=0.4 for the method, objects.checkpoint=… for a part; see `judges NAME`",
        )

    def do(self, study, *, judge, wait, option, batch_out, batch_in, **options) -> None:
        if batch_out and batch_in:
            raise CommandError("Give --batch-out or --batch-in, one at a time.")
        given = {"study": study, "name": judge, "options": options_of(judge, option)}
        if batch_out or batch_in:
            self._batch(batch_out, batch_in, {**given, "quiet": not sys.stderr.isatty()})
            return
        run = lifecycle.start_run(**given)
        if wait:
            self._work(run)
        else:
            tasks.wake(run)
        row = run_row(run)
        words = f"{judge}: {row.in_words}"
        if row.assumed:
            words += f"; {row.assumed} answers were not told and count 0"
        self.stdout.write(words)
        if run.reason:
            raise CommandError(run.reason)

    def _batch(self, out: Path | None, taken: Path | None, given: dict) -> None:
        if out:
            shards = door.write_out(folder=out, **given)
            again = f"manage.py run_judge {given['study'].slug} {given['name']} --batch-in {out}"
            self.stdout.write(
                f"{shards.count} requests in {len(shards.files)} files in {out}. Let a server answer them, "
                f"lay its files beside them, then: {again}"
            )
            return
        assert taken is not None
        told = door.take_in(folder=taken, **given)
        self.stdout.write("\n".join(told.lines()))
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
