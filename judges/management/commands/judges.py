"""`manage.py judges`: which judges can run on this machine, and what the others lack, in words."""

from __future__ import annotations

import json
from dataclasses import asdict

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges.runs.queries import Known, known_judges


class Command(BaseCommand):
    help = "List the judges: which can run here, what the others lack, which options they take."

    def add_arguments(self, parser) -> None:
        parser.add_argument("judge", nargs="?", default="", help="show only this one, with options")
        parser.add_argument("--json", action="store_true", help="print one list")

    def handle(self, *, judge, **options) -> None:
        try:
            known = known_judges(only=judge)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            self.stdout.write(json.dumps([_plain(one) for one in known], ensure_ascii=False))
            return
        width = max(len(one.name) for one in known)
        for one in known:
            self.stdout.write(f"{one.name:<{width}}  {one.title}\n{'':<{width}}  {one.words}")
            for name, value in one.options.items() if judge else ():
                self.stdout.write(f"{'':<{width}}    {name} = {value}")


def _plain(one: Known) -> dict:
    return json.loads(json.dumps(asdict(one), default=str))
