"""`manage.py judge_pairs STUDY JUDGE`: a model says which of two images matches better, in both orders."""

from annotations import event_log
from annotations.management.command import StudyCommand
from judges.management.judge_options import add_option, options_of
from judges.preferences.ask import ask


class Command(StudyCommand):
    help = (
        "Ask the model of a judge which of two images matches their prompt better, twice for each pair "
        "of the study, with the sides exchanged. The leaderboard shows what it said."
    )

    def arguments(self, add) -> None:
        add("judge", "one with a part “talk”, whose model is asked")
        add_option(add, "talk.checkpoint=…")
        add("--limit", "only so many pairs, the first ones", type=int)

    def do(self, study, *, judge, option, limit, **options) -> str:
        told = ask(study=study, name=judge, options=options_of(judge, option), limit=limit)
        event_log.note(study, "started", f"asked {told.judge} about {told.pairs} pairs")
        return told.words()
