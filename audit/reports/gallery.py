"""On which images judge and people differ most: packed when a report is made, read by the page.

Images are sorted and filtered here as arrays, even a hundred thousand of them; the page then asks
the database only for the two dozen that it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from annotations.models import Image
from audit.models import Column, Report
from audit.reports.pairing import Paired
from audit.reports.reference import Reference, Series

PEOPLE = "people"
# The parts of a column and how each is packed.
SHARED = (("image", "<i8"), ("generator", "<i4"), ("rewritten", "?"), ("yes", "<f4"))
JUDGED = (("order", "<i4"), ("gap", "<f4"), ("score", "<f8"), ("verdict", "<f4"))


def keep(report: Report, paired: Paired, reference: Reference, judges: dict[str, Series]) -> None:
    """Pack the columns of this report and delete those of earlier ones with the same options."""
    people = paired.people
    ids = dict(Image.objects.filter(study=report.study_id).order_by().values_list("key", "pk"))
    shared = {
        # 0: the image was deleted while the report was made.
        "image": np.array([ids.get(key, 0) for key in people.images], dtype=np.int64),
        "generator": people.generators,
        "rewritten": people.variants == "rewritten",
        "yes": reference.yes,
    }
    columns = [Column(report=report, name=PEOPLE, content=_pack(shared, SHARED))]
    for name, series in judges.items():
        gap = gaps(series)
        known = np.flatnonzero(~np.isnan(gap))
        judged = {
            # Equal gaps keep the order of the images' keys.
            "order": known[np.argsort(-gap[known], kind="stable")],
            "gap": gap,
            "score": series.score,
            "verdict": series.verdict,
        }
        columns.append(Column(report=report, name=f"judge {name}", content=_pack(judged, JUDGED)))
    earlier = Report.objects.filter(study=report.study_id, options=report.options)
    Column.objects.filter(report__in=earlier).delete()
    Column.objects.bulk_create(columns)


def gaps(series: Series) -> np.ndarray:
    """How far judge and people are apart on each image, from 0 to 1: as they are where they share a
    scale, else by their ranks."""
    both = ~np.isnan(series.score) & ~np.isnan(series.mean)
    gap = np.full(len(series.score), np.nan)
    score, people = series.score[both], series.mean[both]
    if series.no_points and score.size:
        score, people = (rankdata(values) / values.size for values in (score, people))
    gap[both] = np.abs(score - people)
    return gap


@dataclass(frozen=True)
class Filters:
    """What to show of the gallery. Empty means everything."""

    generator: int | None = None
    variant: str = ""
    side: str = ""  # "strict": people say yes and the judge no; "lenient": the other way round


class Gallery:
    """The images of one report and one judge, those that differ most first."""

    def __init__(self, report_id: int | None, judge: str) -> None:
        packed = dict(
            Column.objects.filter(
                report_id=report_id or 0, name__in=[PEOPLE, f"judge {judge}"]
            ).values_list("name", "content")
        )
        # Kept for the newest report only.
        self.exists = len(packed) == 2
        if self.exists:
            self._shared = _unpack(packed[PEOPLE], SHARED)
            self._judged = _unpack(packed[f"judge {judge}"], JUDGED)

    def matching(self, filters: Filters) -> np.ndarray:
        """Places of the images that pass the filters, in order."""
        order = self._judged["order"]
        keep = np.ones(len(order), dtype=bool)
        if filters.generator is not None:
            keep &= self._shared["generator"][order] == filters.generator
        if filters.variant:
            keep &= self._shared["rewritten"][order] == (filters.variant == "rewritten")
        if filters.side:
            yes, verdict = self._shared["yes"][order], self._judged["verdict"][order]
            strict = filters.side == "strict"
            keep &= (yes == strict) & (verdict == (not strict))
        return order[keep]

    def images(self, places: np.ndarray) -> list[int]:
        return self._shared["image"][places].tolist()

    def gap(self, place: int) -> float:
        return float(self._judged["gap"][place])

    def among(self, places: np.ndarray, image: int) -> int | None:
        """Where this image comes among these places."""
        found = np.flatnonzero(self._shared["image"][places] == image)
        return int(found[0]) if found.size else None


def _pack(arrays: dict[str, np.ndarray], layout: tuple[tuple[str, str], ...]) -> bytes:
    """The arrays one after the other, after their sizes."""
    parts = [np.asarray(arrays[name]).astype(kind) for name, kind in layout]
    sizes = np.array([part.size for part in parts], dtype="<i8")
    return b"".join([sizes.tobytes(), *(part.tobytes() for part in parts)])


def _unpack(content: Any, layout: tuple[tuple[str, str], ...]) -> dict[str, np.ndarray]:
    view = memoryview(content)
    sizes = np.frombuffer(view, dtype="<i8", count=len(layout))
    arrays, start = {}, sizes.nbytes
    for (name, kind), size in zip(layout, sizes.tolist(), strict=True):
        arrays[name] = np.frombuffer(view, dtype=kind, count=size, offset=start)
        start += arrays[name].nbytes
    return arrays
