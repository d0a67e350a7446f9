"""`manage.py delete_study STUDY`: delete a study here and now, or go on where a worker gave up."""

from django.core.management import CommandError

from annotations.jobs import run
from annotations.management.command import PlainCommand
from annotations.models import Deletion, Study
from annotations.studies import deletion


class Command(PlainCommand):
    help = "Delete a study with all its images, answers, scores and reports."

    def arguments(self, add) -> None:
        # One that is being deleted is not found any more.
        add("study", "the study's short name")
        add("--reason", "why, for the trail of events", default="")

    def handle(self, *, study: str, reason: str, **options) -> str:
        there = Study.objects.filter(slug=study).first()
        begun = Deletion.objects.filter(payload__slug=study).order_by("pk").last()
        if there is not None:
            begun = deletion.begin(study=there, reason=reason)
        elif begun is None:
            raise CommandError(f"There is no study “{study}”.")
        elif begun.is_given_up:
            deletion.try_again(deletion=begun)
        done = run(begun.pk)
        if done or not Deletion.objects.filter(pk=begun.pk).exists():
            return f"“{study}” is deleted."
        begun.refresh_from_db()
        raise CommandError(begun.reason or "A worker is deleting it at this moment.")
