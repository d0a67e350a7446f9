"""`jurybox tutorial`: four small tables to try everything with."""

import shutil
from pathlib import Path

from django.conf import settings

from annotations.errors import Refused
from annotations.management.command import PlainCommand

TABLES = ("labels.csv", "scores.csv", "images.csv", "generators.csv")
LINE = "jurybox audit {0}/labels.csv {0}/scores.csv --images {0}/images.csv --generators {0}/generators.csv"


class Command(PlainCommand):
    help = "Write the tables of a simulated study, to try `jurybox audit` with."

    def arguments(self, add) -> None:
        add("folder", "where to", nargs="?", default="tutorial")

    def handle(self, *, folder: str, **options) -> None:
        to = Path(folder)
        if there := [name for name in TABLES if (to / name).exists()]:
            raise Refused(f"{to / there[0]} is there already. Name another folder.")
        to.mkdir(parents=True, exist_ok=True)
        for name in TABLES:
            shutil.copyfile(settings.TUTORIAL_DIR / name, to / name)
        self.stdout.write(f"{len(TABLES)} tables lie in {to}. Now: {LINE.format(to)}")
