"""Votes on pairs that a judge gave elsewhere, stored as looks at the left image of each pair: the leaderboard
reads them beside those of models that voted here.

The name of the judge and the study are its identity. Both orders of a pair are two votes; where a file does
not say who stood left there is one, and nobody can say whether it would have been the same turned round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from annotations.errors import ImportRefused
from annotations.models import Study
from annotations.pairs.files import VotesRefused
from judges.models import Judge, Look
from judges.preferences.stored import StoredVerdict, in_parts
from judges.preferences.vote_files import FIRST, NOTHING, TIE, JudgeVote, votes_in
from judges.runs.imported_judge import NAME_LENGTH, VOTES, imported_judge
from judges.signals import scores_changed
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import Rejected, Unreadable
from jurybox_judging.methods import which_of_two
from jurybox_judging.stored_form import key_of

CHUNK = 2000
SHOWN = 20


@dataclass
class ImportedVotes:
    new: Counter[str] = field(default_factory=Counter)
    there: int = 0
    without: int = 0  # the judge could not tell
    left_out: list[str] = field(default_factory=list)
    left_out_in_all: int = 0

    def sentence(self) -> str:
        lines = [f"{name}: {count:,} new votes." for name, count in sorted(self.new.items())]
        lines += [f"{self.there:,} votes were there already."] if self.there else []
        lines += [f"{self.without:,} rows have no preference."] if self.without else []
        if self.left_out_in_all:
            lines.append(f"Left out ({self.left_out_in_all:,}):")
            lines += [f"  {words}" for words in self.left_out]
        return "\n".join(lines) or "The file brings no vote."


@transaction.atomic
def take_votes(*, study: Study, path: Path, judge: str = "", skip: bool = False) -> ImportedVotes:
    """All rows or none; with `skip` those that fit."""
    taken = ImportedVotes()
    writer = _Writer(study, taken)
    try:
        for some in in_parts(votes_in(study, path, judge), CHUNK):
            writer.write(some)
    except Unreadable as error:
        raise ImportRefused(error.message) from None
    if taken.left_out_in_all and not skip:
        raise VotesRefused(taken.left_out, taken.left_out_in_all)
    if taken.new:
        transaction.on_commit(
            lambda: scores_changed.send(sender=Judge, study_id=study.pk, ended=True)
        )
    return taken


class _Writer:
    def __init__(self, study: Study, taken: ImportedVotes) -> None:
        self.study, self.taken = study, taken
        self.judges: dict[str, Judge] = {}

    def write(self, some: Iterable[JudgeVote | Rejected]) -> None:
        looks: dict[tuple[int, str, str], Look] = {}
        lines: dict[tuple[int, str, str], int] = {}
        for one in some:
            try:
                if isinstance(one, Rejected):
                    self._leave_out(one)
                elif one.said == NOTHING:
                    self.taken.without += 1
                else:
                    look = self._look(one)
                    place = (look.image_id, look.engine, look.want)
                    _expect_the_same(looks.get(place), look)
                    looks[place], lines[place] = look, one.line
            except Unfit as unfit:
                self._leave_out(unfit.reject(one.line, ""))
        known = {
            (look.image_id, look.engine, look.want): look
            for look in Look.objects.filter(
                engine__in={engine for _, engine, _ in looks},
                image__in={image for image, _, _ in looks},
            )
        }
        new = []
        for place, look in looks.items():
            try:
                _expect_the_same(known.get(place), look)
            except Unfit as unfit:
                self._leave_out(unfit.reject(lines[place], ""))
                continue
            if place in known:
                self.taken.there += 1
            else:
                new.append(look)
                self.taken.new[look.asked["judge"]] += 1
        Look.objects.bulk_create(new)

    def _look(self, vote: JudgeVote) -> Look:
        judge = self._judge(vote.judge)
        asked = {
            "kind": "which of two",
            "turns": [f"Imported vote. Left: {vote.keys[0]}. Right: {vote.keys[1]}."],
            "judge": judge.name,
            "beside": vote.keys[1],
            "knows_sides": vote.knows_sides,
        }
        if not vote.knows_sides:
            asked["turns"] = [f"Imported vote. First: {vote.keys[0]}. Second: {vote.keys[1]}."]
        want = key_of({"kind": "imported vote", "beside": vote.keys[1]})
        return Look(
            image_id=vote.images[0],
            engine=judge.fingerprint,
            want=want,
            asked=asked,
            told=[vote.said],
        )

    def _judge(self, name: str) -> Judge:
        if name not in self.judges:
            if len(name) > NAME_LENGTH or not name.isprintable():
                words = f"The name of a judge has at most {NAME_LENGTH} characters."
                raise Unfit("judge", name[:80], words)
            self.judges[name] = imported_judge(self.study, name, votes=True)
        return self.judges[name]

    def _leave_out(self, row: Rejected) -> None:
        self.taken.left_out_in_all += 1
        if len(self.taken.left_out) < SHOWN:
            words = f"line {row.line}: {row.field} = “{row.value}”: {row.reason}"
            self.taken.left_out.append(words)


def _expect_the_same(before: Look | None, look: Look) -> None:
    if before is not None and before.told != look.told:
        words = "This judge said something else of these two before."
        raise Unfit("vote", _first_of(look.told), words)


def _first_of(told: Any) -> str:
    return str(told[0])


def imported_votes(study: Study) -> list[tuple[Judge, dict[tuple[str, str], StoredVerdict]]]:
    """Of each judge whose votes came from a file: by the keys of the two images."""
    judges = Judge.objects.filter(method=VOTES, options__study=study.slug)
    return [(judge, _verdicts(study, judge)) for judge in judges.order_by("name", "fingerprint")]


def _verdicts(study: Study, judge: Judge) -> dict[tuple[str, str], StoredVerdict]:
    rows = Look.objects.filter(engine=judge.fingerprint, image__study=study).order_by("pk")
    told: dict[tuple[str, str], tuple[str, bool]] = {}
    for left, asked, said in rows.values_list("image__key", "asked", "told"):
        told[left, asked["beside"]] = (_first_of(said), bool(asked.get("knows_sides")))
    found: dict[tuple[str, str], StoredVerdict] = {}
    for (left, right), (answer, knows_sides) in told.items():
        if (right, left) in found:
            continue
        turned = told.get((right, left))
        if turned is None:
            found[left, right] = StoredVerdict(answer, None)
            continue
        read = [_as_side(answer), _as_side(turned[0])]
        value, same = which_of_two.together(*read)
        found[left, right] = StoredVerdict(value, same if knows_sides and turned[1] else None)
    return found


def _as_side(said: str) -> str:
    if said == TIE:
        return which_of_two.TIE
    return which_of_two.LEFT if said == FIRST else which_of_two.RIGHT
