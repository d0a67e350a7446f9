"""`manage.py export_study STUDY FOLDER`: everything of a study as tidy tables."""

from pathlib import Path

from annotations.exports import pseudonyms
from annotations.management.command import StudyCommand
from judges.exports.study_folder import write_study


class Command(StudyCommand):
    help = "Write a study as a folder that import_study --format tidy can import again."

    def arguments(self, add) -> None:
        add("folder", type=Path)
        add.flag("--images", "the pictures too")
        add("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])

    def do(self, study, *, folder, images, pseudonyms, **options) -> str:
        about = write_study(study, folder, people=pseudonyms, files=images)
        rows = ", ".join(f"{count} {name}" for name, count in about["counts"].items())
        return f"Wrote {folder}: {rows}."
