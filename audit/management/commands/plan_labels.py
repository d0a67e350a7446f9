"""`manage.py plan_labels STUDY --within 3`: how many labels, hours and money an interval takes."""

from annotations.management.command import StudyCommand, as_json
from audit.next_labels.plan import MORE, TARGETS, Wish, plan
from audit.next_labels.plan_words import as_text

NAMES = ("target", "question", "pay_per_hour", "people", "seconds", "rho", "variance", "more")


class Command(StudyCommand):
    help = "Plan how many labels a study needs, from its labels so far or from assumptions."

    def arguments(self, add) -> None:
        half = "half the width of the interval: points, or steps of a rating"
        add("--within", half, type=float, required=True, metavar="X")
        these = "for just these images, or for prompts like these"
        add("--target", these, choices=tuple(TARGETS), default="images")
        add.many("--judge", "whose help is counted on", metavar="J")
        add("--question")
        add("--pay-per-hour", type=float, metavar="X")
        add("--people", "per image; usually what the study wants", type=int)
        add("--seconds", "an answer takes; usually people's median", type=float)
        add("--rho", "assume this correlation of judge and people", type=float)
        add("--variance", "assume this variance of answers", type=float)
        add("--more", "what so many more would buy", type=int, default=MORE)
        add.json()

    def do(self, study, *, within, judge, json, **options) -> str:
        wish = Wish(within, judges=tuple(judge), **{name: options[name] for name in NAMES})
        body = plan(study, wish)
        return as_json(body, allow_nan=False) if json else as_text(body)
