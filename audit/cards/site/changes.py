"""What is new since an earlier edition: judges that came and went, and numbers whose intervals part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.cards.certificate import card_in
from audit.cards.site.numbers import NOT_MEASURED, site_number
from audit.cards.site.open_data import CARDS, FORMAT
from audit.cards.site.read import SiteCard, check_body
from jurybox_formats.sources.shapes import misfit
from jurybox_formats.sources.sound_json import Unsound, read_json_file

LARGEST = 50_000_000  # bytes
Edition = dict[tuple[str, str], dict[str, Any]]


def read_edition(folder: Path) -> Edition:
    """Of each judge and study the newest card."""
    file = folder / CARDS
    wrong = f"{folder.name} holds no earlier edition: {CARDS} "
    try:
        found = read_json_file(file, LARGEST)
    except Unsound as error:
        raise Refused(f"{wrong}{error}") from error
    if misfit(found, {"cards": [dict], "format": FORMAT}):
        raise Refused(f"{wrong}is not in the form “{FORMAT}”.")
    try:
        return newest_cards(_checked_body(card) for card in found["cards"])
    except Refused as refusal:
        raise Refused(f"{wrong}is broken: {refusal.message}") from None


def _checked_body(card: Any) -> dict[str, Any]:
    body = card_in({"card": card})
    check_body(body)
    return body


def newest_cards(bodies: Iterable[dict[str, Any]]) -> Edition:
    found: Edition = {}
    for body in bodies:
        name = (body["title"], body["study"])
        before = found.get(name)
        if before is None or (body["valid"]["newest"] or "") >= (before["valid"]["newest"] or ""):
            found[name] = body
    return found


def changes_since(before: Edition, cards: Sequence[SiteCard]) -> list[str]:
    now = newest_cards(card.body for card in cards)
    lines = [f"New: {_card_words(name)}." for name in sorted(now.keys() - before.keys())]
    lines += [
        f"No longer here: {_card_words(name)}." for name in sorted(before.keys() - now.keys())
    ]
    for name in sorted(now.keys() & before.keys()):
        lines += [f"{_card_words(name)}: {line}" for line in _changes_of(before[name], now[name])]
    return lines


def _card_words(name: tuple[str, str]) -> str:
    return f"{name[0]} on {name[1]}"


def _changes_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    lines = []
    if before["facts"]["fingerprint"] != now["facts"]["fingerprint"]:
        lines.append("another judge behind the same name (its fingerprint changed).")
    old, new = ({(row["part"], row["what"]): row for row in body["rows"]} for body in (before, now))
    for key in sorted(old.keys() & new.keys()):
        if _parts_from(old[key]["number"], new[key]["number"]):
            words = ": ".join(filter(None, key))
            lines.append(f"{words}, {_number_words(old[key])} → {_number_words(new[key])}.")
    return lines


def _parts_from(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Measured only once, or with intervals that do not meet."""
    if ("value" in one) != ("value" in other):
        return True
    if "value" not in one or one["low"] is None or other["low"] is None:
        return False
    return bool(one["high"] < other["low"] or other["high"] < one["low"])


def _number_words(row: Mapping[str, Any]) -> str:
    number = site_number(row)
    return NOT_MEASURED if number.undefined else number.in_words()
