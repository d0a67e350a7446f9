"""Votes as tidy rows: written for a file, and read from one."""

from __future__ import annotations

import csv
import io
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotations.errors import ImportRefused
from annotations.exports.pseudonyms import naming, people_behind
from annotations.models import Image, Membership, Pair, PairAssignment, PairDraw, PairVote, Study
from annotations.pairs.draws import plan
from annotations.sources.text_files import FORMULA

COLUMNS = ("pair_id", "prompt_id", "first", "second", "rater", "question", "value", "left")
NEEDED = COLUMNS[:-1]
# In files a vote for both is a tie.
TO_FILE = {"both": "tie"}
FROM_FILE = {"tie": "both", **{value: value for value in PairVote.Value.values}}
OTHER = {"first": "second", "second": "first", "": ""}
CHUNK = 5000
SHOWN = 20


def vote_rows(study: Study, *, people: str = "everybody") -> Iterator[dict[str, str]]:
    """One row a person, pair and question. `first` and `second` are ids of images; `left` is which of
    the two stood left."""
    name = naming(study, people)
    votes = PairVote.objects.filter(study=study, current=True).order_by("pk")
    found = votes.values_list(
        "pair__key",
        "pair__prompt__key",
        "pair__first__key",
        "pair__second__key",
        "annotator_id",
        "question",
        "value",
        "left",
    )
    for pair, prompt, first, second, person, question, value, left in found.iterator(CHUNK):
        said = TO_FILE.get(value, value)
        row = (pair, prompt, first, second, name(person), question, said, left)
        yield dict(zip(COLUMNS, row, strict=True))


def csv_lines(rows: Iterable[Mapping[str, str]]) -> Iterator[str]:
    yield _line(COLUMNS)
    for row in rows:
        yield _line([_safe(row[column]) for column in COLUMNS])


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


def _safe(cell: str) -> str:
    """A spreadsheet must not take what somebody typed for a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _plain(cell: str) -> str:
    """What `_safe` made safe, as it was."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


@dataclass
class Taken:
    """What became of a file."""

    votes: int = 0
    pairs: int = 0
    there: int = 0  # votes that the study had already
    refused: list[str] = field(default_factory=list)

    def words(self) -> str:
        return (
            f"{self.votes} votes and {self.pairs} new pairs taken, {self.there} votes were there."
        )


@transaction.atomic
def take(study: Study, rows: Iterable[Mapping[str, Any]]) -> Taken:
    """All rows, or none: the first wrong ones are named."""
    taken = Taken()
    Study.objects.order_by().select_for_update(no_key=True).get(pk=study.pk)
    images = {
        key: (pk, prompt)
        for key, pk, prompt in Image.objects.filter(study=study)
        .order_by()
        .values_list("key", "pk", "prompt__key")
    }
    state = _State(study, images, taken)
    for number, row in enumerate(rows, start=2):
        try:
            state.take(row)
        except ValueError as wrong:
            taken.refused.append(f"Line {number}: {wrong}.")
            if len(taken.refused) >= SHOWN:
                break
    if taken.refused:
        raise ImportRefused("Nothing was imported. " + " ".join(taken.refused))
    if state.draw is not None:
        PairDraw.objects.filter(pk=state.draw.pk).update(count=taken.pairs)
    return taken


