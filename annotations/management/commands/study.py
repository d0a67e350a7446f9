"""`manage.py study STUDY`: what an owner sets on the page “Study” of a study."""

from django.db import transaction

from annotations.management.command import StudyCommand
from annotations.models import Study
from annotations.studies import settings as study_settings


class Command(StudyCommand):
    help = "Print what a study is called and how it is set, or change it."

    def arguments(self, add) -> None:
        add("--title")
        add("--description")
        add("--status", "open, paused or closed")
        add("--overlap", "how many people label each image", type=int)
        add("--known-answers", "of 100 images, how many have known answers", type=int)

    def do(self, study, **given) -> str:
        with transaction.atomic():
            _change(study, given)
        return (
            f"title: {study.title}\n"
            f"description: {study.description}\n"
            f"status: {study.status}\n"
            f"people for each image: {study.overlap}\n"
            f"known answers: {study.gold_share} of 100 images"
        )


def _change(study: Study, given: dict) -> None:
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
