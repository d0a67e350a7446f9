"""A card as a signed file, and what is known of one that somebody hands in."""

from __future__ import annotations

import json
import math
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.cards.key import is_signed_by, own_keys, public_key, sign
from audit.questions.card.looking import PARTS, rows_of_pictures
from audit.questions.card.scores import Said, Scores
from audit.questions.card.validity import validity_words, why_expired
from judges.cards.changes import CHANGES
from judges.cards.pictures import MOST
from jurybox_formats.sources.shapes import is_count, is_finite, misfit
from jurybox_formats.sources.sound_json import Unsound, read_json_file

WRONG = "The enclosed data are not those of a card: {}."


# Larger whole numbers are not exact in every language.
LARGEST_WHOLE = 2**53


FORMAT, BEFORE = "jurybox-card 2", "jurybox-card 1"
LARGEST = 20_000_000  # bytes
CLOSE = 1e-9
CARD = {
    "rows": [{"part": str, "what": str, "number": dict}],
    "valid": {"newer": int, "generators": int, "alarm": bool, "until": (None, str)},
}
# Under which the owner of a study gives its card away.
LICENCES = (
    *("CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"),
    *("ODbL-1.0", "ODC-By-1.0", "PDDL-1.0"),
)


def make_certificate(
    body: dict[str, Any],
    scores: Scores,
    *,
    data: bool = True,
    licence: str = "",
    made: date | None = None,
    today: date | None = None,
) -> dict[str, Any]:
    """`data`: with the scores that its numbers follow from. `licence`: the owner releases the card under it;
    without one it may not be published. `made`: the day of the measurement. What has expired is no longer released;
    signed, it says so."""
    if licence and licence not in LICENCES:
        raise Refused(f"“{licence[:40]}” is no licence of a card: {', '.join(LICENCES)}.")
    expired = why_expired(body["valid"], today)
    if expired and licence:
        raise Refused(f"Not released. {validity_words(body['valid'], today)}")
    unsigned = {"format": FORMAT, "card": body, "key": public_key()}
    if expired:
        unsigned["expired"] = expired
    if licence:
        unsigned["release"] = {"licence": licence}
    if made is not None:
        unsigned["made"] = made.isoformat()
    if data and scores.made:
        unsigned["data"] = enclose(scores)
    return {**unsigned, "signature": sign(content_of(unsigned))}


def content_of(unsigned: dict[str, Any]) -> bytes:
    """What is signed: the same bytes wherever the file was written, and in whatever language."""
    if unsigned.get("format") != BEFORE:
        return canonical_json(unsigned)
    return json.dumps(unsigned, sort_keys=True, ensure_ascii=False, allow_nan=False).encode()


def read_certificate(file: Path) -> dict[str, Any]:
    try:
        found = read_json_file(file, LARGEST)
    except Unsound as error:
        raise Refused(f"{file.name} is no card: it {error}") from error
    if misfit(found, {"format": (FORMAT, BEFORE)}):
        raise Refused(f"{file.name} is no card of Jurybox (its format is not “{FORMAT}”).")
    return found


def check_certificate(found: dict[str, Any], today: date, key: str = "") -> tuple[bool, list[str]]:
    """Whether all holds, and a sentence for each check. `key`: that of the installation it should be from."""
    card = card_in(found)
    known, signed = str(found.get("key", "")), has_signature(found)
    is_ours = known in ({key} if key else own_keys())
    lines = [
        "Signature: holds."
        if signed
        else "Signature: broken. The file was changed after it was signed.",
        f"Key: {'as expected' if is_ours else f'another one, {known[:64]}'}.",
        validity_words(card["valid"], today),
    ]
    follows, words = count_again(card, found.get("data"))
    good = signed and is_ours and follows and not why_expired(card["valid"], today)
    return good, [*lines, words]


def card_in(found: dict[str, Any]) -> dict[str, Any]:
    if wrong := misfit(found, {"card": CARD}):
        raise Refused(f"The card in this file cannot be read: {wrong}.")
    card: dict[str, Any] = found["card"]
    return card


