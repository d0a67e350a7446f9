"""`manage.py repair_gains STUDY`: what repairing gained above another try, by people and by each judge."""

from __future__ import annotations

import json

from django.core.management import BaseCommand

from audit.repairs.gains import gains
from audit.words import repairs as words
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = (
        "Print the gain of repaired images over their controls, paired by prompt, with intervals."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, study, **options) -> None:
        body = gains(study_or_error(study))
        if options["json"]:
            self.stdout.write(json.dumps(body, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(words.sentences(body)))
