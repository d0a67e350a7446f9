"""`manage.py leaderboard STUDY`: the generators by people and by each judge."""

from annotations.management.command import StudyCommand, as_json
from audit.contests.parameters import MADE_FROM, TIES, Parameters
from audit.contests.standings import leaderboard
from audit.doors.files import as_text
from audit.management.report_options import add_seed_and_resamples, check_resamples
from audit.questions.leaderboard.exhibits import EXHIBITS


class Command(StudyCommand):
    help = "Say which generators win, by people and by each judge, from comparisons of two images."

    def arguments(self, add) -> None:
        add("--question", default="")
        model = "the model of ties; arena counts half a win for both"
        add("--ties", model, choices=tuple(TIES), default="davidson")
        add("--slice", "prompts with this tag only", default="", metavar="TAG")
        add(
            "--from",
            "images seen side by side, where there are votes, or answers about single images",
            dest="made_from",
            choices=tuple(MADE_FROM),
            default="",
        )
        add_seed_and_resamples(add)
        add.json()

    def do(self, study, *, seed, resamples, json, **options) -> str:
        check_resamples(resamples)
        names = ("question", "ties", "slice", "made_from")
        asked = Parameters(**{name: options[name] for name in names})
        body = leaderboard(study, asked, resamples=resamples, seed=seed)
        return as_json(body) if json else as_text(EXHIBITS, body)
