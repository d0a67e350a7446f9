"""`manage.py judges`: which judges can run on this machine, and what the others lack, in words."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges.runs.queries import list_judges


class Command(BaseCommand):
    help = "List the judges: which can run here, what the others lack, which options they take."

    def add_arguments(self, parser) -> None:
        parser.add_argument("judge", nargs="?", default="", help="show only this one, with options")
        parser.add_argument("--json", action="store_true", help="print one list")

    def handle(self, *, judge, **options) -> None:
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
            for name, value in info.options.items() if judge else ():
                self.stdout.write(f"{'':<{width}}    {name} = {value}")
