"""`manage.py copy_study STUDY`: a new study with the questions and settings of this one, here and now."""

from django.core.management import CommandError

from annotations.copies import study as study_copies
from annotations.jobs import run
from annotations.management.command import StudyCommand
from annotations.studies.owners import choose_owner


class Command(StudyCommand):
    help = "Copy a study: its questions, settings, prompts and images, but nobody's answers."

    def arguments(self, add) -> None:
        add("--title", "of the copy", default="")
        add("--owner", "whose the copy is", metavar="NAME", default="")
        add.flag("--without-images", "questions and settings only")

    def do(self, study, *, title: str, owner: str, without_images: bool, **_given) -> str:
        by = choose_owner(owner)
        made = study_copies.begin(study=study, title=title, images=not without_images, by=by)
        if without_images:
            return f"Made {made.slug}, without images. It is paused."
        copy = study_copies.copy_of(made)
        assert copy is not None
        run(copy.pk)
        copy.refresh_from_db()
        if copy.state != copy.State.DONE:
            raise CommandError(copy.reason or "A worker is copying the images at this moment.")
        found = copy.outcome
        return (
            f"Made {made.slug}: {found['prompts']} prompts, {found['images']} images. It is paused."
        )
