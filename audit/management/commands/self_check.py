"""`manage.py self_check JUDGE STUDY`: where a judge contradicts itself, without any label."""

from django.core.management import CommandError

from annotations.management.command import PlainCommand, as_json, study_called
from audit.self_checks import counting, over_time
from audit.words import self_checks as words
from judges.management.judge_options import add_option, options_of
from judges.self_checks import jobs
from judges.self_checks.make import COUNT


class Command(PlainCommand):
    help = (
        "Change pictures and prompts so that the effect on the score is known, and ask the judge."
    )

    def arguments(self, add) -> None:
        add("judge")
        add("study", "the study's short name")
        add_option(add)
        add("--count", "images for each check", type=int, default=COUNT)
        add("--seed", type=int, default=0)
        add.json()

    def handle(self, *, judge, study, option, count, seed, json, **options) -> str:
        if not (1 <= count <= jobs.MOST and 0 <= seed <= jobs.LARGEST_SEED):
            raise CommandError(f"--count is 1 to {jobs.MOST}, --seed is 0 to {jobs.LARGEST_SEED}.")
        check = jobs.check_here(
            study=study_called(study),
            name=judge,
            options=options_of(judge, option),
            count=count,
            seed=seed,
        )
        body = counting.count_contradictions(check)
        first = over_time.first_before(check)
        compared = over_time.compare_checks(first, check) if first else None
        if json:
            return as_json({**body, "compared": compared})
        return "\n".join([*words.sentences(body, compared), "", *words.lines(body)])
