"""`manage.py known_answers STUDY list|add|import|remove`: images whose right answers are set."""

from pathlib import Path

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from annotations.models import Image, Study
from annotations.studies import known_answers


class Command(StudyCommand):
    help = "List, set or take away the known answers of images."

    def arguments(self, add) -> None:
        add.verb("list", "print all as a table, as import takes it")
        new = add.verb("add", "set the answers of one image")
        new("image", "its image_id")
        new("answers", "question=value, for an atom question.3=value", nargs="+")
        new("--explanation", "why; people read it while they practise", default="")
        add.verb("import", "set answers by a table, all of it or nothing")("file", type=Path)
        add.verb("remove", "make an image an ordinary one again")("image", "its image_id")

    def _list(self, study, given: dict) -> str:
        return known_answers.as_table(study).rstrip("\n")

    def _add(self, study, given: dict) -> str:
        image = _image(study, given["image"])
        answers = dict(part.partition("=")[::2] for part in given["answers"])
        known_answers.make(image=image, answers=answers, explanation=given["explanation"])
        return f"{image.key} has known answers."

    def _import(self, study, given: dict) -> str:
        count = known_answers.import_table(study=study, path=given["file"])
        return f"{count} image{'s' * (count != 1)} got known answers."

    def _remove(self, study, given: dict) -> str:
        image = _image(study, given["image"])
        known_answers.remove(image=image)
        return f"{image.key} is an ordinary image again."


def _image(study: Study, key: str) -> Image:
    try:
        return Image.objects.select_related("prompt", "study__form").get(study=study, key=key)
    except Image.DoesNotExist:
        raise CommandError(f"The study has no image “{key}”.") from None
