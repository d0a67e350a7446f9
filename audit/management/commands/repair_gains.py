"""`manage.py repair_gains STUDY`: what repairing gained above another try, by people and by each judge; or,
between two generators, what training gained."""

from annotations.management.command import StudyCommand, as_json
from audit.doors.files import as_text
from audit.questions.gains.exhibits import EXHIBITS
from audit.questions.gains.question import Parameters, compute_gains


class Command(StudyCommand):
    help = (
        "Print the gain of repaired images over their controls, paired by prompt, with intervals."
    )

    def arguments(self, add) -> None:
        training = "with --after: what training gained, by prompt"
        add("--before", training, metavar="GENERATOR")
        add("--after", metavar="GENERATOR")
        add.json()

    def do(self, study, *, before, after, json, **options) -> str:
        body = compute_gains(study, Parameters(before or "", after or ""))
        return as_json(body, allow_nan=False) if json else as_text(EXHIBITS, body)