def has_signature(found: dict[str, Any]) -> bool:
    """Whether the key in the file signed what is in it."""
    unsigned = {name: part for name, part in found.items() if name != "signature"}
    known, signature = str(found.get("key", "")), str(found.get("signature", ""))
    try:
        content = content_of(unsigned)
    except (ValueError, OverflowError):
        # Numbers and letters that no canonical text holds: nobody has signed them.
        return False
    return is_signed_by(known, signature, content)


def count_again(card: dict[str, Any], data: Any) -> tuple[bool, str]:
    """Whether the numbers follow from the enclosed scores, and that as a sentence."""
    if data is None:
        return True, "Numbers: the scores behind them are not enclosed, so none was counted again."
    told = {
        (one["part"], one["what"]): one["number"] for one in card["rows"] if one["part"] in PARTS
    }
    again = {
        (one["part"], one["what"]): one["number"] for one in rows_of_pictures(read_enclosed(data))
    }
    wrong = [what for what in {*told, *again} if not _is_alike(told.get(what), again.get(what))]
    if wrong:
        part, what = min(wrong)
        return False, f"Numbers: {len(wrong)} do not follow from the data, such as {part}, {what}."
    return True, f"Numbers: {len(again)} counted again from the enclosed data, all as printed."


def _is_alike(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_alike(one[key], other[key]) for key in one)
    if all(type(value) in (int, float) for value in (one, other)):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(one == other)


def canonical_json(value: Any) -> bytes:
    """As RFC 8785 writes it: one text for one value, in every language."""
    return _text(value).encode()


def _text(value: Any) -> str:
    if isinstance(value, dict):
        # The order of UTF-16, which is that of JavaScript's strings.
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_text(name)}:{_text(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """As JavaScript writes it: the fewest digits that are this number, with an exponent where it is far off."""
    if isinstance(value, int) and abs(value) <= LARGEST_WHOLE:
        return str(value)
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"JSON has no number {value}.")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    _, parts, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    digits = "".join(map(str, parts))
    point = len(digits) + int(exponent)
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"


def enclose(scores: Scores) -> dict[str, Any]:
    """The scores behind a card, so that whoever has the file can count again. `images`: of each its prompt, score and verdict; `made`: by change, of each image that has one."""
    number = {image: place for place, (image, _) in enumerate(scores.rows)}
    prompts = {prompt: n for n, prompt in enumerate(dict.fromkeys(p for _, p in scores.rows))}
    return {
        "images": [[prompts[prompt], *scores.base[image]] for image, prompt in scores.rows],
        "made": {
            change: sorted([number[image], *pair] for image, pair in said.items())
            for change, said in sorted(scores.made.items())
        },
        "failed": scores.failed,
    }


def read_enclosed(data: Any) -> Scores:
    """Checked value by value: the file comes from outside."""
    if wrong := misfit(data, {"images": [_is_row], "made": {str: [_is_row]}}):
        raise Refused(WRONG.format(wrong))
    images, made = data["images"], data["made"]
    numbers = {one[0] for listed in (images, *made.values()) for one in listed}
    if set(made) - set(CHANGES) or len(images) > MOST or max(numbers, default=-1) >= len(images):
        raise Refused(WRONG.format("unknown changes, or images that are not there"))
    said: dict[str, Said] = {
        change: {number: (float(value), correct) for number, value, correct in listed}
        for change, listed in made.items()
    }
    base: Said = {place: (float(value), yes) for place, (_, value, yes) in enumerate(images)}
    return Scores(tuple((place, one[0]) for place, one in enumerate(images)), base, said, {})


def _is_row(one: Any) -> bool:
    """The number of an image or a prompt, a score, and yes, no or neither."""
    return (
        isinstance(one, list)
        and len(one) == 3
        and is_count(one[0])
        and is_finite(one[1])
        and (one[2] is None or type(one[2]) is bool)
    )
