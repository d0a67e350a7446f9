"""`manage.py known_answers STUDY list|add|import|remove`: images whose right answers are set."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Image, Study
from annotations.studies import known_answers


class Command(BaseCommand):
    help = "List, set or take away the known answers of images."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="print all as a table, as import takes it")
        add = verbs.add_parser("add", help="set the answers of one image")
        add.add_argument("image", help="its image_id")
        add.add_argument("answers", nargs="+", help="question=value, for an atom question.3=value")
        add.add_argument(
            "--explanation", default="", help="why; people read it while they practise"
        )
        take = verbs.add_parser("import", help="set answers by a table, all of it or nothing")
        take.add_argument("file", type=Path)
        remove = verbs.add_parser("remove", help="make an image an ordinary one again")
        remove.add_argument("image", help="its image_id")

    def handle(self, *, study, verb, **given) -> None:
        try:
            place = Study.objects.select_related("form").get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        try:
            self.stdout.write(getattr(self, f"_{verb}")(place, given))
        except Refused as refusal:
            raise CommandError(refusal.message) from None

    def _list(self, study: Study, given: dict) -> str:
        return known_answers.as_table(study).rstrip("\n")

    def _add(self, study: Study, given: dict) -> str:
        image = self._image(study, given["image"])
        answers = dict(part.partition("=")[::2] for part in given["answers"])
        known_answers.make(image=image, answers=answers, explanation=given["explanation"])
        return f"{image.key} has known answers."

    def _import(self, study: Study, given: dict) -> str:
        count = known_answers.import_table(study=study, path=given["file"])
        return f"{count} image{'s' * (count != 1)} got known answers."

    def _remove(self, study: Study, given: dict) -> str:
        image = self._image(study, given["image"])
        known_answers.remove(image=image)
        return f"{image.key} is an ordinary image again."

    def _image(self, study: Study, key: str) -> Image:
        try:
            return Image.objects.select_related("prompt", "study__form").get(study=study, key=key)
        except Image.DoesNotExist:
            raise CommandError(f"The study has no image “{key}”.") from None
