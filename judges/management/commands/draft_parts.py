"""`manage.py draft_parts STUDY`: a draft of the parts of its prompts, to check on a page and freeze."""

from __future__ import annotations

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from judges.parts import drafts
from judges.parts.drafts import ServerDraft
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.errors import Passing


class Command(StudyCommand):
    help = (
        "Draft the parts of a study's prompts by the built-in grammar, or by a server's language "
        "model. People check them under Data, Parts of the prompts, and freeze them there."
    )

    def arguments(self, add) -> None:
        add(
            "--model",
            "the server's name for its model; without it the built-in grammar",
            default="",
        )
        add("--base-url", default="http://127.0.0.1:8000/v1")

    def do(self, study, *, model, base_url, **options) -> str:
        if drafts.draft_of(study) is not None:
            raise CommandError("There is a draft already. Start over on its page, or freeze it.")
        if not model:
            version = drafts.make_draft(study=study)
            return f"Drafted version {version.number} for {version.prompts.count()} prompts."
        try:
            server = ServerDraft(OpenAIServer(model, base_url=base_url))
            server.read(list(study.prompts.filter(atoms=None)))
        except ValueError as error:
            raise CommandError(str(error)) from None
        except Passing as failure:
            raise CommandError(f"{failure.reason}.") from None
        for text, reason in server.left_out.items():
            self.stderr.write(f"“{text[:80]}”: drafted by the grammar instead. {reason}")
        version = drafts.make_draft(study=study, find=server.find, source=model)
        return f"Drafted version {version.number} for {version.prompts.count()} prompts."
