"""A judge's scores or votes for the pairs of a set, from a table: what it names in each order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.test_judge.pairs import BAD, BOTH, FIRST, SECOND
from audit.test_judge.rated_images import document_or_none
from audit.test_judge.sound_rows import sound_rows
from jurybox_formats.pair_files.rows import columns_of
from jurybox_formats.sources.records import Unreadable

PAIR, VOTE, SWAPPED, SCORES = "pair", "vote", "vote_swapped", ("score_a", "score_b")
# In the results that GEditBench v2 writes.
ITS_NAMES = {PAIR: "key", VOTE: "winner"}
ORDERS = ("forward", "reverse")
WORDS = {
    **dict.fromkeys(("a", "first", "left", "a>b", "image a"), FIRST),
    **dict.fromkeys(("b", "second", "right", "b>a", "image b"), SECOND),
    **dict.fromkeys(("tie", "both", "a=b", "a=b=good", "equal"), BOTH),
    **dict.fromkeys(("neither", "a=b=bad"), BAD),
}
OTHER_SIDE = {FIRST: SECOND, SECOND: FIRST, BOTH: BOTH, BAD: BAD}
WANTED = f"a column {PAIR}, and {VOTE} (a, b, tie; {SWAPPED} with the sides exchanged) or {' and '.join(SCORES)}"

# What the judge names in each order in which it saw the pair, in the set's own sides.
Choices = tuple[str, ...]


def read_choices(path: Path) -> dict[str, Choices]:
    """By the name of the pair."""
    document = document_or_none(path)
    if isinstance(document, dict) and any(_is_prediction(one) for one in document.values()):
        return {
            name: _prediction(one, f"{path.name}, “{name[:80]}”") for name, one in document.items()
        }
    try:
        columns = columns_of(path)
        pair, vote = (one if one in columns else ITS_NAMES[one] for one in (PAIR, VOTE))
        if pair not in columns or not (vote in columns or set(SCORES) <= set(columns)):
            there = ", ".join(name[:40] for name in columns[:20]) or "none"
            raise Refused(f"{path.name} wants {WANTED}. Its columns: {there}.")
        kinds: Sequence[str] = (vote, SWAPPED) if vote in columns else SCORES
        found: dict[str, Choices] = {}
        for row in sound_rows(path, required=(pair,), optional=kinds):
            name = str(row.value[pair])
            if name in found:
                raise Refused(f"{path.name}, row {row.line}: the pair “{name[:80]}” stands twice.")
            where = f"{path.name}, row {row.line}"
            given = [str(row.value[kind]) for kind in kinds]
            found[name] = _votes(given, where) if vote in columns else _by_scores(given, where)
    except Unreadable as error:
        raise Refused(str(error)) from error
    return found


def _is_prediction(one: Any) -> bool:
    return isinstance(one, dict) and any(isinstance(one.get(order), list) for order in ORDERS)


def _prediction(one: Any, where: str) -> Choices:
    """As Multimodal RewardBench 2's script reads it: of each order the first judgement, if there is one."""
    if one and not _is_prediction(one):
        raise Refused(f"{where}: “forward” and “reverse” are lists of judgements.")
    said: list[Any] = [next(iter((one or {}).get(order) or ()), {}) for order in ORDERS]
    if not all(isinstance(first, dict) for first in said):
        raise Refused(f"{where}: a judgement is an object with “judgement”, A or B.")
    return _votes([str(first.get("judgement") or "") for first in said], where)


def _votes(given: list[str], where: str) -> Choices:
    vote, swapped = (one.strip().lower() for one in given)
    for one in filter(None, (vote, swapped)):
        if one not in WORDS:
            raise Refused(f"{where}: “{one[:40]}” is no vote. A vote is one of {', '.join(WORDS)}.")
    # Exchanged, the first place holds the second response.
    both = [WORDS[vote]] if vote else []
    return (*both, OTHER_SIDE[WORDS[swapped]]) if swapped else tuple(both)


def _by_scores(given: list[str], where: str) -> Choices:
    try:
        first, second = map(float, given)
    except ValueError:
        raise Refused(f"{where}: a score is no number: {', '.join(given)[:80]}.") from None
    if not (math.isfinite(first) and math.isfinite(second)):
        raise Refused(f"{where}: a score is no number.")
    return (FIRST if first > second else SECOND if second > first else BOTH,)
