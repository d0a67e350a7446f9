"""`manage.py anchors STUDY make|score|certificate|ask`: whether a judge, and people, are still what they
were."""

from django.core.management import CommandError

from annotations.anchors import again, keep
from annotations.errors import Refused
from annotations.management.command import StudyCommand, as_json
from annotations.models import AnchorRound, Study
from annotations.stored_answers.question import images_n
from audit.anchors.certificate import certificate, newest
from audit.anchors.draw import COUNT, make_anchors
from audit.words import anchors as sentences
from judges.anchors import jobs
from judges.models import Run
from judges.names import runs_by_name
from jurybox_judging.errors import Passing


class Command(StudyCommand):
    help = (
        "Freeze images as anchors, let a judge score them again and say whether it has changed; or ask "
        "people about them again."
    )

    def arguments(self, add) -> None:
        add("do", choices=("make", "score", "certificate", "ask"))
        add("--count", "how many images to freeze", type=int, default=COUNT)
        add("--judge", "a judge that has scored the study", metavar="J")
        form, now = "with the form of today, or the one that people answered with then", "now"
        add("--words", f"ask: {form}", choices=AnchorRound.Wording.values, default=now)
        add.flag("--soon", "ask: within 14 days of people's answers, too")
        add.json("print the certificate as one object")

    def do(self, study, *, do, count, judge, words, soon, json, **options) -> str:
        if do == "make":
            made = make_anchors(study=study, count=count)
            return f"Froze {made.count} of {made.of} images as anchors (seed {made.seed})."
        anchors = keep.newest(study)
        if anchors is None:
            raise Refused(f"There are no anchors yet: manage.py anchors {study.slug} make")
        if do == "ask":
            asked = again.ask_again(study=study, anchors=anchors, words=words, soon=soon)
            return (
                f"Study {asked.study.slug} asks about {images_n(asked.study)} anchors again, "
                f"in {asked.get_words_display()}."
            )
        run = _run(study, judge)
        found = newest(run)
        if do == "score":
            try:
                found = jobs.score_here(run=run, anchors=anchors)
            except Passing as error:
                raise CommandError(f"The engine could not be reached: {error.reason}.") from None
        elif found is None:
            score = f"manage.py anchors {study.slug} score --judge {judge}"
            raise Refused(f"“{judge}” has not scored anchors yet: {score}")
        body = certificate(found)
        return as_json(body, allow_nan=False) if json else "\n".join(sentences.sentences(body))


def _run(study: Study, name: str | None) -> Run:
    runs = runs_by_name(study)
    if name in runs:
        return runs[name]
    known = ", ".join(f"“{one}”" for one in runs) or "none yet"
    raise Refused(f"Say which judge: --judge J. Judges of this study: {known}.")
