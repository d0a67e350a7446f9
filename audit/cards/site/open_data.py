"""The numbers of a site as open data: JSON, CSV and Parquet, with what a collection of data sets asks for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from annotations.errors import Refused
from annotations.exports.files import Sink
from annotations.exports.labels import as_csv
from audit.cards.site.read import FACTS, SiteCard
from jurybox_formats.sources.parquet_rows import import_package

FORMAT = "jurybox-site 1"
CARDS, TABLE, PARQUET = "data/cards.json", "data/numbers.csv", "data/numbers.parquet"
# Of a card what a site shows: options and prompts of a judge may name servers.
PUBLIC = ("title", "judge", "study", "simulated", "images", "failed")
OF_ROWS = ("part", "what", "unit", "state", "ladder", "told", "step", "since")
OF_NUMBERS = ("value", "low", "high", "n", "undefined")
OF_VALIDITY = ("newest", "until", "months", "generators", "newer", "alarm")
OF_SIGNATURES = ("version", "data", "interval", "pictures")
TEXTS = (
    "card",
    "judge",
    "study",
    "fingerprint",
    "newest_generator",
    "measured",
    "part",
    "what",
    "unit",
)
NUMBERS = ("value", "low", "high")


def public_body(card: SiteCard) -> dict[str, Any]:
    rows = [
        {**_only(row, OF_ROWS), "number": _only(row["number"], OF_NUMBERS)}
        for row in card.body["rows"]
    ]
    return {
        **_only(card.body, PUBLIC),
        "rows": rows,
        "valid": _only(card.body["valid"], OF_VALIDITY),
        "signature": _only(card.body["signature"], OF_SIGNATURES),
        "facts": _only(card.body["facts"], FACTS),
        "card": card.page,
        "made": card.made,
        "licence": card.licence,
    }


def _only(body: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: body[name] for name in names if name in body}


def open_data(cards: Sequence[SiteCard], title: str, by: str) -> dict[str, bytes]:
    rows = table_rows(cards)
    columns = (*TEXTS, "simulated", *NUMBERS, "pictures", "why_not_measured", "licence")
    body = {"format": FORMAT, "title": title, "cards": [public_body(card) for card in cards]}
    return {
        CARDS: _as_json(body),
        TABLE: "".join(as_csv((_without_none(row) for row in rows), columns)).encode(),
        PARQUET: _as_parquet(rows, columns),
        "data/README.md": _dataset_card(cards, title).encode(),
        "CITATION.cff": _citation(cards, title, by).encode(),
    }


def table_rows(cards: Sequence[SiteCard]) -> list[dict[str, Any]]:
    """One for each number, or for each part without one."""
    return [_table_row(card, row) for card in cards for row in card.body["rows"]]


def _table_row(card: SiteCard, row: dict[str, Any]) -> dict[str, Any]:
    number = row["number"]
    return {
        "card": card.page,
        "judge": card.judge,
        "study": card.study,
        "fingerprint": card.body["facts"]["fingerprint"],
        "newest_generator": card.newest,
        "measured": card.made,
        "part": row["part"],
        "what": row["what"],
        "unit": row["unit"],
        "simulated": card.body["simulated"],
        **{name: number.get(name) for name in NUMBERS},
        "pictures": number["n"],
        "why_not_measured": number.get("undefined", ""),
        "licence": card.licence,
    }


def _without_none(row: dict[str, Any]) -> dict[str, Any]:
    return {name: "" if value is None else value for name, value in row.items()}


def _as_json(body: Any) -> bytes:
    return json.dumps(body, sort_keys=True, ensure_ascii=False, indent=1).encode() + b"\n"


def _as_parquet(rows: list[dict[str, Any]], columns: Sequence[str]) -> bytes:
    pyarrow = import_package("pyarrow", refused=Refused)
    parquet = import_package("pyarrow.parquet")
    kinds = dict.fromkeys(NUMBERS, pyarrow.float64())
    kinds |= {"pictures": pyarrow.int64(), "simulated": pyarrow.bool_()}
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in columns])
    sink = Sink()
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema), sink, compression="zstd")
    return sink.take()


def _licences(cards: Sequence[SiteCard]) -> list[str]:
    return sorted({card.licence for card in cards})


def _dataset_card(cards: Sequence[SiteCard], title: str) -> str:
    """For those who publish the folder as a data set."""
    licences = ", ".join(licence.lower() for licence in _licences(cards))
    lines = [
        "---",
        f"license: [{licences}]",
        f"pretty_name: {json.dumps(title, ensure_ascii=False)}",
        "tags: [text-to-image, evaluation, llm-as-a-judge]",
        "configs:",
        "- config_name: numbers",
        "  data_files: numbers.parquet",
        "---",
        "",
        "# Judges of text-to-image models, measured as instruments",
        "",
        f"{len(cards)} cards. `numbers.csv` and `numbers.parquet` have a row for each number: value, "
        "interval at 95 %,",
        "pictures, or why it was not measured. `cards.json` has the same by card. The licence stands in "
        "each row.",
        "No person is named, and no answer of a person is here. Rows with `simulated` true come from a "
        "study without people.",
    ]
    return "\n".join(lines) + "\n"


def _citation(cards: Sequence[SiteCard], title: str, by: str) -> str:
    """A JSON text is one of YAML, too. The day is that of the newest card: the same cards, the same file."""
    version = hashlib.sha256(b"".join(card.signed for card in cards)).hexdigest()[:12]
    days = [card.made for card in cards if card.made]
    lines = [
        "cff-version: 1.2.0",
        'message: "Please cite this edition, and the papers of the judges."',
        "type: dataset",
        f"title: {json.dumps(title, ensure_ascii=False)}",
        f'version: "{version}"',
        *([f"date-released: {max(days)}"] if days else []),
        "license:",
        *(f"  - {licence}" for licence in _licences(cards)),
        "authors:",
        f"  - name: {json.dumps(by, ensure_ascii=False)}",
    ]
    return "\n".join(lines) + "\n"
