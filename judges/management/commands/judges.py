"""`manage.py judges`: which judges can run on this machine, and what the others lack, in words."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges.management.option_tables import option_tables
from judges.runs.queries import list_judges


class Command(BaseCommand):
    help = "List the judges: which can run here, what the others lack, which options they take."

    def add_arguments(self, parser) -> None:
        parser.add_argument("judge", nargs="?", default="", help="show only this one, with options")
        parser.add_argument("--json", action="store_true", help="print one list")
        parser.add_argument(
            "--markdown", action="store_true", help="print the tables of options in docs/judges.md"
        )

    def handle(self, *, judge, markdown, **options) -> None:
        if markdown:
            self.stdout.write(option_tables())
            return
        try:
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
