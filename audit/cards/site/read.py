"""Signed cards for a site: each is checked whole, since anybody can sign a file with a key of their own."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.cards.certificate import LICENCES, card_in, count_again, has_signature, read_certificate
from audit.cards.key import own_keys
from audit.questions.card.exhibits import ORDER
from audit.questions.card.rows import AGREEMENT
from judges.cards.changes import STEPS

MOST, LONGEST = 500, 500  # cards, and characters of a text
ROWS = 400
LACKS = "the card cannot be shown: it lacks {}, or has it in another form."
UNITS = {"share", "score", "points", "s", "price", ""}
FACTS = ("name", "fingerprint", "method", "engine", "weights", "revision")
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SiteCard:
    """`page`: the name of its files. `signed`: the whole file, to be checked by readers. `expected`: signed with
    one of the keys that the publisher knows."""

    page: str
    licence: str
    made: str
    key: str
    body: dict[str, Any]
    signed: bytes
    expected: bool = True

    @property
    def judge(self) -> str:
        return str(self.body["title"])

    @property
    def study(self) -> str:
        return str(self.body["study"])

    @property
    def newest(self) -> str:
        """The release date of the newest generator that it was measured on."""
        return self.body["valid"]["newest"] or ""


def read_cards(files: Iterable[Path], keys: Collection[str] = ()) -> list[SiteCard]:
    """In an order that is the cards' own, not that of the files. `keys`: expected beside our own."""
    known = {*keys, *own_keys()}
    found: dict[str, Path] = {}
    cards: list[SiteCard] = []
    for file in files:
        if len(cards) == MOST:
            raise Refused(f"A site has at most {MOST} cards.")
        card = read_card(file, known)
        if card.page in found:
            raise Refused(f"{file.name} is the same card as {found[card.page].name}.")
        found[card.page] = file
        cards.append(card)
    if not cards:
        raise Refused("Name the cards of the site: --from CARD.json …")
    return sorted(cards, key=lambda card: (card.judge, card.study, card.newest, card.page))


def read_card(file: Path, keys: Collection[str] = ()) -> SiteCard:
    found = read_certificate(file)
    try:
        return _checked_card(found, keys)
    except Refused as refusal:
        raise Refused(f"{file.name}: {refusal.message}") from None


def _checked_card(found: dict[str, Any], keys: Collection[str]) -> SiteCard:
    body = card_in(found)
    if not has_signature(found):
        raise Refused("the signature is broken; the file was changed after it was signed.")
    release = found.get("release")
    licence = release.get("licence") if isinstance(release, dict) else None
    if licence not in LICENCES:
        raise Refused(
            "its owner has not released it. Write it anew with a licence: "
            "card JUDGE --study STUDY --out FILE.json --licence CC-BY-4.0."
        )
    if made := found.get("made", ""):
        _need(_is_day(made), "the day it was made")
    check_body(body)
    follows, words = count_again(body, found.get("data"))
    if not follows:
        raise Refused(words)
    content = json.dumps(found, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    key = found["key"]
    page = _page_name(body, content)
    return SiteCard(page, licence, made, key, body, content.encode(), key in keys)


def _page_name(body: Mapping[str, Any], content: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", f"{body['title']} {body['study']}".lower())
    return f"{words.strip('-')[:60]}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def check_body(body: dict[str, Any]) -> None:
    """What the pages show: texts are short, numbers are numbers, dates are days."""
    for name in ("title", "judge", "study"):
        _need(_is_text(body.get(name), empty=False), name)
    _need(type(body.get("simulated")) is bool, "whether the study is simulated")
    _need(_is_count(body.get("images")), "the number of images")
    facts, signature = body.get("facts"), body.get("signature")
    if not isinstance(facts, dict):
        raise Refused(LACKS.format("facts"))
    _need(all(_is_text(facts.get(one)) for one in FACTS), "facts")
    _need(facts.get("released") is None or _is_day(facts["released"]), "facts")
    _need(_is_map(body.get("failed"), _is_count), "what failed")
    named = isinstance(signature, dict) and all(
        _is_text(signature.get(one)) for one in ("version", "data", "interval", "pictures")
    )
    _need(named, "its signature")
    valid = body["valid"]
    _need(
        all(valid.get(one) is None or _is_day(valid[one]) for one in ("until", "newest")), "dates"
    )
    _need(_is_count(valid["newer"]) and _is_count(valid["generators"]), "its validity")
    _need(len(body["rows"]) <= ROWS, "rows")
    seen = set()
    for row in body["rows"]:
        _need(_is_row(row), f"a row of {str(row['part'])[:40]}")
        seen.add((row["part"], row["what"]))
    _need(len(seen) == len(body["rows"]), "rows that stand once")


def _is_row(row: Row) -> bool:
    number, part = row["number"], row["part"]
    return (
        part in ORDER
        and _is_text(row["what"])
        and isinstance(row.get("unit"), str)
        and row["unit"] in UNITS
        and _is_number(number)
        and all(_is_text(row.get(name, "")) for name in ("state", "ladder", "reason"))
        and (row.get("since") is None or _is_day(row["since"]))
        and ("told" not in row or _is_step(row))
        and (part != AGREEMENT or "value" not in number or "state" in row or "gap" in row["what"])
    )


def _is_step(row: Row) -> bool:
    return type(row["told"]) is int and 0 <= row["told"] <= STEPS and "ladder" in row


def _is_number(number: Mapping[str, Any]) -> bool:
    if not _is_count(number.get("n")):
        return False
    if "undefined" in number:
        return "value" not in number and _is_text(number["undefined"], empty=False)
    value, low, high = (number.get(name, "") for name in ("value", "low", "high"))
    if low is None and high is None:
        return _is_finite(value)
    return all(map(_is_finite, (value, low, high))) and low <= high


def _is_finite(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value) and abs(value) < 1e15


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 10**12


def _is_text(value: Any, *, empty: bool = True) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and (empty or bool(value.strip()))


def _is_map(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and len(value) <= ROWS and all(map(fits, value.values()))


def _is_day(value: Any) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise Refused(LACKS.format(what))
