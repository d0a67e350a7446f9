"""`manage.py restore FILE`: see `audit.installation.backups`."""

from __future__ import annotations

from pathlib import Path

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.installation import backups


class Command(BaseCommand):
    help = "Restore a backup into an empty installation, or try whether it could be restored."
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--check",
            action="store_true",
            help="restore into a scratch place, count everything, and leave nothing there",
        )

    def handle(self, *, file, check, **options) -> None:
        try:
            contents, warnings = (backups.check if check else backups.restore)(file)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        rows = sum(contents.tables.values())
        counted = f" ({rows} rows in {len(contents.tables)} tables)" if rows else ""
        self.stdout.write(
            f"{'Checked' if check else 'Restored'} {contents.annotations} annotations, "
            f"{contents.images} images and {contents.files} files{counted} "
            f"(backup of {contents.made_at})."
        )
        if check:
            self.stdout.write("All of it could be restored. Nothing was kept.")
        for words in warnings:
            self.stderr.write(f"Warning: {words}")
