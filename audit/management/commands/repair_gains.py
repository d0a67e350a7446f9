"""`manage.py repair_gains STUDY`: what repairing gained above another try, by people and by each judge; or,
between two generators, what training gained."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.repairs.before_after import before_after
from audit.repairs.gains import gains
from audit.words import repairs as words
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = (
        "Print the gain of repaired images over their controls, paired by prompt, with intervals."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--before", metavar="GENERATOR", help="with --after: what training gained, by prompt"
        )
        parser.add_argument("--after", metavar="GENERATOR")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, study, **options) -> None:
        before, after = options["before"], options["after"]
        if bool(before) != bool(after):
            raise CommandError("Give --before and --after together.")
        try:
            place = study_or_error(study)
            body = before_after(place, before, after) if before else gains(place)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            self.stdout.write(json.dumps(body, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(words.trained(body) if before else words.sentences(body)))
