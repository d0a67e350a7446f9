"""`manage.py judge_dates STUDY list|set`: release dates of judges that the code does not know."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from judges.runs import release_dates


class Command(BaseCommand):
    help = "List the judges whose release date is not known here, or set it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list")
        change = verbs.add_parser("set")
        change.add_argument("judge", help="its name, or its fingerprint")
        change.add_argument("--released", required=True, help="a full date like 2024-10-05")

    def handle(self, *, study, verb, **given) -> None:
        place = Study.objects.filter(slug=study).first()
        if place is None:
            raise CommandError(f"There is no study “{study}”.")
        runs = release_dates.open_ones(place)
        if verb == "list":
            for run in runs:
                self.stdout.write(f"{run.judge.name} {run.judge_released or '–'}")
            return
        wanted = given["judge"]
        chosen = [run for run in runs if wanted in (run.judge.name, run.judge.fingerprint)]
        if len(chosen) != 1:
            many = "Several judges have" if chosen else "No judge without a date of its own has"
            raise CommandError(f"{many} the name “{wanted}”.")
        try:
            release_dates.set_dates(study=place, given={chosen[0].pk: given["released"]})
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(f"{chosen[0].judge.name} was released on {given['released']}.")
