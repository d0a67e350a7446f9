"""`manage.py compare_engines STUDY KEY KEY`: how far two detectors agree, class by class."""

from annotations.management.command import StudyCommand, as_json
from judges.looks.detector_agreement import OVERLAP, THRESHOLD, ClassAgreement, compare


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
        if json:
            return as_json(agreement.as_json())
        above = f"detections above {threshold:g}, boxes that share {overlap:g}"
        rows = (agreement.overall, *agreement.classes)
        width = max(len(row.name) for row in rows)
        head = f"{'class':<{width}}   first  second    both  agreement"
        lines = [f"{agreement.images} images; {above}", head, *(_line(row, width) for row in rows)]
        return "\n".join(lines)


def _line(row: ClassAgreement, width: int) -> str:
    share = "neither detected any" if row.share is None else f"{row.share:.3f}"
    return f"{row.name:<{width}}  {row.first:6}  {row.second:6}  {row.both:6}  {share}"
