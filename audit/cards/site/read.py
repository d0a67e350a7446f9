"""Signed cards for a site: each is checked whole, since anybody can sign a file with a key of their own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.cards.certificate import LICENCES, card_in, count_again, has_signature, read_certificate
from audit.cards.key import own_keys
from audit.questions.card.exhibits import ORDER
from audit.questions.card.rows import AGREEMENT
from judges.cards.changes import STEPS
from jurybox_formats.sources.shapes import is_count, is_day, is_finite, misfit

MOST, LONGEST = 500, 500  # cards, and characters of a text
ROWS = 400
LACKS = "the card cannot be shown: {}."
UNITS = ("share", "score", "points", "s", "price", "")
FACTS = ("name", "fingerprint", "method", "engine", "weights", "revision")


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
    if misfit(found, {"release": {"licence": LICENCES}}):
        raise Refused(
            "its owner has not released it. Write it anew with a licence: "
            "card JUDGE --study STUDY --out FILE.json --licence CC-BY-4.0."
        )
    if wrong := misfit(found, {"made?": ("", is_day)}):
        raise Refused(LACKS.format(wrong))
    check_body(body)
    follows, words = count_again(body, found.get("data"))
    if not follows:
        raise Refused(words)
    content = json.dumps(found, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    key, licence = found["key"], found["release"]["licence"]
    page, made = _page_name(body, content), found.get("made", "")
    return SiteCard(page, licence, made, key, body, content.encode(), key in keys)


def _page_name(body: Mapping[str, Any], content: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", f"{body['title']} {body['study']}".lower())
    return f"{words.strip('-')[:60]}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def check_body(body: dict[str, Any]) -> None:
    """What the pages show: texts are short, numbers are numbers, dates are days."""
    if wrong := misfit(body, BODY):
        raise Refused(LACKS.format(wrong))
    rows = body["rows"]
    if len({(row["part"], row["what"]) for row in rows}) < len(rows) or len(rows) > ROWS:
        raise Refused(LACKS.format("rows are too many, or one stands twice"))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_filled(value: Any) -> bool:
    return _is_text(value) and bool(value.strip())


def _is_row(row: Any) -> bool:
    if misfit(row, ROW):
        return False
    number, is_agreement = row["number"], row["part"] == AGREEMENT
    return (
        _is_number(number)
        and ("told" not in row or "ladder" in row)
        and (not is_agreement or "value" not in number or "state" in row or "gap" in row["what"])
    )


def _is_number(number: Mapping[str, Any]) -> bool:
    if "undefined" in number:
        return "value" not in number and _is_filled(number["undefined"])
    value, low, high = (number.get(name, "") for name in ("value", "low", "high"))
    if low is None and high is None:
        return is_finite(value)
    return all(map(is_finite, (value, low, high))) and low <= high


_DAY = (None, is_day)
ROW = {
    **{"part": ORDER, "what": _is_text, "unit": UNITS},
    **{"number": {"n": is_count}, "since?": _DAY},
    **dict.fromkeys(("state?", "ladder?", "reason?"), _is_text),
    "told?": lambda step: type(step) is int and 0 <= step <= STEPS,
}
BODY = {
    **dict.fromkeys(("title", "judge", "study"), _is_filled),
    **{"simulated": bool, "images": is_count, "failed": {str: is_count}, "rows": [_is_row]},
    "facts": {**dict.fromkeys(FACTS, _is_text), "released?": _DAY},
    "signature": dict.fromkeys(("version", "data", "interval", "pictures"), _is_text),
    "valid": {"until": _DAY, "newest": _DAY, "newer": is_count, "generators": is_count},
}
