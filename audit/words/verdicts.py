"""The verdict of each judge in the reader's words, which of them comes first, and how many can be trusted. Every
page, document, file and message takes it from here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from judges.names import title
from jurybox_stats.instrument import verdict as english
from jurybox_stats.instrument.stability import GAIN, OFFSET
from jurybox_stats.instrument.verdict import (
    DO_NOT_USE,
    NOT_YET,
    OTHER_QUESTION,
    TRUST,
    TRUST_UNTIL,
    verdict_of,
)

Judges = Mapping[str, Mapping[str, Any]]
# The best comes first: what is trusted, what may be in part, what must not be used.
ORDER = {TRUST: 0, TRUST_UNTIL: 1, NOT_YET: 1, DO_NOT_USE: 2, OTHER_QUESTION: 3}


def name_verdict(verdict: Mapping[str, Any]) -> str:
    return english.name_verdict(verdict, gettext, ngettext)


def read_verdict(name: str, judge: Mapping[str, Any]) -> str:
    return english.read_verdict(title(name), judge, gettext, ngettext)


def chip_of(judge: Mapping[str, Any]) -> dict[str, Any]:
    """What a page shows: the kind, which has a colour, and the words."""
    verdict = verdict_of(judge)
    return {"kind": verdict["kind"].replace(" ", "-"), "words": name_verdict(verdict)}


def explain_change(judge: Mapping[str, Any]) -> str:
    """What a judge that drifts does otherwise with newer images, in a few words; else empty."""
    drift = judge["drift"]
    if not drift.get("alarm") or "likeliest" not in drift:
        return ""
    if drift.get("moved") == GAIN:
        return gettext("tells good from bad less than before")
    step = drift["steps"][drift["likeliest"]]
    if step[OFFSET]["value"] > 0:
        return gettext("reads newer images as worse than people do")
    return gettext("reads newer images as better than people do")


def best_first(judges: Judges) -> list[str]:
    """By verdict, then by how well each follows people."""

    def place(name: str) -> tuple[int, float, str]:
        order = judges[name].get("follows", {}).get("value")
        return ORDER[verdict_of(judges[name])["kind"]], -(order or 0.0), name

    return sorted(judges, key=place)


def count_trusted(judges: Judges) -> str:
    """How many judges can be trusted on today's generators, and which of them is best."""
    if len(judges) == 1:
        return read_verdict(*next(iter(judges.items())))
    trusted = [name for name in best_first(judges) if verdict_of(judges[name])["kind"] == TRUST]
    counts = {"number": len(trusted), "judges": len(judges)}
    if not trusted:
        return gettext("0 of %(judges)s judges can be trusted on today’s generators yet.") % counts
    line = gettext(
        "%(number)s of %(judges)s judges can be trusted on today’s generators; best: %(best)s."
    )
    return line % {**counts, "best": title(trusted[0])}
