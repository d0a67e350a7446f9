"""Scores, or what people say together, as the file that Inspect's `precomputed_scores` reads.

One record for each image, its id being the sample's. An image without a score has no record: Inspect
leaves such samples unscored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotations.errors import Refused
from annotations.exports.image_chunks import image_chunks
from annotations.exports.labels import consensus_rows
from annotations.models import Study
from judges.exports.scores import score_rows
from judges.names import runs_by_name


def of_judges(study: Study, judge: str = "", among: Sequence[int] | None = None) -> Iterator[str]:
    """A number where there is one judge, otherwise an object of them."""
    runs = {n: r for n, r in runs_by_name(study).items() if judge in ("", n, r.judge.name)}
    if not runs:
        raise Refused(
            "No judge has scores in this study." if not judge else "There is no such judge."
        )
    prints = {name: run.judge.fingerprint for name, run in runs.items()}
    for chunk in image_chunks(study, "pk", among=among):
        given: dict[str, list[dict[str, Any]]] = {key: [] for key, _ in chunk}
        for row in score_rows(study, judge=judge or None, among=[pk for _, pk in chunk]):
            if row["atom"] == "" and row["score"] != "":
                given[str(row["image_id"])].append(row)
        for key, rows in given.items():
            if not rows:
                continue
            values = {row["judge"]: row["score"] for row in rows}
            about: dict[str, Any] = {"fingerprints": {name: prints[name] for name in values}}
            value: Any = values
            if len(runs) == 1:
                value = rows[0]["score"]
                about |= {"judge": rows[0]["judge"]}
                if rows[0]["correct"] != "":
                    about["correct"] = bool(rows[0]["correct"])
            why = "; ".join(str(row["reason"]) for row in rows if row["reason"])
            yield _line(key, value, why, about)


def of_people(
    study: Study, rule: str = "majority", among: Sequence[int] | None = None
) -> Iterator[str]:
    """Questions about atoms are called `question.index`; undecided ones are left out."""
    rows = consensus_rows(study, rule=rule, among=among)
    for key, of_image in groupby(rows, itemgetter("image_id")):
        decided = [row for row in of_image if row["value"] != ""]
        if decided:
            named = {_question(row): row["value"] for row in decided}
            raters = {_question(row): row["raters"] for row in decided}
            yield _line(str(key), named, "", {"rule": rule, "raters": raters})


def _question(row: dict[str, Any]) -> str:
    return row["question"] if row["atom"] == "" else f"{row['question']}.{row['atom']}"


def _line(key: str, value: Any, why: str, about: dict[str, Any]) -> str:
    record = {"id": key, "value": value, **({"explanation": why} if why else {}), "metadata": about}
    return json.dumps(record, ensure_ascii=False) + "\n"
