"""Pairs to train on that people voted for: of two images of one prompt the one they prefer."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import PairVote, Study
from annotations.pairs.votes import MATCH, questions_of
from audit.reports.make import question_of
from audit.reports.options import Options
from audit.reports.pairing import pair
from audit.training.candidates import eligible

BY = {
    "majority": "the image that more than half of the votes prefer, once for each pair",
    "all": "each vote by itself",
}
FEW = "it has fewer votes than asked for"
TIED = "no image has more than half of its votes"
NOT_ELIGIBLE = "one of its images may not be trained on"
TIE = "it says that both or neither match"


@dataclass(frozen=True, slots=True)
class AskedPairs:
    """`least`: how many votes a pair must have; “can't tell” is none."""

    by: str
    least: int = 1
    question: str = ""
    evaluation: tuple[str, ...] = ()

    def refuse_unfit(self) -> None:
        if self.by not in BY:
            raise Refused(f"Pairs are taken by {' or '.join(BY)}; “{self.by[:40]}” is neither.")
        if self.least < 1:
            raise Refused("A pair must have at least one vote.")

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "evaluation": sorted(self.evaluation)}


@dataclass
class Voted:
    """`rows`: what is known of each image, by its key. `left_out`: pairs, or votes of them, by reason."""

    study: Study
    asked: AskedPairs
    question: str
    of_pairs: int
    pairs: list[dict[str, str]] = field(default_factory=list)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    images_left_out: Counter[str] = field(default_factory=Counter)

    @property
    def signature(self) -> str:
        """Of the request and all that was taken."""
        rows = sorted((row["image"], row["sha256"]) for row in self.rows.values())
        facts = [self.asked.as_dict(), self.question, self.pairs, rows]
        return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()

    def sentences(self) -> list[str]:
        prompts = len({row["prompt"] for row in self.rows.values()})
        lines = [
            f"{len(self.pairs):,} pairs are taken of {self.of_pairs:,} that people voted on "
            f"({self.question}), of {prompts:,} prompts: {BY[self.asked.by]}."
        ]
        for what, counted in (("", self.left_out), ("image: ", self.images_left_out)):
            lines += [f"Left out, {what}{why}: {n:,}." for why, n in sorted(counted.items())]
        if not self.asked.evaluation:
            lines.append(
                "No evaluation study was named, so nothing keeps the prompts of one out of the set."
            )
        return lines


def voted(study: Study, asked: AskedPairs, evaluation: Sequence[Study]) -> Voted:
    asked.refuse_unfit()
    known = questions_of(study)
    if not known:
        raise Refused(f"Nobody has voted on a pair of study {study.slug}.")
    question = asked.question or (MATCH if MATCH in known else known[0])
    if question not in known:
        raise Refused(f"Nobody voted on a question “{question}”. Voted on: {', '.join(known)}.")
    people = pair(study=study, question=question_of(study, Options())).people
    found = eligible(study, people, np.zeros(len(people.images)), evaluation)
    facts = {one["image"]: one for one in found.facts.values()}
    made = Voted(study, asked, question, 0, images_left_out=+found.dropped)
    for ends, said in _by_pair(study, question):
        made.of_pairs += 1
        if not set(ends) <= facts.keys():
            made.left_out[f"pairs: {NOT_ELIGIBLE}"] += 1
        elif sum(said.values()) < asked.least:
            made.left_out[f"pairs: {FEW}"] += 1
        else:
            _take(made, ends, said, facts)
    # No database's order, nor its ids, decides a row.
    made.pairs.sort(key=itemgetter("better", "worse"))
    if not made.pairs:
        raise Refused(" ".join(["There is no pair to train on.", *made.sentences()]))
    return made


def _by_pair(study: Study, question: str) -> Iterator[tuple[tuple[str, str], Counter[str]]]:
    votes = PairVote.objects.filter(study=study, question=question, current=True)
    votes = votes.exclude(value=PairVote.Value.CANNOT_TELL)
    rows = votes.order_by("pair__key").values_list("pair__first__key", "pair__second__key", "value")
    for ends, of_pair in groupby(rows.iterator(chunk_size=5000), itemgetter(0, 1)):
        yield ends, Counter(value for *_, value in of_pair)


def _take(
    made: Voted, ends: tuple[str, str], said: Counter[str], facts: dict[str, dict[str, Any]]
) -> None:
    # Whichever of the two was kept as the first, the set is the same.
    sides = sorted(("first", "second"), key=lambda side: ends[side == "second"])
    name = dict(zip(("first", "second"), ends, strict=True))
    times = {side: said[side] for side in sides}
    if made.asked.by == "majority":
        times = {side: int(2 * n > sum(said.values())) for side, n in times.items()}
        if not any(times.values()):
            made.left_out[f"pairs: {TIED}"] += 1
            return
    else:
        ties = sum(said.values()) - sum(times.values())
        made.left_out[f"votes: {TIE}"] += ties
    for better in sides:
        worse = sides[better == sides[0]]
        row = {"better": name[better], "worse": name[worse], "source": "votes"}
        made.pairs += [row] * times[better]
    if any(times.values()):
        for key in ends:
            made.rows[key] = {**facts[key], "weight": 0.0}
    made.left_out = +made.left_out
