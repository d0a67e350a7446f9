"""`manage.py draw_labels STUDY --count 300 --seed 7`: which images people label next."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from audit.next_labels.draw import BY, draw_labels


class Command(BaseCommand):
    help = "Draw the images that people label next; all others wait."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("--count", type=int, required=True, help="how many images")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--by",
            choices=BY,
            default="uniform",
            help="uncertainty: more often where the judges are unsure; then only weighted numbers "
            "are reported",
        )

    def handle(self, *, study, count, seed, by, **options) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        try:
            made = draw_labels(study=place, count=count, seed=seed, by=by)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        left = made.selection.images if made.selection else 0
        self.stdout.write(
            f"{made.count} images drawn, {made.get_by_display()}. People now get {left} images "
            "(with what earlier draws left) and no others, until you end it under Data."
        )
