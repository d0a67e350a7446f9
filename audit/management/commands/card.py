"""`manage.py card JUDGE --study STUDY`: a judge measured as an instrument, and its card; `card verify FILE`: what
a signed card is worth."""

import sys
from pathlib import Path

from django.utils import timezone

from annotations.management.command import PlainCommand, as_json, study_called, write_file
from annotations.models import Study
from annotations.stored_answers.store import answer_at_once
from audit.cards.certificate import check_certificate, make_certificate, read_certificate
from audit.cards.eval_record import card_record
from audit.cards.hub_results import hub_files
from audit.cards.key import own_keys, public_key
from audit.management.commands.answer import KINDS, show_answer
from audit.questions.card.exhibits import EXHIBITS
from audit.questions.card.question import CARD, Parameters, run_called
from audit.questions.card.scores import Scores
from judges.cards import jobs
from judges.cards.pictures import COUNT, DrawnImages
from judges.cards.plan import plan, plan_words
from judges.models import Run
from judges.names import runs_by_name
from judges.runs import lifecycle, score_chunk
from jurybox_judging import catalogue
from jurybox_judging.errors import JudgeRefused

VERIFY, KEY, SIGNED = "verify", "key", ".json"


class Command(PlainCommand):
    help = "Measure a judge with pictures made from a study's own, and print its card."

    def arguments(self, add) -> None:
        add("judge", "by the name that reports use; or “verify”, or “key”", metavar="JUDGE")
        add("file", "after “verify”: a signed card", nargs="?", type=Path, metavar="FILE")
        add("--study", "the study's short name", metavar="STUDY")
        add(
            "--key", "after “verify”: the public key of the installation that signed it", default=""
        )
        add("--count", "images that pictures are made from", type=int, default=COUNT)
        add("--family", "the judge's family, or its generators with a comma between", default="")
        add.flag("--plan", "say what it will take, and ask nobody")
        add.json()
        add.flag("--record", "print it as a record of Every Eval Ever 0.3")
        add(
            "--hub",
            "with --record: this dataset of Hugging Face's results and model card instead",
            default="",
            metavar="OWNER/NAME",
        )
        add("--organization", "who measured, for a record", default="not stated")
        add(
            "--licence",
            "of the study's data: for a record, or to release a signed card, as CC-BY-4.0",
            default="",
        )
        add(
            "--out",
            "a document, or the signed card with its data, by the ending of the file",
            type=Path,
            metavar="FILE.pdf|html|tex|json",
        )

    def handle(
        self, *, judge, file, study, key, count, family, plan, json, out, record, **options
    ) -> str:
        if judge == VERIFY:
            return self._verify(file, key)
        if judge == KEY and not study:
            return "\n".join([public_key(), *sorted(own_keys() - {public_key()})])
        if file is not None or not study:
            raise JudgeRefused("Write: card JUDGE --study STUDY, or: card verify FILE.")
        if out is not None and out.suffix.lower() not in (*KINDS, SIGNED):
            raise JudgeRefused(f"{out.name}: a document ends in {', '.join((*KINDS, SIGNED))}.")
        study = study_called(study)
        parameters = Parameters(judge, count, family)
        run = self._run(study, judge, parameters.images, only_plan=plan)
        if plan:
            return self._plan(run, count)
        if not run.judge.why_no_look:
            self._measure(run, count)
        if record:
            answer = answer_at_once(CARD, study, parameters)
            named = {"organization": options["organization"], "licence": options["licence"]}
            made = answer.computed_at or timezone.now()
            found = card_record(answer.body or {}, made, **named)
            if options["hub"]:
                return _as_text(hub_files(found, options["hub"]))
            return as_json(found, indent=1)
        return self._show(study, parameters, json, out, options["licence"])

    def _verify(self, file: Path | None, key: str) -> str:
        if file is None:
            raise JudgeRefused("Write: card verify FILE.")
        good, lines = check_certificate(read_certificate(file), timezone.now().date(), key)
        if not good:
            raise JudgeRefused("\n".join(lines))
        return "\n".join(lines)

    def _run(self, study: Study, name: str, count: int, *, only_plan: bool) -> Run:
        """The judge's run; a judge that has none scores the study first."""
        runs = runs_by_name(study)
        if name in runs:
            return runs[name]
        if only_plan or catalogue.find(name) is None:
            known = ", ".join(runs) or "none"
            raise JudgeRefused(f"“{name}” has not scored this study. Judges that have: {known}.")
        run = lifecycle.start_run(study=study, name=name)
        score_chunk.work_off(run=run)
        run.refresh_from_db()
        if run.reason:
            raise JudgeRefused(run.reason)
        return run

    def _plan(self, run: Run, count: int) -> str:
        return plan_words(plan(DrawnImages(run, count)))

    def _measure(self, run: Run, count: int) -> None:
        planned = plan(DrawnImages(run, count))
        if not planned["asked"]:
            return
        self.stderr.write(plan_words(planned))
        on_terminal = sys.stderr.isatty()

        def show(done: int) -> None:
            if on_terminal:
                self.stderr.write(f"\r{done} of {planned['pictures']}", ending="")

        jobs.measure_here(run, count=count, on_step=show)

    def _show(
        self, study: Study, parameters: Parameters, json: bool, out: Path | None, licence: str
    ) -> str:
        answer = answer_at_once(CARD, study, parameters)
        if out is not None and out.suffix.lower() == SIGNED:
            _, run = run_called(study, parameters.judge)
            scores = Scores.from_drawn(DrawnImages(run, parameters.images))
            day = (answer.computed_at or timezone.now()).date()
            signed = make_certificate(
                answer.body or {}, scores, licence=licence, made=day, today=timezone.localdate()
            )
            write_file(out, as_json(signed, indent=1))
            released = f", released under {licence}" if licence else ""
            return f"Written to {out}{released}, signed with the key {public_key()}."
        made = f"{answer.computed_at:%Y-%m-%d}"
        return show_answer(EXHIBITS, answer.body or {}, study, made=made, out=out, json=json)


def _as_text(files: dict[str, bytes]) -> str:
    return "\n".join(f"# {name}\n{content.decode()}" for name, content in files.items())
