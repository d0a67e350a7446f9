"""The names of people in a file: cleaned, compared with those of the study, with a note of what was done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from annotations.models import Membership, Study
from annotations.names import clean_name, name_look
from jurybox_formats.sources.records import LabelRecord, VoteRecord

MOST_TOLD = 20
R = TypeVar("R", LabelRecord, VoteRecord)


def looks_like(other: str) -> str:
    return (
        f"This name looks like “{other}”, and is written with other letters. Write both alike, or "
        "tell them apart."
    )


def names_in_study(study: Study) -> FileNames:
    members = Membership.objects.filter(study=study).order_by("pk")
    return FileNames(members.values_list("name", flat=True))


class FileNames:
    """`known`: the names that a study has, read once they are needed. `alike`: a name of the file -> the
    earlier name that it could be taken for."""

    def __init__(self, known: Iterable[str]) -> None:
        self.known = known
        self.alike: dict[str, str] = {}
        self._looks: dict[str, str] | None = None
        # What stood in the file -> what it was read as, and its first line.
        self.read_as: dict[str, tuple[str, int]] = {}
        self._clean: set[str] = set()

    def cleaned(self, batch: list[R]) -> list[R]:
        """The same rows, names without what nobody sees."""
        for row in batch:
            if row.rater not in self._clean and row.rater not in self.read_as:
                name = clean_name(row.rater)
                if name == row.rater:
                    self._clean.add(name)
                else:
                    self.read_as[row.rater] = name, row.line
        if not self.read_as:
            return batch
        return [
            row if row.rater in self._clean else row._replace(rater=self.read_as[row.rater][0])
            for row in batch
        ]

    def compare(self, new: Iterable[str]) -> None:
        """Names that the study does not know yet."""
        if self._looks is None:
            self._looks = {name_look(name): name for name in self.known}
        for name in sorted(new):
            first = self._looks.setdefault(name_look(name), name)
            if first != name:
                self.alike[name] = first

    def remarks(self) -> list[str]:
        shown = list(self.read_as.items())
        told = [
            f"Line {line}: the name {written!a} was read as “{name}”."
            for written, (name, line) in shown[:MOST_TOLD]
        ]
        if len(shown) > MOST_TOLD:
            told.append(f"{len(shown) - MOST_TOLD} more names were cleaned in the same way.")
        return told
