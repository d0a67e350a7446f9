"""`manage.py compare_engines STUDY KEY KEY`: how far two detectors agree, class by class."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from judges.looks.detector_agreement import OVERLAP, THRESHOLD, ClassAgreement, compare
from judges.management.imports import study_or_error


class Command(BaseCommand):
    help = "Compare two detectors on the images that both were asked about."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        parser.add_argument("first", help="a judge's name, or the key of a detector's looks")
        parser.add_argument("second")
        parser.add_argument("--threshold", type=float, default=THRESHOLD)
        parser.add_argument("--overlap", type=float, default=OVERLAP)
        parser.add_argument("--json", action="store_true", help="print one object")

    def handle(self, *, study, first, second, threshold, overlap, **options) -> None:
        try:
            agreement = compare(
                study_or_error(study), first, second, threshold=threshold, overlap=overlap
            )
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        if options["json"]:
            self.stdout.write(json.dumps(agreement.as_json(), ensure_ascii=False))
            return
        self.stdout.write(
            f"{agreement.images} images; detections above {threshold:g}, boxes that share {overlap:g}"
        )
        width = max(len(row.name) for row in (agreement.overall, *agreement.classes))
        self.stdout.write(f"{'class':<{width}}   first  second    both  agreement")
        for row in (agreement.overall, *agreement.classes):
            self.stdout.write(_line(row, width))


def _line(row: ClassAgreement, width: int) -> str:
    share = "neither detected any" if row.share is None else f"{row.share:.3f}"
    return f"{row.name:<{width}}  {row.first:6}  {row.second:6}  {row.both:6}  {share}"
