"""`manage.py check_weights JUDGE`: what it would read, whether it fits, how fast it is."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges.management.commands.run_judge import pairs
from judges.registry import from_text
from judges.runs import check_weights


class Command(BaseCommand):
    help = "Check a judge's weights: files, sizes, memory and keys, from the files' headers alone."

    def add_arguments(self, parser) -> None:
        parser.add_argument("judge")
        parser.add_argument("--option", action="append", default=[], metavar="k=v")
        parser.add_argument(
            "--measure", action="store_true", help="load them, test them and time three drawings"
        )
        parser.add_argument("--json", action="store_true", help="print one list")

    def handle(self, *, judge, option, measure, **options) -> None:
        try:
            chosen = from_text(judge, pairs(option))
            checks = check_weights.check(judge, chosen, measure=measure)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            rows = [told.as_json() for told in checks]
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
        else:
            for told in checks:
                self.stdout.write("\n".join(check_weights.lines(told)))
            if not checks:
                self.stdout.write(f"{judge} reads no weights.")
        if wrong := [told.part for told in checks if told.wrong]:
            raise CommandError(f"These weights cannot be used: {', '.join(wrong)}.")
