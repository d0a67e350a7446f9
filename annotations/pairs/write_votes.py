"""Votes from files, written by the thousand: a batch takes the same few queries, however long it is."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.db.models import F, Max
from django.utils import timezone
from django.utils.translation import gettext_noop

from annotations.exports.pseudonyms import people_behind
from annotations.file_names import looks_like, names_in_study
from annotations.models import Image, Membership, Pair, PairAssignment, PairDraw, PairVote, Study
from annotations.pairs.draws import plan
from annotations.versions import after_commit, raise_votes_version
from jurybox_formats.sources.checks import is_sound, sound
from jurybox_formats.sources.records import VoteRecord

OTHER = {"first": "second", "second": "first", "": ""}
KEY, NAME, QUESTION = 200, 200, 80
BATCH = 2000


@dataclass
class TakenVotes:
    """What became of a file."""

    votes: int = 0
    pairs: int = 0
    there: int = 0  # votes that the study had already
    refused: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        counts = gettext_noop(
            f"{self.votes} votes and {self.pairs} new pairs taken, {self.there} votes were there."
        )
        return " ".join([counts, *self.remarks])


# A vote with its two images in the order that a pair has.
Turned = tuple[VoteRecord, int, int, int, str, str]


class VoteWriter:
    """`refuse` hears of each vote that cannot be taken, and why; the others are written."""

    def __init__(
        self, study: Study, taken: TakenVotes, refuse: Callable[[VoteRecord, str], None]
    ) -> None:
        self.study, self.taken, self.refuse = study, taken, refuse
        self.draw: PairDraw | None = None
        last = Pair.objects.filter(study=study).aggregate(last=Max("place"))["last"]
        self.place = 0 if last is None else last + 1
        self.people: dict[str, int] = {}
        self.here_themselves: set[int] = set()
        self._know(Membership.objects.filter(study=study))
        # By the name or by the pseudonym that an export gave them.
        self.people |= {name.casefold(): pk for name, pk in people_behind(study).items()}
        self.names = names_in_study(study)

    def write(self, batch: list[VoteRecord]) -> None:
        turned = self._turned(self.names.cleaned(batch))
        self._new_people(vote.rater for vote, *_ in turned)
        pairs = self._pairs(turned)
        fit = [(one, pairs[one[2], one[3]]) for one in turned if (one[2], one[3]) in pairs]
        self._votes(fit)

    def finish(self) -> None:
        self.taken.remarks = self.names.remarks()
        if self.draw is not None:
            PairDraw.objects.filter(pk=self.draw.pk).update(count=self.taken.pairs)

    def _turned(self, batch: list[VoteRecord]) -> list[Turned]:
        """A pair is kept with the lower key first, so the vote is turned round, too."""
        keys = sound(key for vote in batch for key in (vote.first, vote.second))
        rows = Image.objects.filter(study=self.study, key__in=keys).order_by()
        self.names.compare({one.rater for one in batch if one.rater.casefold() not in self.people})
        images = {
            key: (pk, prompt, prompt_key)
            for key, pk, prompt, prompt_key in rows.values_list(
                "key", "pk", "prompt_id", "prompt__key"
            )
        }
        turned = []
        for vote in batch:
            why = _why_not(vote, images)
            if not why and vote.rater in self.names.alike:
                why = f"rater “{vote.rater}”: {looks_like(self.names.alike[vote.rater])}"
            if why:
                self.refuse(vote, why)
                continue
            (one, prompt, _), (other, *_) = images[vote.first], images[vote.second]
            value, left = vote.value, vote.left
            if one > other:
                value, left = OTHER.get(value, value), OTHER[left]
            turned.append((vote, prompt, min(one, other), max(one, other), value, left))
        return turned

    def _know(self, members: Iterable[Membership]) -> None:
        for one in members:
            self.people[one.name.casefold()] = one.pk
            if one.user_id or one.removed_at or one.worker:
                self.here_themselves.add(one.pk)

    def _new_people(self, names: Iterable[str]) -> None:
        new = {name.casefold(): name for name in names if name.casefold() not in self.people}
        self._know(
            Membership.objects.bulk_create(
                Membership(study=self.study, name=name) for _, name in sorted(new.items())
            )
        )

    def _pairs(self, turned: list[Turned]) -> dict[tuple[int, int], Pair]:
        rows = Pair.objects.filter(study=self.study).order_by()
        there = {
            (pair.first_id, pair.second_id): pair
            for pair in rows.filter(first_id__in={one[2] for one in turned})
        }
        wanted: dict[tuple[int, int], Pair] = {}
        keys: dict[str, tuple[int, int]] = {}
        for vote, prompt, first, second, *_ in turned:
            if (first, second) in there or (first, second) in wanted:
                continue
            key = vote.pair or pair_key(vote.first, vote.second)
            if key not in keys:
                keys[key] = (first, second)
                wanted[first, second] = self._pair(key, prompt, first, second)
        used = set(rows.filter(key__in=keys).values_list("key", flat=True))
        fresh = {ends: pair for ends, pair in wanted.items() if pair.key not in used}
        known = there | fresh
        for vote, _, first, second, *_ in turned:
            if (first, second) not in known:
                why = gettext_noop(f"pair “{vote.pair[:80]}” is of two other images")
                self.refuse(vote, why)
        if fresh and self.draw is None:
            plan(self.study)
            self.draw = PairDraw.objects.create(
                study=self.study, by=PairDraw.DrawRule.FILE, count=0
            )
        for pair in fresh.values():
            pair.draw, pair.place = self.draw, self.place
            self.place += 1
        Pair.objects.bulk_create(fresh.values(), batch_size=BATCH)
        self.taken.pairs += len(fresh)
        return known

    def _pair(self, key: str, prompt: int, first: int, second: int) -> Pair:
        return Pair(
            study=self.study, prompt_id=prompt, first_id=first, second_id=second, key=key, place=0
        )

    def _votes(self, fit: list[tuple[Turned, Pair]]) -> None:
        keys = {pair.pk for _, pair in fit}
        current = PairVote.objects.filter(pair__in=keys, current=True).order_by()
        said = {
            (pair, person, question): (value, left)
            for pair, person, question, value, left in current.values_list(
                "pair_id", "annotator_id", "question", "value", "left"
            )
        }
        new: list[PairVote] = []
        now = timezone.now()
        for (vote, _, _, _, value, left), pair in fit:
            person = self.people[vote.rater.casefold()]
            place = (pair.pk, person, vote.question)
            if place in said:
                if said[place] != (value, left):
                    why = gettext_noop(
                        f"“{vote.rater}” said something else about pair “{pair.key}”"
                    )
                    self.refuse(vote, why)
                else:
                    self.taken.there += 1
                continue
            if person in self.here_themselves:
                # A file speaks for nobody who answers here.
                why = gettext_noop(f"“{vote.rater[:80]}” answers here themselves")
                self.refuse(vote, why)
                continue
            said[place] = (value, left)
            new.append(
                PairVote(
                    study=self.study,
                    pair=pair,
                    annotator_id=person,
                    question=vote.question,
                    value=value,
                    left=left,
                    language=vote.language,
                    submitted_at=now,
                )
            )
        PairVote.objects.bulk_create(new, batch_size=BATCH)
        self.taken.votes += len(new)
        after_commit(raise_votes_version, self.study.pk)
        self._places(new)

    def _places(self, new: list[PairVote]) -> None:
        """What came with a file takes a place, so that people finish what is left."""
        given = {(vote.pair_id, vote.annotator_id): vote.left for vote in new}
        rows = PairAssignment.objects.filter(pair__in={pair for pair, _ in given}).order_by()
        there = set(rows.values_list("pair_id", "annotator_id"))
        fresh = {key: left for key, left in given.items() if key not in there}
        PairAssignment.objects.bulk_create(
            (
                PairAssignment(
                    study=self.study,
                    pair_id=pair,
                    annotator_id=person,
                    left=left or "first",
                    state=PairAssignment.State.ANSWERED,
                )
                for (pair, person), left in fresh.items()
            ),
            batch_size=BATCH,
        )
        by_count: dict[int, list[int]] = {}
        for pair, count in Counter(pair for pair, _ in fresh).items():
            by_count.setdefault(count, []).append(pair)
        for count, pairs in by_count.items():
            Pair.objects.filter(pk__in=pairs).update(taken=F("taken") + count)


def pair_key(first: str, second: str) -> str:
    """For pairs that have no name of their own: the same in every import, in either order."""
    names = "\0".join(sorted((first, second)))
    return hashlib.sha256(names.encode()).hexdigest()[:22]


def _why_not(vote: VoteRecord, images: dict[str, tuple[int, int, str]]) -> str:
    for key in (vote.first, vote.second):
        if key not in images:
            return gettext_noop(f"the study has no image “{key[:80]}”")
        if images[key][2] != vote.prompt:
            return gettext_noop(f"image “{key[:80]}” is not of prompt “{vote.prompt[:80]}”")
    if vote.first == vote.second:
        return gettext_noop("a pair is two images")
    for name, text, longest in (
        ("pair_id", vote.pair, KEY),
        ("rater", vote.rater, NAME),
        ("question", vote.question, QUESTION),
    ):
        if len(text) > longest:
            return gettext_noop(f"a {name} has {longest} letters at most")
        if not is_sound(text):
            return gettext_noop(f"“{name}” is not sound text")
    return ""
