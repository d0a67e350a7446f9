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

        add(
            "--dataset",
            "of Hugging Face: write what the hub reads, too",
            default="",
            metavar="OWNER/NAME",
        )

    def do(self, study, *, folder, organization, licence, dataset, **options) -> str:
        given = {"organization": organization, "licence": licence, "dataset": dataset}
        names = write_records(study, folder, **given)
        return f"Wrote {len(names)} files to {folder}."
