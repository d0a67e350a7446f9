"""`manage.py pairs STUDY draw`: pairs of images for people to compare; `show`: how far they are."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from annotations.pairs import draws, progress
from audit.contests.useful_pairs import draw_informative


class Command(BaseCommand):
    help = "Draw pairs of images for people to compare, or show how far they are."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("verb", choices=("draw", "show"))
        parser.add_argument("--per-prompt", type=int, help="pairs of each prompt; a duel's is 1")
        parser.add_argument(
            "--duel", nargs=2, metavar=("A", "B"), help="these two generators only, by name"
        )
        parser.add_argument(
            "--by",
            choices=("random", "information"),
            default="random",
            help="information: half of the chances where a vote tells most, as people voted so far",
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--overlap", type=int, help="how many people compare each pair")
        parser.add_argument(
            "--quality",
            action="store_true",
            default=None,
            help="also ask which one is the better picture",
        )

    def handle(self, *, study, verb, duel, overlap, quality, **options) -> None:
        try:
            place = Study.objects.get(slug=study)
        except Study.DoesNotExist:
            raise CommandError(f"There is no study “{study}”.") from None
        try:
            if verb == "draw":
                if duel and options["by"] != "random":
                    raise CommandError("A duel is drawn at random: leave out --by.")
                self._draw(place, duel, overlap, quality, options)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(progress.of(place).words())

    def _draw(self, study, duel, overlap, quality, options) -> None:
        if overlap is not None or quality is not None:
            draws.plan(study, overlap=overlap, quality=quality)
        per_prompt, seed = options["per_prompt"], options["seed"]
        if duel:
            one, other = duel
            made = draws.duel(
                study=study, one=one, other=other, per_prompt=per_prompt or 1, seed=seed
            )
        elif options["by"] == "information":
            made = draw_informative(study=study, per_prompt=per_prompt or 3, seed=seed)
        else:
            made = draws.draw(study=study, per_prompt=per_prompt or 3, seed=seed)
        self.stdout.write(f"Drew {made}.")
        if made.note:
            self.stdout.write(made.note)
