"""Votes as tidy rows: written for a file, and read from one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_noop

from annotations.errors import ImportRefused
from annotations.exports.labels import defused
from annotations.exports.pseudonyms import naming
from annotations.models import Pair, PairVote, Study
from annotations.pairs.write_votes import BATCH, OTHER, TakenVotes, VoteWriter
from jurybox_formats.pair_files.layouts import NEEDED
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import VoteRecord
from jurybox_formats.sources.text_files import restored
from jurybox_formats.sources.tidy_tables import code_of_language

COLUMNS = (*NEEDED, "left", "language")
PAIR_COLUMNS = (*COLUMNS[:4], "first_generator", "second_generator", "drawn", "chance")
# In files a vote for both is a tie.
TO_FILE = {"both": "tie"}
FROM_FILE = {"tie": "both", **{value: value for value in PairVote.Value.values}}
CHUNK = 5000
SHOWN = 20


def vote_rows(study: Study, *, people: str = "everybody") -> Iterator[dict[str, str]]:
    """One row a person, pair and question. `first` and `second` are ids of images; `left` is which of
    the two stood left, `language` in which it was asked: empty for the questions' own words."""
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
        "language",
    )
    for pair, prompt, first, second, person, question, value, left, language in found.iterator(
        CHUNK
    ):
        said = TO_FILE.get(value, value)
        row = (pair, prompt, first, second, name(person), question, said, left, language)
        yield dict(zip(COLUMNS, row, strict=True))


def pair_rows(study: Study) -> Iterator[dict[str, str]]:
    """One row a pair: its images, who made them, and how it was chosen."""
    found = (
        Pair.objects.filter(study=study)
        .order_by("pk")
        .values_list(
            "key",
            "prompt__key",
            "first__key",
            "second__key",
            "first__generator__name",
            "second__generator__name",
            "draw__by",
            "chance",
        )
    )
    for *cells, by, chance in found.iterator(CHUNK):
        row = (*cells, by or "", "" if chance is None else repr(chance))
        yield dict(zip(PAIR_COLUMNS, row, strict=True))


def csv_lines(rows: Iterable[Mapping[str, str]], columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    yield _line(columns)
    for row in rows:
        yield _line([defused(row[column]) for column in columns])


def read(lines: Iterable[str]) -> csv.DictReader[str]:
    """The rows of a file of votes; ImportRefused where a column is missing."""
    rows = csv.DictReader(lines)
    if lacking := [name for name in NEEDED if name not in (rows.fieldnames or ())]:
        missing, columns = ", ".join(lacking), ", ".join(COLUMNS)
        raise ImportRefused(f"The file has no column {missing}: a table of votes has {columns}.")
    return rows


def _line(cells: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return out.getvalue()


class VotesRefused(ImportRefused):
    """`wrong`: a sentence for each of the first wrong lines."""

    def __init__(self, wrong: list[str], in_all: int = 0) -> None:
        more = f" … and {in_all - len(wrong)} more." if in_all > len(wrong) else ""
        super().__init__("Nothing was imported. " + " ".join(wrong) + more)
        self.wrong = wrong


@transaction.atomic
def take(study: Study, rows: Iterable[Mapping[str, Any]]) -> TakenVotes:
    """All rows, or none: the first wrong ones are named."""
    taken = TakenVotes()
    Study.objects.order_by().select_for_update(no_key=True).get(pk=study.pk)

    def refuse(vote: VoteRecord, why: str) -> None:
        taken.refused.append(f"Line {vote.line}: {why}.")

    writer = VoteWriter(study, taken, refuse)
    batch: list[VoteRecord] = []
    for number, row in enumerate(rows, start=2):
        try:
            batch.append(vote_of(row, number))
        except ValueError as wrong:
            taken.refused.append(f"Line {number}: {wrong}.")
        if len(batch) >= BATCH:
            writer.write(batch)
            batch = []
        if len(taken.refused) >= SHOWN:
            break
    writer.write(batch)
    writer.finish()
    if taken.refused:
        first = sorted(taken.refused, key=lambda words: int(words[5 : words.index(":")]))
        raise VotesRefused(first[:SHOWN])
    return taken


def vote_of(row: Mapping[str, Any], line: int) -> VoteRecord:
    cell = {name: restored(str(row.get(name) or "").strip()) for name in COLUMNS}
    if empty := [name for name in NEEDED if not cell[name]]:
        names = ", ".join(empty)
        raise ValueError(gettext_noop(f"{names} is empty"))
    value, left = FROM_FILE.get(cell["value"]), cell["left"]
    if value is None:
        given = cell["value"][:40]
        raise ValueError(
            gettext_noop(f"“{given}” is no vote: first, second, tie, neither or cannot_tell")
        )
    if left not in OTHER:
        raise ValueError(gettext_noop(f"“{left[:40]}” stood left: first, second or nothing"))
    try:
        language = code_of_language("language", cell["language"]) if cell["language"] else ""
    except Unfit as unfit:
        raise ValueError(unfit.reason.removesuffix(".")) from None
    return VoteRecord(
        cell["prompt_id"],
        cell["first"],
        cell["second"],
        cell["rater"],
        cell["question"],
        value,
        left,
        cell["pair_id"],
        line,
        language=language,
    )
