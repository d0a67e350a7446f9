"""On which images judge and people differ most: packed when a report is made, read by the page.

Images are sorted and filtered here as arrays, even a hundred thousand of them; the page then asks
the database only for the two dozen that it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from annotations.database.columns import columns
from annotations.models import Image
from audit.models import PackedNumbers, Report
from audit.reports.pairing import Paired
from audit.reports.reference import Reference, Series
from jurybox_stats.series import ranks

PEOPLE = "people"
# The parts of a column and how each is packed.
SHARED = (("image", "<i8"), ("generator", "<i4"), ("rewritten", "?"), ("yes", "<f4"))
JUDGED = (("order", "<i4"), ("gap", "<f4"), ("score", "<f8"), ("verdict", "<f4"))


# For who filters nothing, in stretches of a few thousand: the images in order, with their gaps and how many
# there are in all; and by their number, each with its rank. `starts`: the first image of each of the latter.
LISTED = (("total", "<i8"), ("image", "<i8"), ("gap", "<f4"))
RANKED = (("image", "<i8"), ("rank", "<i4"))
STARTS = (("image", "<i8"),)
STRETCH = 4_096


def packed(
    study_id: int, paired: Paired, reference: Reference, judges: dict[str, Series]
) -> list[PackedNumbers]:
    """The columns of a report that is still to be stored. Packed before that, since it takes longer than
    somebody who labels may wait."""
    people = paired.people
    assert people.ids is not None, "its images lie in a database"
    left = list(columns(Image.objects.filter(study=study_id).order_by(), "pk"))
    there = np.isin(people.ids, np.concatenate(left, axis=1) if left else [])
    shared = {
        # 0: the image was deleted while the report was made.
        "image": np.where(there, people.ids, 0),
        "generator": people.generators,
        "rewritten": people.variants == "rewritten",
        "yes": reference.yes,
    }
    made = [PackedNumbers(name=PEOPLE, content=_pack(shared, SHARED))]
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
        made.append(PackedNumbers(name=f"judge {name}", content=_pack(judged, JUDGED)))
        listed = _gallery_columns(name, shared["image"][judged["order"]], gap[judged["order"]])
        made += [PackedNumbers(name=of, content=content) for of, content in listed]
    return made


def keep(report: Report, columns: list[PackedNumbers]) -> None:
    """Store the columns of this report and delete those of earlier ones with the same options."""
    for column in columns:
        column.report = report
    earlier = Report.objects.filter(study=report.study_id, options=report.options)
    PackedNumbers.objects.filter(report__in=earlier).delete()
    PackedNumbers.objects.bulk_create(columns)


def _gallery_columns(
    judge: str, images: np.ndarray, gap: np.ndarray
) -> Iterator[tuple[str, bytes]]:
    """The columns for who filters nothing, by name."""
    total = np.array([images.size])
    ranks = np.argsort(images, kind="stable")
    sorted_images = images[ranks]
    yield f"starts {judge}", _pack({"image": sorted_images[::STRETCH]}, STARTS)
    for number, start in enumerate(range(0, max(images.size, 1), STRETCH)):
        here = slice(start, start + STRETCH)
        listed = {"total": total, "image": images[here], "gap": gap[here]}
        yield f"order {number} {judge}", _pack(listed, LISTED)
        ranked = {"image": sorted_images[here], "rank": ranks[here]}
        yield f"ranks {number} {judge}", _pack(ranked, RANKED)


def worst_images(report_id: int | None, judges: Iterable[str], count: int) -> dict[str, list[int]]:
    """The images on which each judge and people differ most: in one look, however many judges there are."""
    names = {f"order 0 {name}": name for name in judges}
    rows = PackedNumbers.objects.filter(report_id=report_id or 0, name__in=names).order_by()
    return {
        names[name]: _unpack(content, LISTED)["image"][:count].tolist()
        for name, content in rows.values_list("name", "content")
    }


def gaps(series: Series) -> np.ndarray:
    """How far judge and people are apart on each image, from 0 to 1: as they are where they share a
    scale, else by their ranks."""
    both = ~np.isnan(series.score) & ~np.isnan(series.mean)
    gap = np.full(len(series.score), np.nan)
    score, people = series.score[both], series.mean[both]
    if series.no_points and score.size:
        score, people = (ranks(values) / values.size for values in (score, people))
    gap[both] = np.abs(score - people)
    return gap


@dataclass(frozen=True)
class Filters:
    """What to show of the gallery. Empty means everything."""

    generator: int | None = None
    variant: str = ""
    side: str = ""  # "strict": people say yes and the judge no; "lenient": the other way round


class Gallery:
    """The images of one report and one judge, those that differ most first.

    Who filters nothing reads only the stretch of the order that he looks at, however many images
    there are; what is filtered is found in the columns of all images.
    """

    def __init__(self, report_id: int | None, judge: str) -> None:
        self._report, self._judge = report_id or 0, judge
        self._stretches: dict[int, dict[str, np.ndarray] | None] = {}

    @cached_property
    def exists(self) -> bool:
        """The columns are kept for the newest report only."""
        return self._is_listed or self._all is not None

    @cached_property
    def _is_listed(self) -> bool:
        """Reports of earlier versions are not."""
        return self._stretch(0) is not None

    def count(self, filters: Filters) -> int:
        if filters == Filters() and (first := self._stretch(0)) is not None:
            return int(first["total"][0])
        return len(self._matching(filters))

    def part(self, filters: Filters, start: int, stop: int) -> list[tuple[int, float]]:
        """These of the images that pass the filters, in order: each with its gap."""
        if filters == Filters() and self._is_listed:
            return self._list_gaps(start, min(stop, self.count(filters)))
        if self._all is None:
            return []
        places = self._matching(filters)[start:stop]
        return _with_gaps(self._all["image"][places], self._all["gap"][places])

    def place_of(self, filters: Filters, image: int) -> int | None:
        """Where this image comes among those that pass the filters."""
        if filters == Filters() and self._is_listed:
            return self._rank(image)
        if self._all is None:
            return None
        found = np.flatnonzero(self._all["image"][self._matching(filters)] == image)
        return int(found[0]) if found.size else None

    def _list_gaps(self, start: int, stop: int) -> list[tuple[int, float]]:
        found: list[tuple[int, float]] = []
        while start < stop:
            stretch, begins = self._stretch(start // STRETCH), start % STRETCH
            ends = min(begins + stop - start, STRETCH)
            if stretch is None:
                return found
            found += _with_gaps(stretch["image"][begins:ends], stretch["gap"][begins:ends])
            start += ends - begins
        return found

    def _rank(self, image: int) -> int | None:
        packed = self._read(f"starts {self._judge}")
        starts = _unpack(packed[0], STARTS)["image"] if packed else np.empty(0)
        number = int(np.searchsorted(starts, image, side="right")) - 1
        packed = self._read(f"ranks {number} {self._judge}")
        if not packed:
            return None
        ranked = _unpack(packed[0], RANKED)
        place = int(np.searchsorted(ranked["image"], image))
        if place == ranked["image"].size or ranked["image"][place] != image:
            return None
        return int(ranked["rank"][place])

    def _stretch(self, number: int) -> dict[str, np.ndarray] | None:
        if number not in self._stretches:
            packed = self._read(f"order {number} {self._judge}")
            self._stretches[number] = _unpack(packed[0], LISTED) if packed else None
        return self._stretches[number]

    @cached_property
    def _all(self) -> dict[str, np.ndarray] | None:
        packed = self._read(PEOPLE, f"judge {self._judge}")
        if len(packed) < 2:
            return None
        return _unpack(packed[0], SHARED) | _unpack(packed[1], JUDGED)

    def _matching(self, filters: Filters) -> np.ndarray:
        """Places of the images that pass the filters, in order."""
        columns = self._all
        if columns is None:
            return np.empty(0, dtype=np.int64)
        order = columns["order"]
        keep = np.ones(len(order), dtype=bool)
        if filters.generator is not None:
            keep &= columns["generator"][order] == filters.generator
        if filters.variant:
            keep &= columns["rewritten"][order] == (filters.variant == "rewritten")
        if filters.side:
            yes, verdict = columns["yes"][order], columns["verdict"][order]
            strict = filters.side == "strict"
            keep &= (yes == strict) & (verdict == (not strict))
        return np.asarray(order[keep])

    def _read(self, *names: str) -> list[Any]:
        """The columns of these names, in their order, as far as they are there."""
        rows = PackedNumbers.objects.filter(report_id=self._report, name__in=names).order_by()
        packed = dict(rows.values_list("name", "content"))
        return [packed[name] for name in names if name in packed]


def _with_gaps(images: np.ndarray, gap: np.ndarray) -> list[tuple[int, float]]:
    return list(zip(images.tolist(), gap.tolist(), strict=True))


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
