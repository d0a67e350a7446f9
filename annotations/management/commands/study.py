"""`manage.py study STUDY`: what an owner sets on the page “Study” of a study."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from annotations.errors import Refused
from annotations.models import Study
from annotations.studies import settings as study_settings


class Command(BaseCommand):
    help = "Print what a study is called and how it is set, or change it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--title")
        parser.add_argument("--description")
        parser.add_argument("--status", help="open, paused or closed")
        parser.add_argument("--overlap", type=int, help="how many people label each image")
        parser.add_argument(
            "--known-answers", type=int, help="of 100 images, how many have known answers"
        )

    def handle(self, *, study, **given) -> None:
        try:
            place = Study.objects.get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        try:
            with transaction.atomic():
                self._change(place, given)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        for line in self._lines(place):
            self.stdout.write(line)

    def _change(self, study: Study, given: dict) -> None:
        title, description = given["title"], given["description"]
        if title is not None or description is not None:
            study_settings.describe(
                study=study,
                title=study.title if title is None else title,
                description=study.description if description is None else description,
            )
        if given["status"] is not None:
            study_settings.set_status(study=study, status=given["status"])
        if given["overlap"] is not None:
            study_settings.set_overlap(study=study, people=given["overlap"])
        if given["known_answers"] is not None:
            study_settings.set_gold_share(study=study, share=given["known_answers"])

    def _lines(self, study: Study) -> Iterator[str]:
        yield f"title: {study.title}"
        yield f"description: {study.description}"
        yield f"status: {study.status}"
        yield f"people for each image: {study.overlap}"
        yield f"known answers: {study.gold_share} of 100 images"
