"""Between which two sides of a study somebody asks why the gap moved.

A side is a set of generators, a span of their release dates, a span of the days on which people
answered, or another study:

    sdxl, flux              these generators
    released=..2024-05-31   generators released up to that day
    labelled=2025-01-01..   images first labelled from that day on
    study=second            all images of another study
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from django.utils.translation import gettext_noop

from annotations.errors import Refused

Kind = Literal["generators", "released", "labelled", "study"]
SPANS: tuple[Kind, ...] = ("released", "labelled")
LONGEST = 500


@dataclass(frozen=True, slots=True)
class SideAsked:
    kind: Kind
    generators: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None
    study: str = ""

    @property
    def sentence(self) -> str:
        if self.kind == "generators":
            return ", ".join(self.generators)
        if self.kind == "study":
            return gettext_noop(f"study {self.study}")
        first, last, released = self.first, self.last, self.kind == "released"
        if first and last:
            if released:
                return gettext_noop(f"generators released {first} to {last}")
            return gettext_noop(f"images first labelled {first} to {last}")
        if first:
            if released:
                return gettext_noop(f"generators released since {first}")
            return gettext_noop(f"images first labelled since {first}")
        if released:
            return gettext_noop(f"generators released up to {last}")
        return gettext_noop(f"images first labelled up to {last}")

    def holds(self, day: date | None) -> bool:
        return (
            day is not None
            and (self.first is None or self.first <= day)
            and (self.last is None or day <= self.last)
        )


@dataclass(frozen=True, slots=True)
class Parameters:
    """`judge_now`: another version of the judge, which scored the second side; empty for the same."""

    judge: str
    before: str
    after: str
    judge_now: str = ""
    question: str = ""

    def sides(self) -> tuple[SideAsked, SideAsked]:
        sides = side(self.before, "from"), side(self.after, "to")
        kinds = [one.kind for one in sides]
        if "labelled" in kinds and kinds != ["labelled", "labelled"]:
            raise Refused(
                "Days of labelling are compared with days of labelling: give both sides so."
            )
        if kinds[0] == "study":
            raise Refused("“from” is a part of this study; only “to” may be another study.")
        return sides


def side(text: str, place: str) -> SideAsked:
    """`place`, from or to, is named where the text cannot be read."""
    text = text.strip()
    if not text or len(text) > LONGEST:
        raise Refused(
            f"Say what “{place}” is: generators with commas between them, released=FROM..TO, "
            "labelled=FROM..TO or study=NAME."
        )
    kind, found, rest = text.partition("=")
    for span in SPANS:
        if found and kind.strip() == span:
            first, last = _span(rest, place)
            return SideAsked(span, first=first, last=last)
    if found and kind.strip() == "study":
        return SideAsked("study", study=rest.strip())
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    return SideAsked("generators", generators=names)


def _span(text: str, place: str) -> tuple[date | None, date | None]:
    first, found, last = text.partition("..")
    if not found or not (first.strip() or last.strip()):
        raise Refused(
            f"“{place}”: a span is written as 2024-01-01..2024-12-31; one end may be left out."
        )
    ends = _day(first, place), _day(last, place)
    if ends[0] and ends[1] and ends[0] > ends[1]:
        raise Refused(f"“{place}”: the span ends before it begins.")
    return ends


def _day(text: str, place: str) -> date | None:
    text = text.strip()
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused(f"“{place}”: “{text[:20]}” is no day; write it as 2024-01-31.") from None
