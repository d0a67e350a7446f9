"""`manage.py upgrade`: see `audit.installation.upgrade`."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from audit.installation import upgrade


class Command(BaseCommand):
    help = (
        "Bring an installation to this version, or make a new one: backup, tables, files of the pages, "
        "a check. Run again, it does what is left."
    )
    requires_system_checks = ()

    def add_arguments(self, parser) -> None:
        parser.add_argument(
            "--no-backup", action="store_true", help="there is a backup, made by other means"
        )

    def handle(self, *, no_backup, **options) -> None:
        try:
            for name, words in upgrade.steps(backup=not no_backup):
                self.stdout.write(f"{name:<12}  {words}")
                self.stdout.flush()
        except upgrade.Failed as failure:
            raise CommandError(
                f"The upgrade stopped at {failure} Nothing after that step was done."
            ) from None
