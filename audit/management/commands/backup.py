"""`manage.py backup FILE`: see `audit.installation.backups`."""

from pathlib import Path

from annotations.management.command import PlainCommand
from audit.installation import backups


class Command(PlainCommand):
    help = "Save the database, the files and the secret key of this installation in one file."

    def arguments(self, add) -> None:
        add("file", type=Path)

    def handle(self, *, file, **options) -> None:
        contents = backups.back_up(file)
        self.stdout.write(
            f"Saved {contents.annotations} annotations, {contents.images} images and "
            f"{contents.files} files (backup of {contents.made_at}).\n"
            "It holds the secret key too, on which pseudonyms and log-ins rest: keep it like a password."
        )
        for words in contents.warnings:
            self.stderr.write(f"Warning: {words}")
