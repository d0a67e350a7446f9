"""`manage.py form STUDY show` and `form STUDY set FILE | --paper NAME`: what a study asks."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import FormRefused
from annotations.forms.papers import FORMS
from annotations.forms.papers.own_form import written_form
from annotations.forms.text_format import as_text
from annotations.forms.versions import form_of, use_form
from annotations.models import Study


class Command(BaseCommand):
    help = "Show the questions of a study, or ask others from now on."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("do", choices=["show", "set"])
        parser.add_argument("file", nargs="?", type=Path, help="lines or JSON, as on the page")
        parser.add_argument(
            "--paper", choices=list(FORMS), help="instead of a file: a paper's form"
        )

    def handle(self, *, study, do, file, paper, **options) -> None:
        try:
            asked = Study.objects.select_related("form").get(slug=study, deleted_at=None)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        if do == "show":
            self.stdout.write(as_text(form_of(asked.form)))
            return
        if (file is None) == (paper is None):
            raise CommandError("Name a file or --paper, one of the two.", returncode=2)
        try:
            form = FORMS[paper] if paper else written_form(_text_of(file))
        except FormRefused as refusal:
            raise CommandError("\n".join(refusal.wrong)) from None
        self.stdout.write(f"From now on this study asks {use_form(study=asked, form=form)}.")


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not text in UTF-8.") from None
