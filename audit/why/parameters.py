"""Between which two sides of a study somebody asks why the gap moved.

A side is a set of generators, a span of their release dates, a span of the days on which people
answered, or another study:

    sdxl, flux              these generators
    released=..2024-05-31   generators released up to that day
    labelled=2025-01-01..   images first labelled from that day on
    study=second            all images of another study
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any, Literal

from django.utils.translation import gettext, gettext_noop

from annotations.errors import Refused
from annotations.models import Generator, Study
from annotations.stored_answers.question import choose, write
from audit.words.report import title
from judges.names import runs_by_name

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


def days_of_release(study: Study) -> list[date]:
    known = Generator.objects.filter(study=study, release_date__isnull=False)
    days = known.order_by("release_date").values_list("release_date", flat=True).distinct()
    return [day for day in days if day is not None]


def _judges(study: Study, known: Mapping[str, Any]) -> dict[str, str]:
    return {name: title(name) for name in runs_by_name(study)}


def _other_judges(study: Study, known: Mapping[str, Any]) -> dict[str, str]:
    others = {
        name: words for name, words in _judges(study, known).items() if name != known.get("judge")
    }
    return {"": gettext("the same"), **others}


def _days(study: Study, known: Mapping[str, Any]) -> dict[str, str]:
    """No choices where somebody has written the sides."""
    if not known.get("since"):
        return {}
    words = gettext("before and since %(day)s")
    return {f"{day}": words % {"day": day} for day in days_of_release(study)[1:]}


_write_side = partial(
    write,
    fold=gettext_noop("Other sides"),
    hint=gettext_noop(
        "Generators with commas between them, or released=2024-01-01..2024-12-31: those of these release dates. "
        "labelled=2025-01-01..: images first labelled in that time, on both sides. study=NAME: another study, as "
        "the second side. One end of a span may be left out."
    ),
)


@dataclass(frozen=True, slots=True)
class Parameters:
    """`judge_now`: another version of the judge, which scored the second side; empty for the same. `since`: the
    first release date of the second side, where the sides are not written."""

    judge: str = choose(gettext_noop("judge"), _judges)
    before: str = _write_side(gettext_noop("from"), name="from")
    after: str = _write_side(gettext_noop("to"), name="to")
    judge_now: str = choose(gettext_noop("its version on the second side"), _other_judges)
    since: str = choose(gettext_noop("generators released"), _days)
    question: str = ""

    @property
    def are_sides_written(self) -> bool:
        return bool(self.before or self.after)

    def sides(self) -> tuple[SideAsked, SideAsked]:
        if not self.judge:
            raise Refused("No judge has scored this study yet.")
        if not self.are_sides_written:
            return self._sides_by_release()
        sides = side(self.before, "from"), side(self.after, "to")
        kinds = [one.kind for one in sides]
        if "labelled" in kinds and kinds != ["labelled", "labelled"]:
            raise Refused(
                "Days of labelling are compared with days of labelling: give both sides so."
            )
        if kinds[0] == "study":
            raise Refused("“from” is a part of this study; only “to” may be another study.")
        return sides

    def _sides_by_release(self) -> tuple[SideAsked, SideAsked]:
        day = _day(self.since, "since")
        if day is None or day == date.min:
            raise Refused(
                "There is nothing to compare yet: that needs generators of two release dates, or two sides that "
                "you name."
            )
        return (
            SideAsked("released", last=day - timedelta(days=1)),
            SideAsked("released", first=day),
        )


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
