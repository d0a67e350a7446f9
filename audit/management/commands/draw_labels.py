"""`manage.py draw_labels STUDY --count 300 --seed 7`: which images people label next."""

from annotations.errors import Refused
from annotations.management.command import StudyCommand
from annotations.models import Draw, Study
from audit.next_labels.draw import BY, draw_labels
from audit.next_labels.to_people import draw_to_people, newest_body


class Command(StudyCommand):
    help = "Draw the images that people label next; all others wait."

    def arguments(self, add) -> None:
        add("--count", "how many images; by escalation, usually as many as it takes", type=int)
        add("--seed", type=int, default=0)
        add(
            "--by",
            "uncertainty: more often where the judges are unsure; escalation: surely where a judge "
            "may not be trusted; with both, only weighted numbers are reported",
            choices=(*BY, "escalation"),
            default="uniform",
        )
        add("--judge", "by escalation: the judge", metavar="J")

    def do(self, study, *, count, seed, by, judge, **options) -> str:
        made = _draw_labels(study, count, seed, by, judge)
        left = made.selection.images if made.selection else 0
        return (
            f"{made.count} images drawn, {made.get_by_display()}. People now get {left} images "
            "(with what earlier draws left) and no others, until you end it under Data."
        )


def _draw_labels(study: Study, count: int | None, seed: int, by: str, judge: str | None) -> Draw:
    if by == Draw.DrawRule.ESCALATION:
        if not judge:
            raise Refused("Say whose images go to people: --judge J.")
        body = newest_body(study)
        return draw_to_people(study=study, judge=judge, body=body, seed=seed, count=count)
    if judge:
        raise Refused("A judge is chosen for a draw --by escalation; by uncertainty all are asked.")
    if count is None:
        raise Refused("Say how many images: --count N.")
    return draw_labels(study=study, count=count, seed=seed, by=by)
