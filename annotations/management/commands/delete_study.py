"""`manage.py delete_study STUDY`: delete a study here and now, or go on where a worker gave up."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.models import Deletion, Study
from annotations.studies import deletion


class Command(BaseCommand):
    help = "Delete a study with all its images, answers, scores and reports."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--reason", default="", help="why, for the trail of events")

    def handle(self, *, study: str, reason: str, **options) -> None:
        there = Study.objects.filter(slug=study).first()
        begun = Deletion.objects.filter(slug=study).order_by("pk").last()
        if there is not None:
            begun = deletion.begin(study=there, reason=reason)
        elif begun is None:
            raise CommandError(f"There is no study “{study}”.")
        elif begun.is_given_up:
            deletion.try_again(deletion=begun)
        if deletion.finish(deletion_id=begun.pk):
            self.stdout.write(f"“{study}” is deleted.")
            return
        if not Deletion.objects.filter(pk=begun.pk).exists():
            self.stdout.write(f"“{study}” is deleted.")
            return
        begun.refresh_from_db()
        raise CommandError(begun.reason or "A worker is deleting it at this moment.")
