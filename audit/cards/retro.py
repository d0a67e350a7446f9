"""A published table of a judge's scores, read again with what its card says of newer generators.

The card's last fact is by how many points the judge reads the newest generators otherwise than those before
(b · offset, with its interval). A model since that date gets that band; a place stands if the order of two
models is the same at both ends of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from annotations.bounded_numbers import read_number
from annotations.errors import Refused
from audit.questions.card.rows import AGREEMENT
from jurybox_formats.pair_files.rows import columns_of, rows_of
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.shapes import is_day, is_finite, misfit

COLUMNS = ("model", "date", "score")
MOST = 1_000  # models


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    released: str
    score: float


@dataclass(frozen=True, slots=True)
class Band:
    """By how many points models since a date lie higher than the judge says."""

    since: str
    value: float
    low: float
    high: float


def read_models(path: Path) -> list[Model]:
    """In the order of their scores, the best first."""
    try:
        if absent := [name for name in COLUMNS if name not in columns_of(path)]:
            raise Refused(
                f"{path.name} wants the columns {', '.join(COLUMNS)}; {absent[0]} is not there."
            )
        rows = list(rows_of(path, required=COLUMNS, optional=()))
    except Unreadable as error:
        raise Refused(str(error)) from error
    models = [_model(row, path) for row in rows]
    if not 2 <= len(models) <= MOST:
        raise Refused(f"{path.name} has {len(models)} models; 2 to {MOST:,} are wanted.")
    if len({model.name for model in models}) < len(models):
        raise Refused(f"{path.name} names a model twice.")
    return sorted(models, key=lambda model: (-model.score, model.name))


def _model(row: Any, path: Path) -> Model:
    if not isinstance(row, Line):
        raise Refused(f"{path.name}: {row}")
    name, released, score = (str(row.value[column]).strip() for column in COLUMNS)
    value = None if "," in score else read_number(score)
    where = f"{path.name}, row {row.line}"
    if value is None:
        # As a comma may part thousands, too, it is not guessed.
        words = "a score is a finite number in the digits 0 to 9, with a point, like 64.1"
        raise Refused(f"{where}: {words}; not “{score[:40]}”.")
    if _date_or_none(released) is None:
        raise Refused(f"{where}: a date is like 2025-01-31; not “{released[:40]}”.")
    if not name:
        raise Refused(f"{where}: a model has a name.")
    return Model(name, released, value)


def _date_or_none(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def band_of(card: dict[str, Any]) -> Band:
    rows = [row for row in card["rows"] if row["part"] == AGREEMENT and row.get("since")]
    parts = "value", "low", "high"
    if not rows or misfit(rows[0], {"since": is_day, "number": dict.fromkeys(parts, is_finite)}):
        raise Refused(
            "This card does not say how it reads newer generators: its study needs two release dates "
            "and two answers on some images of each generator."
        )
    return Band(rows[0]["since"], *(float(rows[0]["number"][part]) for part in parts))


def audit_table(models: list[Model], band: Band) -> list[dict[str, Any]]:
    """`low` and `high` of each model; `stands`: its order to every other model is the same at both ends."""
    # Printed as shares, or in points.
    unit = 0.01 if all(0 <= model.score <= 1 for model in models) else 1.0
    since = date.fromisoformat(band.since)
    newer = [date.fromisoformat(model.released) >= since for model in models]
    ends = [
        [model.score + unit * end * moved for model, moved in zip(models, newer, strict=True)]
        for end in (band.low, band.high)
    ]
    return [
        {
            "place": place + 1,
            "model": model.name,
            "date": model.released,
            "score": model.score,
            "low": ends[0][place],
            "high": ends[1][place],
            "unsure": [
                other.name
                for at, other in enumerate(models)
                if at != place and not _keeps(models, ends, place, at)
            ],
        }
        for place, model in enumerate(models)
    ]


def _keeps(models: list[Model], ends: list[list[float]], one: int, other: int) -> bool:
    """Whether two models stand in the same order as printed, at both ends."""
    printed = models[one].score - models[other].score
    moved = [end[one] - end[other] for end in ends]
    if printed == 0:
        return all(move == 0 for move in moved)
    return all(move * printed > 0 for move in moved)


def table_words(rows: list[dict[str, Any]], band: Band) -> list[str]:
    stand = [row for row in rows if not row["unsure"]]
    lines = [
        f"{len(stand)} of {len(rows)} places stand: models since {band.since} lie {band.value:+.1f} points "
        f"({band.low:+.1f} to {band.high:+.1f}) from what this judge says of them."
    ]
    for row in rows:
        ends = f"{row['score']:g}"
        if row["low"] != row["high"]:
            ends += f" ({row['low']:.4g} to {row['high']:.4g})"
        why = "stands" if not row["unsure"] else f"not told apart from {', '.join(row['unsure'])}"
        lines.append(f"{row['place']}. {row['model']}, {row['date']}: {ends}; {why}")
    return lines
