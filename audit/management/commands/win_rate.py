"""`manage.py win_rate STUDY A B`: how often one generator wins against another, with judges' help."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.pairs.votes import MATCH
from audit.contests.win_rate import win_rate
from audit.words import contests as words
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = (
        "Say how often one generator wins against another over all prompts that both have, from people's "
        "votes on some pairs with the help of judges' scores of all."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("first", metavar="A", help="a generator, by name")
        parser.add_argument("second", metavar="B")
        parser.add_argument(
            "--judge",
            action="append",
            default=[],
            metavar="NAME",
            help="may be given several times; without it, every judge with all scores",
        )
        parser.add_argument("--question", default=MATCH)
        parser.add_argument("--json", action="store_true")

    def handle(self, *, study, first, second, judge, question, **options) -> None:
        try:
            body = win_rate(study_or_error(study), first, second, judges=judge, question=question)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        told = json.dumps(body, ensure_ascii=False) if options["json"] else ""
        self.stdout.write(told or "\n".join(words.of_rate(body)))
