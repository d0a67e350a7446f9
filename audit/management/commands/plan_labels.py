"""`manage.py plan_labels STUDY --within 3`: how many labels, hours and money an interval takes."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from audit.next_labels.plan import MORE, TARGETS, Wish, plan
from audit.next_labels.plan_words import as_text


class Command(BaseCommand):
    help = "Plan how many labels a study needs, from its labels so far or from assumptions."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--within",
            type=float,
            required=True,
            metavar="X",
            help="half the width of the interval: points, or steps of a rating",
        )
        parser.add_argument(
            "--target",
            choices=tuple(TARGETS),
            default="images",
            help="for just these images, or for prompts like these",
        )
        parser.add_argument(
            "--judge", action="append", default=[], metavar="J", help="whose help is counted on"
        )
        parser.add_argument("--question")
        parser.add_argument("--pay-per-hour", type=float, metavar="X")
        parser.add_argument("--people", type=int, help="per image; usually what the study wants")
        parser.add_argument(
            "--seconds", type=float, help="an answer takes; usually people's median"
        )
        parser.add_argument("--rho", type=float, help="assume this correlation of judge and people")
        parser.add_argument("--variance", type=float, help="assume this variance of answers")
        parser.add_argument("--more", type=int, default=MORE, help="what so many more would buy")
        parser.add_argument("--json", action="store_true")

    def handle(self, *, study, within, json: bool, **options) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        names = (
            "target",
            "question",
            "pay_per_hour",
            "people",
            "seconds",
            "rho",
            "variance",
            "more",
        )
        wish = Wish(
            within, judges=tuple(options["judge"]), **{name: options[name] for name in names}
        )
        try:
            body = plan(place, wish)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(_as_json(body) if json else as_text(body))


def _as_json(body: dict) -> str:
    return json.dumps(body, ensure_ascii=False, allow_nan=False)
