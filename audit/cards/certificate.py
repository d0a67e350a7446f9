"""A card as a signed file, and what is known of one that somebody hands in."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
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
from jurybox_formats.sources.sound_json import Unsound, read_json_file

WRONG = "The enclosed data are not those of a card: {}."


# Larger whole numbers are not exact in every language.
LARGEST_WHOLE = 2**53


FORMAT, BEFORE = "jurybox-card 2", "jurybox-card 1"
LARGEST = 20_000_000  # bytes
CLOSE = 1e-9
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
    if not isinstance(found, dict) or found.get("format") not in (FORMAT, BEFORE):
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
    card = found.get("card")
    if not isinstance(card, dict) or not _has_card(card):
        raise Refused("The card in this file lacks its rows or its validity.")
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


def _has_card(card: dict[str, Any]) -> bool:
    rows, valid = card.get("rows"), card.get("valid")
    kinds = {"newer": int, "generators": int, "alarm": bool, "until": str | None}
    return (
        isinstance(rows, list)
        and all(_is_row(one) for one in rows)
        and isinstance(valid, dict)
        and all(name in valid and isinstance(valid[name], kind) for name, kind in kinds.items())
    )


def _is_row(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and isinstance(one.get("part"), str)
        and isinstance(one.get("what"), str)
        and isinstance(one.get("number"), dict)
    )


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
    if not isinstance(one, dict) or not isinstance(other, dict) or one.keys() != other.keys():
        return False
    return all(_is_alike_value(one[name], other[name]) for name in one)


def _is_alike_value(one: Any, other: Any) -> bool:
    both: Sequence[Any] = (one, other)
    if all(type(value) in (int, float) for value in both):
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
    if not isinstance(data, dict) or not isinstance(data.get("images"), list):
        raise Refused(WRONG.format("there are no images"))
    images, made = data["images"], data.get("made")
    if not isinstance(made, dict) or set(made) - set(CHANGES) or len(images) > MOST:
        raise Refused(WRONG.format("unknown changes, or too many images"))
    rows, base = [], {}
    for place, one in enumerate(images):
        prompt, pair = _read_row(one, len(images))
        rows.append((place, prompt))
        base[place] = pair
    said: dict[str, Said] = {}
    for change, listed in made.items():
        if not isinstance(listed, list) or len(listed) > len(images):
            raise Refused(WRONG.format(f"“{change}” is no list of its images"))
        said[change] = dict(_read_row(one, len(images)) for one in listed)
    return Scores(tuple(rows), base, said, {})


def _read_row(one: Any, count: int) -> tuple[int, tuple[float | None, bool | None]]:
    if not isinstance(one, list) or len(one) != 3:
        raise Refused(WRONG.format("a row has three values"))
    number, value, correct = one
    if type(number) is not int or not 0 <= number < count:
        raise Refused(WRONG.format("a row names no image or prompt"))
    if type(value) not in (int, float) or not math.isfinite(value):
        raise Refused(WRONG.format("a score is no number"))
    if correct is not None and type(correct) is not bool:
        raise Refused(WRONG.format("a verdict is neither yes nor no"))
    return number, (float(value), correct)
