"""`manage.py draw_labels STUDY --count 300 --seed 7`: which images people label next."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Draw, Study
from audit.next_labels.draw import BY, draw_labels
from audit.next_labels.to_people import draw_to_people, newest_body


class Command(BaseCommand):
    help = "Draw the images that people label next; all others wait."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument(
            "--count", type=int, help="how many images; by escalation, usually as many as it takes"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--by",
            choices=(*BY, "escalation"),
            default="uniform",
            help="uncertainty: more often where the judges are unsure; escalation: surely where a judge "
            "may not be trusted; with both, only weighted numbers are reported",
        )
        parser.add_argument("--judge", metavar="J", help="by escalation: the judge")

    def handle(self, *, study, count, seed, by, judge, **options) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        try:
            made = _drawn(place, count, seed, by, judge)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        left = made.selection.images if made.selection else 0
        self.stdout.write(
            f"{made.count} images drawn, {made.get_by_display()}. People now get {left} images "
            "(with what earlier draws left) and no others, until you end it under Data."
        )


def _drawn(study: Study, count: int | None, seed: int, by: str, judge: str | None) -> Draw:
    if by == Draw.By.ESCALATION:
        if not judge:
            raise Refused("Say whose images go to people: --judge J.")
        body = newest_body(study)
        return draw_to_people(study=study, judge=judge, body=body, seed=seed, count=count)
    if judge:
        raise Refused("A judge is chosen for a draw --by escalation; by uncertainty all are asked.")
    if count is None:
        raise Refused("Say how many images: --count N.")
    return draw_labels(study=study, count=count, seed=seed, by=by)
