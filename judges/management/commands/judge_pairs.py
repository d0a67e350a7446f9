"""`manage.py judge_pairs STUDY JUDGE`: a model says which of two images matches better, in both orders."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations import event_log
from annotations.errors import Refused
from judges.management.commands.run_judge import pairs
from judges.management.imports import study_or_error
from judges.preferences.ask import ask
from judges.registry import from_text


class Command(BaseCommand):
    help = (
        "Ask the model of a judge which of two images matches their prompt better, twice for each pair "
        "of the study, with the sides exchanged. The leaderboard shows what it said."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("judge", help="one with a part “talk”, whose model is asked")
        parser.add_argument(
            "--option", action="append", default=[], metavar="k=v", help="talk.checkpoint=…"
        )
        parser.add_argument("--limit", type=int, help="only so many pairs, the first ones")

    def handle(self, *, study, judge, option, limit, **options) -> None:
        place = study_or_error(study)
        try:
            told = ask(
                study=place, name=judge, options=from_text(judge, pairs(option)), limit=limit
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        event_log.note(place, "started", f"asked {told.judge} about {told.pairs} pairs")
        self.stdout.write(told.words())
