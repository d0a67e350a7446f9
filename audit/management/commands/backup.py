"""`manage.py backup FILE`: see `audit.installation.backups`."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.installation import backups


class Command(BaseCommand):
    help = "Save the database, the files and the secret key of this installation in one file."
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file, **options) -> None:
        try:
            contents = backups.back_up(file)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(
            f"Saved {contents.annotations} annotations, {contents.images} images and "
            f"{contents.files} files (backup of {contents.made_at})."
        )
        self.stdout.write(
            "It holds the secret key too, on which pseudonyms and log-ins rest: keep it like a password."
        )
        for words in contents.warnings:
            self.stderr.write(f"Warning: {words}")
