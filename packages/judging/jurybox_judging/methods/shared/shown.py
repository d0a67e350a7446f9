"""Which pictures a question shows: the places that a judge names, as one prompt has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox_formats.sources.records import PLACES
from jurybox_judging.options import texts
from jurybox_judging.protocols import RESULT, Placed, Subject


class NoPicture(ValueError):
    """This prompt lacks a picture that the judge shows; the message says which."""

    lacks = "prompt picture"


def pictures_option(default: tuple[str, ...] = (RESULT,)) -> Any:
    return texts(
        default,
        "Pictures in one question, in this order: of source, reference (all there are), mask, result. "
        "Only “result”: the image alone.",
        most=4,
        longest=20,
    )


def check_places(places: Sequence[str]) -> None:
    for place in places:
        if place not in (*PLACES, RESULT):
            raise ValueError(
                f"“pictures” names {', '.join(PLACES)} and {RESULT}, not “{place[:40]}”."
            )
    if len(set(places)) < len(places):
        raise ValueError("“pictures” names a place twice.")


def shown_to(subject: Subject, places: Sequence[str]) -> tuple[Placed, ...]:
    """In the order of `places`; () for the image alone."""
    if tuple(places) == (RESULT,):
        return ()
    shown: list[Placed] = []
    for place in places:
        there = [one for one in subject.pictures if one.place.partition("-")[0] == place]
        if not there:
            raise NoPicture(f"This prompt has no {place} picture.")
        shown += there
    return tuple(shown)
