"""`manage.py pairs STUDY draw`: pairs of images for people to compare; `show`: how far they are."""

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from annotations.pairs import draws, progress
from audit.contests.useful_pairs import draw_informative


class Command(StudyCommand):
    help = "Draw pairs of images for people to compare, or show how far they are."

    def arguments(self, add) -> None:
        add("verb", choices=("draw", "show"))
        add("--per-prompt", "pairs of each prompt; a duel's is 1", type=int)
        add("--duel", "these two generators only, by name", nargs=2, metavar=("A", "B"))
        most = "half of the chances where a vote tells most, as people voted so far"
        add("--by", f"information: {most}", choices=("random", "information"), default="random")
        add("--seed", type=int, default=0)
        add("--overlap", "how many people compare each pair", type=int)
        picture = "also ask which one is the better picture"
        add("--quality", picture, action="store_true", default=None)

    def do(self, study, *, verb, **options) -> str:
        if verb == "draw":
            self._draw(study, **options)
        return progress.study_progress(study).sentence()

    def _draw(self, study, *, duel, by, overlap, quality, per_prompt, seed, **options) -> None:
        if duel and by != "random":
            raise CommandError("A duel is drawn at random: leave out --by.")
        if overlap is not None or quality is not None:
            draws.plan(study, overlap=overlap, quality=quality)
        if duel:
            one, other = duel
            made = draws.duel(
                study=study, one=one, other=other, per_prompt=per_prompt or 1, seed=seed
            )
        else:
            draw = draw_informative if by == "information" else draws.draw
            made = draw(study=study, per_prompt=per_prompt or 3, seed=seed)
        self.stdout.write(f"Drew {made}.")
        if made.note:
            self.stdout.write(made.note)
