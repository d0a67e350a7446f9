"""How far two detectors agree, class by class, on the images that both have seen.

Two detections match when they have the same class and their boxes overlap enough; each is matched
at most once, the most confident first. Agreement is the share of all detections that have a match:
2 · both / (first + second), 1 when each detector saw what the other saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotations.models import Study
from judges.models import Judge, Look
from jurybox_judging import boxes, stored_form
from jurybox_judging.errors import JudgeRefused
from jurybox_judging.protocols import Detection, Objects

THRESHOLD, OVERLAP = 0.3, 0.5
# Looks of this many images are in memory at once.
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    name: str
    first: int
    second: int
    both: int

    @property
    def share(self) -> float | None:
        """None where neither detected any."""
        detected = self.first + self.second
        return 2 * self.both / detected if detected else None

    def line(self, width: int) -> str:
        share = "neither detected any" if self.share is None else f"{self.share:.3f}"
        return f"{self.name:<{width}}  {self.first:6}  {self.second:6}  {self.both:6}  {share}"


@dataclass(frozen=True, slots=True)
class Agreement:
    first: str
    second: str
    images: int
    threshold: float
    overlap: float
    classes: tuple[ClassAgreement, ...]

    @property
    def overall(self) -> ClassAgreement:
        return ClassAgreement(
            "all classes",
            sum(row.first for row in self.classes),
            sum(row.second for row in self.classes),
            sum(row.both for row in self.classes),
        )

    def as_json(self) -> dict[str, Any]:
        rows = [self.overall, *self.classes]
        return {**asdict(self), "classes": [{**asdict(row), "share": row.share} for row in rows]}

    def lines(self) -> list[str]:
        rows = [self.overall, *self.classes]
        width = max(len(row.name) for row in rows)
        above = f"detections above {self.threshold:g}, boxes that share {self.overlap:g}"
        head = f"{'class':<{width}}   first  second    both  agreement"
        return [f"{self.images} images; {above}", head, *(row.line(width) for row in rows)]


def detectors(study: Study) -> dict[str, str]:
    """The detectors whose looks at this study are stored: key -> name."""
    keys = Look.objects.filter(image__study=study, asked__kind="objects").order_by()
    names = {
        facts["key"]: " ".join(filter(None, (facts["engine"], facts.get("checkpoint"))))
        for judge in Judge.objects.filter(runs__study=study)
        if (facts := judge.facts.get("objects"))
    }
    return {key: names.get(key, "") for key in keys.values_list("engine", flat=True).distinct()}


def compare(
    study: Study,
    first: str,
    second: str,
    *,
    threshold: float = THRESHOLD,
    overlap: float = OVERLAP,
) -> Agreement:
    first_key, second_key = _key(study, first), _key(study, second)
    counts: dict[str, Counter[str]] = {"first": Counter(), "second": Counter(), "both": Counter()}
    images = 0
    for by_first, by_second in _pairs(study, first_key, second_key):
        images += 1
        a, b = _detections_above(by_first, threshold), _detections_above(by_second, threshold)
        counts["first"].update(detection["class"] for detection in a)
        counts["second"].update(detection["class"] for detection in b)
        counts["both"].update(matched(a, b, overlap))
    if not images:
        raise JudgeRefused("The two detectors have no image in common.")
    names = sorted(counts["first"] | counts["second"])
    return Agreement(
        first_key,
        second_key,
        images,
        threshold,
        overlap,
        tuple(ClassAgreement(name, *(counts[who][name] for who in counts)) for name in names),
    )


def matched(first: Sequence[Detection], second: Sequence[Detection], overlap: float) -> list[str]:
    """The classes of the pairs; the most confident of `first` takes its best partner first."""
    free = list(second)
    classes = []
    for detection in sorted(first, key=lambda d: -d["score"]):
        box = detection["box"]
        partners = [other for other in free if other["class"] == detection["class"]]
        best = max(partners, key=lambda other: boxes.overlap(box, other["box"]), default=None)
        if best is not None and boxes.overlap(box, best["box"]) >= overlap:
            free = [other for other in free if other is not best]
            classes.append(detection["class"])
    return classes


def _detections_above(detections: Iterable[Detection], threshold: float) -> list[Detection]:
    return [detection for detection in detections if detection["score"] > threshold]


def _key(study: Study, named: str) -> str:
    """`named` is a key of looks, or a judge that has a run in this study."""
    known = detectors(study)
    judges = Judge.objects.filter(runs__study=study, name=named)
    keys = {judge.facts.get("objects", {}).get("key") for judge in judges} & known.keys()
    if named in known:
        return named
    if len(keys) == 1:
        return keys.pop()
    listed = "; ".join(f"{key} ({name})" if name else key for key, name in known.items())
    what = "uses several detectors" if keys else "is no detector that was used here"
    raise JudgeRefused(f"“{named}” {what}. Detectors of “{study.slug}”: {listed or 'none'}.")


def _pairs(
    study: Study, first: str, second: str
) -> Iterator[tuple[list[Detection], list[Detection]]]:
    """Image by image. Where a detector was given several lists of classes, all detections."""
    images = list(
        Look.objects.filter(image__study=study, engine=first, asked__kind="objects")
        .order_by("image_id")
        .values_list("image_id", flat=True)
        .distinct()
    )
    for start in range(0, len(images), AT_ONCE):
        detections: dict[tuple[int, str], list[Detection]] = {}
        looks = Look.objects.filter(
            image__in=images[start : start + AT_ONCE],
            engine__in={first, second},
            asked__kind="objects",
        ).order_by("pk")
        for look in looks:
            stored = stored_form.answer_from_json(Objects(), look.told)
            detections.setdefault((look.image_id, look.engine), []).extend(stored)
        for image in images[start : start + AT_ONCE]:
            if (image, second) in detections:
                yield detections[image, first], detections[image, second]
