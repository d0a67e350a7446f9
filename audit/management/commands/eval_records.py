"""`manage.py eval_records STUDY FOLDER`: the newest report as records of Every Eval Ever 0.3."""

from pathlib import Path

from annotations.management.command import StudyCommand
from audit.cards.report_records import write_records


class Command(StudyCommand):
    help = "Write the newest report as records of Every Eval Ever 0.3, one for each generator."

    def arguments(self, add) -> None:
        add("folder", "a new folder", type=Path)
        add("--organization", "who measured", default="not stated")
        add("--licence", "of the study's data, as CC-BY-4.0", default="")

    def do(self, study, *, folder, organization, licence, **options) -> str:
        names = write_records(study, folder, organization=organization, licence=licence)
        return f"Wrote {len(names)} files to {folder}."
