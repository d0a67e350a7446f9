"""`manage.py why STUDY --judge J --from A --to B`: what moved the gap between people and a judge."""

from annotations.management.command import StudyCommand, as_json
from audit.doors.files import as_text
from audit.management.report_options import add_seed_and_resamples, check_resamples
from audit.questions.why.exhibits import EXHIBITS
from audit.questions.why.question import explain_with_anchors
from audit.why.parameters import Parameters

SIDE = (
    "generators with commas between them, released=2024-01-01..2024-12-31, labelled=2025-01-01.. "
)


class Command(StudyCommand):
    help = "Say why the gap between people and a judge moved from one side of a study to another."

    def arguments(self, add) -> None:
        add("--judge", required=True, metavar="J")
        now = "another version, which scored the second side"
        add("--judge-now", now, default="", metavar="J")
        add("--from", SIDE, dest="before", required=True, metavar="A")
        add("--to", f"{SIDE}or study=NAME", dest="after", required=True, metavar="B")
        add("--question", default="")
        add_seed_and_resamples(add)
        add.json()

    def do(self, study, *, seed, resamples, json, **options) -> str:
        check_resamples(resamples)
        names = ("judge", "before", "after", "judge_now", "question")
        asked = Parameters(**{name: options[name] for name in names})
        body = explain_with_anchors(study, asked, resamples=resamples, seed=seed)
        return as_json(body) if json else as_text(EXHIBITS, body)
