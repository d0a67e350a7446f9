"""`manage.py write_questions STUDY FORM --model NAME --out FILE`: a draft for a person to review."""

from pathlib import Path

from django.core.management import CommandError

from annotations.exports.files import write_lines
from annotations.management.command import StudyCommand
from judges.draft_questions import FORMS
from judges.looks.drafts import draft
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.errors import Passing


class Command(StudyCommand):
    help = (
        "Let a server's language model draft questions about the prompts of a study (tifa, dsg), "
        "or write longer prompts (rewritten). The draft is a file: nothing changes until "
        "somebody has read and imported it."
    )

    def arguments(self, add) -> None:
        add("form", choices=list(FORMS))
        add("--model", "the server's name for its model", required=True)
        add("--base-url", default="http://127.0.0.1:8000/v1")
        add("--out", type=Path, required=True)

    def do(self, study, *, form, model, base_url, out, **options) -> str:
        if out.exists():
            raise CommandError(f"{out} is there already, perhaps with somebody's corrections.")
        prompts = list(study.prompts.values_list("key", "text"))
        left_out: list[str] = []

        def leave_out(key: str, why: str) -> None:
            left_out.append(key)
            self.stderr.write(f"{key} was left out: {why}")

        try:
            engine = OpenAIServer(model, base_url=base_url)
        except ValueError as error:
            raise CommandError(str(error)) from None
        try:
            rows = list(draft(FORMS[form], engine, prompts, leave_out))
        except Passing as failure:
            raise CommandError(f"{failure.reason}.") from None
        if not rows:
            raise CommandError("Nothing was drafted.")
        write_lines(out, [FORMS[form].write(rows)])
        return (
            f"Wrote {out}: {len(rows)} rows by {model} for {len(prompts) - len(left_out)} of "
            f"{len(prompts)} prompts. Read and correct them; then "
            f"{FORMS[form].next_step.format(file=out)}."
        )
