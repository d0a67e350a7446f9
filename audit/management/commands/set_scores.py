"""`manage.py set_scores STUDY`: the official score of a known set, for each generator."""

from annotations.management.command import StudyCommand, as_json
from audit.set_scores.figures import EDITIONS, SLIPS
from audit.set_scores.official import in_words, official_scores


class Command(StudyCommand):
    help = (
        "Print what a set's own script would print of each generator (T2I-CoReBench, UniGenBench, DPG-Bench, "
        "LongText, OneIG, CVTG, WISE, TIIF, and sets of edits), from one judge's stored scores, with intervals over "
        "prompts."
    )

    def arguments(self, add) -> None:
        add(
            "--judge",
            "or people; needed where several have scored the study",
            default="",
            metavar="NAME",
        )
        slips = ", ".join(slip for some in SLIPS.values() for slip in some)
        coded = f"do as the script does by a slip, may be given several times: {slips}"
        add.many("--as-coded", coded, metavar="SLIP")
        editions = ", ".join(name for some in EDITIONS.values() for name in some)
        add("--edition", f"of WISE: {editions}", default="", metavar="NAME")
        add.json()

    def do(self, study, *, judge, as_coded, edition, json, **options) -> str:
        body = official_scores(study, judge=judge, slips=as_coded, edition=edition)
        return as_json(body) if json else in_words(body)
