"""`manage.py why STUDY --judge J --from A --to B`: what moved the gap between people and a judge."""

from annotations.management.command import StudyCommand, as_json
from audit.anchors import certificate as certificates
from audit.management.report_options import add_seed_and_resamples, check_resamples
from audit.questions.why.question import study_called
from audit.why import watches
from audit.why.explain import explain
from audit.why.parameters import Parameters
from audit.words import why as words

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
        body = explain(study, asked, find=study_called, resamples=resamples, seed=seed)
        held = certificates.of_sides(body)
        body["watches"]["judge"] = watches.of_judge(body)
        return as_json({**body, "certificates": held}) if json else words.as_text(body, held)
