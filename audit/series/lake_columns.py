"""All images of a lake as columns on the disk, read at each look and let go after it: of ten million images
people label some, and few numbers read the others."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from audit.reports.pairing import JudgeScores, LeftOut, People, number_answers
from audit.series.lake_files import LakeRefused
from jurybox_stats.instrument.moments import Answers
from jurybox_stats.series import Codes

# A judge's mark on an image is the place of its verdict here, or says that the judgement failed.
VERDICTS = np.array([np.nan, 0.0, 1.0, np.nan])
FAILED = 3
OWN_PROMPTS = "own prompts"  # a column where prompts have families
# What is no column, and so is the same of all images.
ALIKE = (
    *("study", "question", "scale", "generator_names", "release_dates"),
    *("raters", "forms", "annotations", "simulated"),
)


class Columns:
    """A folder that goes when nobody reads it any more."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="jurybox-lake-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name: str, values: np.ndarray) -> None:
        try:
            np.save(self.folder / f"{name}.npy", values)
        except OSError as error:
            raise LakeRefused(f"{self.folder} cannot be written: {error.strerror}.") from error

    def read(self, name: str) -> np.ndarray:
        values: np.ndarray = np.load(self.folder / f"{name}.npy", allow_pickle=False)
        return values


class Names:
    """What the codes of variants and of lists of tags stand for. `families`: whether prompts have any."""

    def __init__(
        self,
        variants: Sequence[str],
        lists_of_tags: Sequence[tuple[str, ...]],
        families: bool = False,
    ) -> None:
        self.families = families
        self.variants = np.array(variants, dtype=object)
        self.lists_of_tags = np.empty(len(lists_of_tags), dtype=object)
        for code, tags in enumerate(lists_of_tags):
            self.lists_of_tags[code] = tags


class StoredPeople(People):
    """All images. `labelled` has those that people have labelled."""

    labelled: People
    columns: Columns
    names: Names
    places: Codes

    def __init__(
        self, labelled: People, places: Codes, keys: Any, columns: Columns, names: Names
    ) -> None:
        self.__dict__.update({name: getattr(labelled, name) for name in ALIKE})
        own = {"labelled": labelled, "places": places, "columns": columns, "names": names}
        self.__dict__.update(own, images=keys)

    @property
    def prompts(self) -> np.ndarray:
        return self.columns.read("prompts").astype(np.int64)

    @property
    def own_prompts(self) -> np.ndarray | None:
        return self.columns.read(OWN_PROMPTS).astype(np.int64) if self.names.families else None

    @property
    def generators(self) -> np.ndarray:
        return self.columns.read("generators").astype(np.int64)

    @property
    def variants(self) -> np.ndarray:
        return self.names.variants[self.columns.read("variants")]

    @property
    def tags(self) -> tuple[tuple[str, ...], ...]:
        return tuple(self.names.lists_of_tags[self.columns.read("tags")])

    @property
    def atomicity(self) -> np.ndarray:
        return self.columns.read("atomicity")

    def rows_of_ratings(self) -> Iterator[tuple[str, np.ndarray]]:
        for name, row in self.labelled.rows_of_ratings():
            yield name, self._spread(row, np.nan)

    def number_answers(self) -> tuple[Codes, Codes]:
        """Images without an answer are one more."""
        few, nothing = self.labelled.answers, np.nan
        answers = Answers(
            np.append(few.count, 0), np.append(few.mean, nothing), np.append(few.pair, nothing)
        )
        alone, said = number_answers(answers, np.append(self.labelled.number_voices(), 0))
        alone, said = alone.astype(np.int32), said.astype(np.int32)
        return self._spread(alone[:-1], alone[-1]), self._spread(said[:-1], said[-1])

    def lists_of_tags(self) -> tuple[list[tuple[str, ...]], Codes]:
        return list(self.names.lists_of_tags), self.columns.read("tags")

    def number_variants(self) -> Codes:
        return self.columns.read("variants")

    @property
    def has_labels(self) -> np.ndarray:
        return self._spread(self.labelled.has_labels, False)

    def _spread(self, values: np.ndarray, nothing: Any) -> np.ndarray:
        everywhere = np.full(len(self.images), nothing, dtype=values.dtype)
        everywhere[self.places] = values
        return everywhere


class StoredScores(JudgeScores):
    """One judge over all images; `judge` has the rest of what is known of it."""

    columns: Columns

    def __init__(self, judge: JudgeScores, columns: Columns) -> None:
        series = "scores", "verdicts", "failed"
        own = {name: value for name, value in vars(judge).items() if name not in series}
        self.__dict__.update(own, columns=columns)

    @property
    def scores(self) -> np.ndarray:
        return self.columns.read(f"scores of {self.facts['number']}")

    @property
    def verdicts(self) -> np.ndarray:
        return VERDICTS[self._marks]

    @property
    def failed(self) -> np.ndarray:
        return self._marks == FAILED

    @property
    def _marks(self) -> np.ndarray:
        return self.columns.read(f"marks of {self.facts['number']}")


def left_out(people: StoredPeople) -> LeftOut:
    """What the arrays of labelled images do not show."""
    labelled, places = people.labelled, people.places

    def count(codes: Codes, size: int) -> np.ndarray:
        return np.bincount(codes, minlength=size) - np.bincount(codes[places], minlength=size)

    lists = people.names.lists_of_tags
    by_tag: dict[str, int] = {}
    sizes = count(people.columns.read("tags"), len(lists)).tolist()
    for tags, size in zip(lists, sizes, strict=True):
        for tag in set(tags):
            by_tag[tag] = by_tag.get(tag, 0) + size
    atomicity = people.atomicity
    return LeftOut(
        size=len(people.images),
        labelled=places,
        by_generator=tuple(count(people.generators, len(labelled.generator_names)).tolist()),
        by_tag=by_tag,
        atomicities=tuple(np.unique(atomicity[~np.isnan(atomicity)]).tolist()),
        variants=tuple(people.names.variants),
        prompts_by_content=people.find_prompts_by_content()[places],
    )
