"""`manage.py judges`: which judges can run on this machine, what the others lack, and recipes of one's
own."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges import own_recipes
from judges.management.option_tables import name_tables, option_tables
from judges.runs.queries import list_judges


class Command(BaseCommand):
    help = "List the judges: which can run here, what the others lack, which options they take."

    def add_arguments(self, parser) -> None:
        parser.add_argument("judge", nargs="?", default="", help="show only this one, with options")
        parser.add_argument("--json", action="store_true", help="print one list")
        parser.add_argument(
            "--markdown",
            action="store_true",
            help="print the tables of docs/judges.md and recipes.md",
        )
        parser.add_argument("--recipe", action="store_true", help="print the judge's recipe")
        parser.add_argument("--add", metavar="FILE", help="add a recipe of your own")
        parser.add_argument("--remove", metavar="NAME", help="remove a recipe of your own")

    def handle(self, *, judge, markdown, **options) -> None:
        if markdown:
            self.stdout.write(f"{option_tables()}\n\n{name_tables()}")
            return
        try:
            if self._about_recipes(judge, options):
                return
            judges = list_judges(only=judge)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            rows = [asdict(info) for info in judges]
            self.stdout.write(json.dumps(rows, ensure_ascii=False, default=str))
            return
        width = max(len(info.name) for info in judges)
        for info in judges:
            self.stdout.write(f"{info.name:<{width}}  {info.title}\n{'':<{width}}  {info.words}")
            for told in info.declared if judge else ():
                self.stdout.write(
                    f"{'':<{width}}    {told['name']} = {told['default']}\n"
                    f"{'':<{width}}      {told['help']} It is {told['wanted']}."
                )

    def _about_recipes(self, judge: str, options: dict[str, Any]) -> bool:
        """Whether this was all that was asked for."""
        if options["recipe"]:
            if not judge:
                raise CommandError("Name the judge whose recipe you want.")
            self.stdout.write(own_recipes.text_of(judge), ending="")
        elif options["add"]:
            file = options["add"]
            try:
                content = Path(file).read_bytes()
            except OSError as error:
                raise CommandError(f"“{file}” cannot be read: {error.strerror}.") from None
            added = own_recipes.add(text=own_recipes.decoded(content, file), file=file)
            self.stdout.write(f"Added {added.name}: {added.title}")
        elif options["remove"]:
            own_recipes.remove(name=options["remove"])
            self.stdout.write(f"Removed {options['remove']}.")
        else:
            return False
        return True
