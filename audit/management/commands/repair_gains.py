"""`manage.py repair_gains STUDY`: what repairing gained above another try, by people and by each judge; or,
between two generators, what training gained."""

from django.core.management import CommandError

from annotations.management.command import StudyCommand, as_json
from audit.repairs.before_after import before_after
from audit.repairs.gains import gains
from audit.words import repairs as words


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
        if bool(before) != bool(after):
            raise CommandError("Give --before and --after together.")
        body = before_after(study, before, after) if before else gains(study)
        if json:
            return as_json(body, allow_nan=False)
        return "\n".join(words.trained(body) if before else words.sentences(body))
