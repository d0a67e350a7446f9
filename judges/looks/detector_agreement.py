"""How far two detectors agree, class by class, on the images that both have looked at.

Two detections are of one thing when they have the same class and their boxes overlap enough; each
is matched once, the surest first. Agreement is the share of all detections that found a partner:
2 · both / (first + second), 1 when each saw what the other saw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotations.models import Study
from judges.errors import JudgeRefused
from judges.looks import store as looks
from judges.models import Judge, Look
from judges.protocols import Detection, Objects

THRESHOLD, OVERLAP = 0.3, 0.5
# Looks of so many images are in memory at once.
AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ClassAgreement:
    name: str
    first: int
    second: int
    both: int

    @property
    def share(self) -> float | None:
        """None where neither has found any."""
        found = self.first + self.second
        return 2 * self.both / found if found else None


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
            sum(one.first for one in self.classes),
            sum(one.second for one in self.classes),
            sum(one.both for one in self.classes),
        )

    def as_json(self) -> dict[str, Any]:
        rows = [self.overall, *self.classes]
        return {**asdict(self), "classes": [{**asdict(row), "share": row.share} for row in rows]}


def detectors(study: Study) -> dict[str, str]:
    """The detectors whose looks at this study are kept: key -> name."""
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
    one, other = _key(study, first), _key(study, second)
    counts: dict[str, Counter] = {"first": Counter(), "second": Counter(), "both": Counter()}
    images = 0
    for seen, also_seen in _pairs(study, one, other):
        images += 1
        a, b = _sure(seen, threshold), _sure(also_seen, threshold)
        counts["first"].update(found["class"] for found in a)
        counts["second"].update(found["class"] for found in b)
        counts["both"].update(matched(a, b, overlap))
    if not images:
        raise JudgeRefused("No image was looked at by both detectors.")
    names = sorted(counts["first"] | counts["second"])
    return Agreement(
        one,
        other,
        images,
        threshold,
        overlap,
        tuple(ClassAgreement(name, *(counts[who][name] for who in counts)) for name in names),
    )


def matched(first: Sequence[Detection], second: Sequence[Detection], overlap: float) -> list[str]:
    """The classes of the pairs, the surest of `first` choosing its best partner first."""
    free = list(second)
    classes = []
    for one in sorted(first, key=lambda found: -found["score"]):
        partners = [other for other in free if other["class"] == one["class"]]
        best = max(partners, key=lambda other: shared(one["box"], other["box"]), default=None)
        if best is not None and shared(one["box"], best["box"]) >= overlap:
            free = [other for other in free if other is not best]
            classes.append(one["class"])
    return classes


def shared(box: Sequence[float], other: Sequence[float]) -> float:
    """Intersection over union; 0 for boxes without area."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    inside = max(width, 0.0) * max(height, 0.0)
    union = _area(box) + _area(other) - inside
    return inside / union if union > 0 else 0.0


def _area(box: Sequence[float]) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def _sure(detections: Iterable[Detection], threshold: float) -> list[Detection]:
    return [found for found in detections if found["score"] > threshold]


def _key(study: Study, named: str) -> str:
    """A key of looks as it is, or the name of a judge that ran here."""
    known = detectors(study)
    judges = Judge.objects.filter(runs__study=study, name=named)
    keys = {judge.facts.get("objects", {}).get("key") for judge in judges} & known.keys()
    if named in known:
        return named
    if len(keys) == 1:
        return keys.pop()
    there = "; ".join(f"{key} ({name})" if name else key for key, name in known.items())
    what = "stands for several detectors" if keys else "is no detector that has looked at it"
    raise JudgeRefused(f"“{named}” {what}. In “{study.slug}” there are: {there or 'none'}.")


def _pairs(study: Study, one: str, other: str) -> Iterator[tuple[Any, Any]]:
    """What both told, image by image. Of several looks for different classes, all detections."""
    images = list(
        Look.objects.filter(image__study=study, engine=one, asked__kind="objects")
        .order_by("image_id")
        .values_list("image_id", flat=True)
        .distinct()
    )
    for start in range(0, len(images), AT_ONCE):
        told: dict[tuple[int, str], list[Detection]] = {}
        rows = Look.objects.filter(
            image__in=images[start : start + AT_ONCE],
            engine__in={one, other},
            asked__kind="objects",
        ).order_by("pk")
        for look in rows:
            found = looks.restored(Objects(), look.told)
            told.setdefault((look.image_id, look.engine), []).extend(found)
        for image in images[start : start + AT_ONCE]:
            if (image, other) in told:
                yield told[image, one], told[image, other]
