"""`manage.py compare_engines STUDY KEY KEY`: how far two detectors agree, class by class."""

from annotations.management.command import StudyCommand, as_json
from judges.looks.detector_agreement import OVERLAP, THRESHOLD, compare


class Command(StudyCommand):
    help = "Compare two detectors on the images that both were asked about."

    def arguments(self, add) -> None:
        add("first", "a judge's name, or the key of a detector's looks")
        add("second")
        add("--threshold", type=float, default=THRESHOLD)
        add("--overlap", type=float, default=OVERLAP)
        add.json()

    def do(self, study, *, first, second, threshold, overlap, json, **options) -> str:
        agreement = compare(study, first, second, threshold=threshold, overlap=overlap)
        return as_json(agreement.as_json()) if json else "\n".join(agreement.lines())
