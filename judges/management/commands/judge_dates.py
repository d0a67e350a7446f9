"""`manage.py judge_dates STUDY list|set`: release dates of judges that the code does not know."""

from django.core.management import CommandError

from annotations.management.command import StudyCommand
from judges.runs import release_dates


class Command(StudyCommand):
    help = "List the judges whose release date is not known here, or set it."

    def arguments(self, add) -> None:
        add.verb("list", "print each with its date")
        change = add.verb("set", "set the date of one")
        change("judge", "its name, or its fingerprint")
        change("--released", "a full date like 2024-10-05", required=True)

    def _list(self, study, given: dict) -> str:
        runs = release_dates.open_ones(study)
        return "\n".join(f"{run.judge.name} {run.judge_released or '–'}" for run in runs)

    def _set(self, study, given: dict) -> str:
        wanted, released = given["judge"], given["released"]
        runs = release_dates.open_ones(study)
        chosen = [run for run in runs if wanted in (run.judge.name, run.judge.fingerprint)]
        if len(chosen) != 1:
            many = "Several judges have" if chosen else "No judge without a date of its own has"
            raise CommandError(f"{many} the name “{wanted}”.")
        release_dates.set_dates(study=study, given={chosen[0].pk: released})
        return f"{chosen[0].judge.name} was released on {released}."
