"""`manage.py restore FILE`: see `audit.installation.backups`."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.installation import backups


class Command(BaseCommand):
    help = "Restore a backup into an empty embedded installation."
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file, **options) -> None:
        try:
            contents = backups.restore(file)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(
            f"Restored {contents.annotations} annotations, {contents.images} images and "
            f"{contents.files} files (backup of {contents.made_at})."
        )