class _State:
    def __init__(self, study: Study, images: dict[str, tuple[int, str]], taken: Taken) -> None:
        self.study, self.images, self.taken = study, images, taken
        self.draw: PairDraw | None = None
        self.pairs = {p.key: p for p in Pair.objects.filter(study=study)}
        self.by_images = {(p.first_id, p.second_id): p for p in self.pairs.values()}
        last = Pair.objects.filter(study=study).aggregate(last=Max("place"))["last"]
        self.place = -1 if last is None else last
        self.behind = people_behind(study)
        self.people: dict[str, Membership] = {}

    def take(self, row: Mapping[str, Any]) -> None:
        cell = {name: _plain(str(row.get(name) or "").strip()) for name in COLUMNS}
        if empty := [name for name in NEEDED if not cell[name]]:
            raise ValueError(f"{', '.join(empty)} is empty")
        value, left = FROM_FILE.get(cell["value"]), cell["left"]
        if value is None:
            raise ValueError(
                f"“{cell['value'][:40]}” is no vote: first, second, tie, neither or cannot_tell"
            )
        if left not in OTHER:
            raise ValueError(f"“{left[:40]}” stood left: first, second or nothing")
        ends = [self._image(cell, name) for name in ("first", "second")]
        if ends[0] == ends[1]:
            raise ValueError("a pair is two images")
        if ends[0] > ends[1]:
            # Kept with the lower key first, so what was said is turned round, too.
            value, left = OTHER.get(value, value), OTHER[left]
        pair = self._pair(cell["pair_id"], min(ends), max(ends))
        self._vote(pair, self._person(cell["rater"]), cell["question"], value, left)

    def _image(self, cell: Mapping[str, str], name: str) -> int:
        pk, prompt = self.images.get(cell[name], (0, ""))
        if not pk:
            raise ValueError(f"the study has no image “{cell[name][:80]}”")
        if prompt != cell["prompt_id"]:
            raise ValueError(
                f"image “{cell[name][:80]}” is not of prompt “{cell['prompt_id'][:80]}”"
            )
        return pk

    def _pair(self, key: str, first: int, second: int) -> Pair:
        pair = self.by_images.get((first, second))
        if pair is not None:
            return pair
        if key in self.pairs:
            raise ValueError(f"pair “{key[:80]}” is of two other images")
        if len(key) > 200:
            raise ValueError("a pair_id has 200 letters at most")
        if self.draw is None:
            plan(self.study)
            self.draw = PairDraw.objects.create(study=self.study, by=PairDraw.By.FILE, count=0)
        self.place += 1
        prompt = Image.objects.values_list("prompt", flat=True).get(pk=first)
        pair = Pair.objects.create(
            study=self.study,
            prompt_id=prompt,
            first_id=first,
            second_id=second,
            key=key,
            draw=self.draw,
            place=self.place,
        )
        self.pairs[key] = self.by_images[first, second] = pair
        self.taken.pairs += 1
        return pair

    def _person(self, name: str) -> Membership:
        """By the name or by the pseudonym that an export gave them."""
        if name not in self.people:
            members = Membership.objects.filter(study=self.study)
            person = members.filter(pk=self.behind.get(name, 0)).first()
            person = person or members.filter(name__iexact=name).first()
            if person is None:
                person = Membership.objects.create(study=self.study, name=name[:200])
            self.people[name] = person
        return self.people[name]

    def _vote(self, pair: Pair, person: Membership, question: str, value: str, left: str) -> None:
        there = PairVote.objects.filter(
            pair=pair, annotator=person, question=question[:80], current=True
        ).first()
        if there is not None:
            if (there.value, there.left) != (value, left):
                raise ValueError(f"“{person.name}” said something else about pair “{pair.key}”")
            self.taken.there += 1
            return
        if person.user_id or person.removed_at or person.worker:
            # A file speaks for nobody who answers here.
            raise ValueError(f"“{person.name[:80]}” answers here themselves")
        PairVote.objects.create(
            study=self.study,
            pair=pair,
            annotator=person,
            question=question[:80],
            value=value,
            left=left,
            submission=uuid.uuid4(),
            submitted_at=timezone.now(),
        )
        self.taken.votes += 1
        given, fresh = PairAssignment.objects.get_or_create(
            pair=pair,
            annotator=person,
            defaults={"study": self.study, "left": left or "first", "state": "answered"},
        )
        if fresh:
            # What came with a file takes a place, so that people finish what is left.
            Pair.objects.filter(pk=pair.pk).update(taken=F("taken") + 1)
