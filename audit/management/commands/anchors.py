"""`manage.py anchors STUDY make|score|certificate|ask`: whether a judge, and people, are still what they
were."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.anchors import again, keep
from annotations.errors import Refused
from annotations.kept.figures import images_n
from annotations.models import AnchorRound, Study
from audit.anchors.certificate import certificate, newest
from audit.anchors.draw import COUNT, make_anchors
from audit.words import anchors as words
from judges.anchors import jobs
from judges.errors import Passing
from judges.management.imports import study_or_error
from judges.models import Run
from judges.names import runs_by_name


class Command(BaseCommand):
    help = (
        "Freeze images as anchors, let a judge score them again and say whether it has changed; or ask "
        "people about them again."
    )

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("do", choices=("make", "score", "certificate", "ask"))
        parser.add_argument("--count", type=int, default=COUNT, help="how many images to freeze")
        parser.add_argument("--judge", metavar="J", help="a judge that has scored the study")
        parser.add_argument(
            "--words",
            choices=AnchorRound.Words.values,
            default=AnchorRound.Words.NOW.value,
            help="ask: with the form of today, or the one that people answered with then",
        )
        parser.add_argument(
            "--soon", action="store_true", help="ask: within 14 days of people's answers, too"
        )
        parser.add_argument(
            "--json", action="store_true", help="print the certificate as one object"
        )

    def handle(self, *, study, do, count, judge, **options) -> None:
        place = study_or_error(study)
        try:
            if do == "make":
                made = make_anchors(study=place, count=count)
                self.stdout.write(
                    f"Froze {made.count} of {made.of} images as anchors (seed {made.seed})."
                )
                return
            anchors = keep.newest(place)
            if anchors is None:
                raise Refused(f"There are no anchors yet: manage.py anchors {study} make")
            if do == "ask":
                asked = again.ask_again(
                    study=place, anchors=anchors, words=options["words"], soon=options["soon"]
                )
                self.stdout.write(
                    f"Study {asked.study.slug} asks about {images_n(asked.study)} anchors again, "
                    f"in {asked.get_words_display()}."
                )
                return
            run = _run(place, judge)
            found = newest(run)
            if do == "score":
                found = jobs.score_here(run=run, anchors=anchors)
            elif found is None:
                raise Refused(
                    f"“{judge}” has not scored anchors yet: manage.py anchors {study} score --judge {judge}"
                )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        except Passing as error:
            raise CommandError(f"The engine could not be reached: {error.reason}.") from None
        body = certificate(found)
        if options["json"]:
            self.stdout.write(json.dumps(body, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(words.sentences(body)))


def _run(study: Study, name: str | None) -> Run:
    runs = runs_by_name(study)
    if name in runs:
        return runs[name]
    known = ", ".join(f"“{one}”" for one in runs) or "none yet"
    raise Refused(f"Say which judge: --judge J. Judges of this study: {known}.")
