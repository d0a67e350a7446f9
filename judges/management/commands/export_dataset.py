"""`manage.py export_dataset STUDY FOLDER`: a dataset as the Hugging Face hub has them."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.consensus import RULES
from annotations.errors import Refused
from annotations.exports import pseudonyms
from judges.exports import hub
from judges.exports.dataset import write_dataset
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "Write a study as Parquet with pictures and a card, as `datasets` reads it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("folder", type=Path)
        parser.add_argument("--pseudonyms", choices=pseudonyms.RULES, default=pseudonyms.RULES[0])
        parser.add_argument("--consensus", choices=list(RULES), default="majority")
        parser.add_argument("--licence", default="", help="for the card, like cc-by-4.0")
        parser.add_argument(
            "--push", default="", metavar="OWNER/NAME", help="then send it to the hub, as private"
        )
        parser.add_argument("--public", action="store_true", help="with --push: for everybody")

    def handle(self, *, study, folder, push, public, **options) -> None:
        exported = study_or_error(study)
        try:
            if push:
                # Before an hour of writing.
                hub.check_name(push)
                hub.library()
            about = write_dataset(
                exported,
                folder,
                people=options["pseudonyms"],
                rule=options["consensus"],
                licence=options["licence"],
            )
            event_log.note(exported, "exported", "exported a dataset with pictures")
            counts = ", ".join(f"{count} {name}" for name, count in about["counts"].items())
            self.stdout.write(f"Wrote {folder}: {counts}.")
            if push:
                self.stdout.write(f"Sent to {hub.push(folder, push, public=public)}.")
                event_log.note(exported, "exported", f"sent a dataset to {push}")
        except Refused as refusal:
            raise CommandError(refusal.message) from None
