"""`manage.py backup FILE`: see `audit.installation.backups`."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.installation import backups


class Command(BaseCommand):
    help = "Save the database and images of this embedded installation in one file."
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
