"""`manage.py export_dataset STUDY FOLDER`: a dataset as the Hugging Face hub has them."""

from pathlib import Path

from annotations import event_log
from annotations.consensus import RULES
from annotations.exports import pseudonyms
from annotations.management.command import StudyCommand
from judges.exports import hub
from judges.exports.dataset import write_dataset


class Command(StudyCommand):
    help = "Write a study as Parquet with pictures and a card, as `datasets` reads it."

    def arguments(self, add) -> None:
        add("folder", type=Path)
        add("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])
        add("--consensus", choices=list(RULES), default="majority")
        add("--licence", "for the card, like cc-by-4.0", default="")
        add("--push", "then send it to the hub, as private", default="", metavar="OWNER/NAME")
        add.flag("--public", "with --push: for everybody")

    def do(self, study, *, folder, push, public, **options) -> None:
        if push:
            # Before an hour of writing.
            hub.check_name(push)
            hub.library()
        people, rule = options["pseudonyms"], options["consensus"]
        about = write_dataset(study, folder, people=people, rule=rule, licence=options["licence"])
        event_log.note(study, "exported", "exported a dataset with pictures")
        counts = ", ".join(f"{count} {name}" for name, count in about["counts"].items())
        self.stdout.write(f"Wrote {folder}: {counts}.")
        if push:
            self.stdout.write(f"Sent to {hub.push(folder, push, public=public)}.")
            event_log.note(study, "exported", f"sent a dataset to {push}")
