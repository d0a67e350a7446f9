"""`manage.py write_questions STUDY FORM --model NAME --out FILE`: a draft for a person to review."""

from pathlib import Path
from typing import Any

from django.core.management import CommandError

from annotations.exports.files import write_lines
from annotations.management.command import StudyCommand
from judges.draft_questions import FORMS
from judges.engines.openai_server import OpenAIServer
from judges.errors import Passing
from judges.looks.ask_engine import with_retries

PROMPTS_AT_ONCE = 50


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
        rows: list[dict[str, Any]] = []
        left_out = 0
        chosen = FORMS[form]
        try:
            engine = OpenAIServer(model, base_url=base_url)
        except ValueError as error:
            raise CommandError(str(error)) from None
        try:
            for start in range(0, len(prompts), PROMPTS_AT_ONCE):
                batch = prompts[start : start + PROMPTS_AT_ONCE]
                asked = [chosen.asked(text) for _, text in batch]
                replies = with_retries(engine, engine.write, asked, lambda: None)
                for (key, text), (reply, reason) in zip(batch, replies, strict=True):
                    try:
                        if reason:
                            raise ValueError(reason)
                        rows += chosen.read(key, text, reply)
                    except ValueError as error:
                        left_out += 1
                        self.stderr.write(f"{key} was left out: {error}")
        except Passing as failure:
            raise CommandError(failure.reason) from None
        if not rows:
            raise CommandError("Nothing was drafted.")
        write_lines(out, [chosen.write(rows)])
        return (
            f"Wrote {out}: {len(rows)} rows by {model} for {len(prompts) - left_out} of "
            f"{len(prompts)} prompts. Read and correct them; then "
            f"{chosen.next_step.format(file=out)}."
        )
