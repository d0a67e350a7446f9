"""The verdict of each judge in the reader's words, which of them comes first, and how many can be trusted. Every
page, document, file and message takes it from here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, ngettext

from judges.names import title
from jurybox_stats.instrument import verdict as english
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


def best_first(judges: Judges) -> list[str]:
    """By verdict, then by how well each follows people."""

    def place(name: str) -> tuple[int, float, str]:
        order = judges[name].get("follows", {}).get("value")
        return ORDER[verdict_of(judges[name])["kind"]], -(order or 0.0), name

    return sorted(judges, key=place)


def count_trusted(judges: Judges) -> str:
    """How many judges can be trusted on today's generators, and which of them is best."""
    trusted = [name for name in best_first(judges) if verdict_of(judges[name])["kind"] == TRUST]
    if len(judges) == 1:
        ((name, judge),) = judges.items()
        return read_verdict(name, judge)
    counts = {"number": len(trusted), "judges": len(judges)}
    if not trusted:
        line = gettext("None of %(judges)s judges can be trusted on today’s generators yet.")
        return line % counts
    line = gettext(
        "%(number)s of %(judges)s judges can be trusted on today’s generators; best: %(best)s."
    )
    return line % {**counts, "best": title(trusted[0])}
