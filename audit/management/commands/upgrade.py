"""`manage.py upgrade`: see `audit.installation.upgrade`."""

from __future__ import annotations

from django.core.management import CommandError

from annotations.management.command import Arguments, PlainCommand
from audit.installation import upgrade


class Command(PlainCommand):
    help = (
        "Bring an installation to this version, or make a new one: backup, tables, files of the pages, "
        "a check. Run again, it does what is left."
    )

    def arguments(self, add: Arguments) -> None:
        add.flag("--no-backup", "there is a backup, made by other means")

    def handle(self, *, no_backup, **options) -> None:
        try:
            for name, words in upgrade.steps(backup=not no_backup):
                self.stdout.write(f"{name:<12}  {words}")
                self.stdout.flush()
        except upgrade.Failed as failure:
            raise CommandError(
                f"The upgrade stopped at {failure} Nothing after that step was done."
            ) from None
