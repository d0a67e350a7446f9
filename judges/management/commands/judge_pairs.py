"""`manage.py judge_pairs STUDY JUDGE`: a model says which of two images matches better, in both orders."""

from annotations import event_log
from annotations.management.command import StudyCommand
from judges.management.judge_options import add_option, options_of
from judges.preferences.ask import ask
from jurybox_judging.methods.which_of_two import APART, LAYOUTS


class Command(StudyCommand):
    help = (
        "Ask the model of a judge which of two images matches their prompt better, twice for each pair "
        "of the study, with the sides exchanged. The leaderboard shows what it said."
    )

    def arguments(self, add) -> None:
        add("judge", "one with a part “talk”, whose model is asked")
        add_option(add, "talk.checkpoint=…")
        add(
            "--like",
            "how both are shown: “apart”, with the prompt's own pictures; “strip”, pasted side by side; or in "
            "the words of UnifiedReward",
            choices=[layout.name for layout in LAYOUTS.values()],
            default=APART.name,
        )
        add("--limit", "only so many pairs, the first ones", type=int)

    def do(self, study, *, judge, option, limit, like, **options) -> str:
        (layout,) = (layout for layout in LAYOUTS.values() if layout.name == like)
        told = ask(
            study=study,
            name=judge,
            options=options_of(judge, option),
            limit=limit,
            layout=layout,
        )
        event_log.note(study, "started", f"asked {told.judge} about {told.pairs} pairs")
        return told.sentence()
