"""`manage.py use_jury STUDY`: make a jury of the study's judges, itself a judge from then on."""

from annotations.management.command import StudyCommand
from audit.questions.jury.adopt import adopt
from audit.questions.jury.question import STACK, SUGGESTED, WAYS, Parameters


class Command(StudyCommand):
    help = "Use a jury of this study's judges as a judge of it. Its gain: manage.py answer jury."

    def arguments(self, add) -> None:
        add(
            "--members",
            "names of judges with commas between, or all; a suggestion without",
            default=SUGGESTED,
        )
        add("--way", "how scores are combined", choices=tuple(WAYS), default=STACK)

    def do(self, study, *, members, way, **options) -> str:
        run = adopt(study=study, parameters=Parameters(way=way, members=members))
        return f"{run.judge} has scored {run.scored:,} of {run.expected:,} images."
