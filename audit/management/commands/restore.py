"""`manage.py restore FILE`: see `audit.installation.backups`."""

from pathlib import Path

from annotations.management.command import PlainCommand
from audit.installation import backups


class Command(PlainCommand):
    help = "Restore a backup into an empty installation, or try whether it could be restored."

    def arguments(self, add) -> None:
        add("file", type=Path)
        scratch = "restore into a scratch place, count everything, and leave nothing there"
        add.flag("--check", scratch)

    def handle(self, *, file, check, **options) -> None:
        contents, warnings = (backups.check if check else backups.restore)(file)
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
