"""`manage.py form STUDY show` and `form STUDY set FILE | --paper NAME`: what a study asks."""

from pathlib import Path

from django.core.management import CommandError

from annotations.errors import FormRefused
from annotations.forms.versions import form_of, use_form
from annotations.management.command import StudyCommand
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.forms.papers.own_form import written_form
from jurybox_formats.forms.text_format import as_text


class Command(StudyCommand):
    help = "Show the questions of a study, or ask others from now on."

    def arguments(self, add) -> None:
        add("do", choices=["show", "set"])
        add("file", "lines or JSON, as on the page", nargs="?", type=Path)
        add("--paper", "instead of a file: a paper's form", choices=list(FORMS))

    def do(self, study, *, do, file, paper, **options) -> str:
        if do == "show":
            return as_text(form_of(study.form))
        if (file is None) == (paper is None):
            raise CommandError("Name a file or --paper, one of the two.", returncode=2)
        try:
            form = FORMS[paper] if paper else written_form(_text_of(file))
        except FormRefused as refusal:
            raise CommandError("\n".join(refusal.wrong)) from None
        return f"From now on this study asks {use_form(study=study, form=form)}."


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not text in UTF-8.") from None
