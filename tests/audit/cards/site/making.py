"""Signed cards as files, made without a database."""

from __future__ import annotations

import json
import random
from pathlib import Path

from audit.cards.certificate import make_certificate
from audit.questions.card.looking import rows_of_pictures
from audit.questions.card.rows import (
    AGREEMENT,
    COST,
    FAMILY,
    POINTS,
    POSITION,
    SCORE,
    SHARE,
    not_measured,
    row,
)
from audit.questions.card.scores import Scores
from judges.cards.changes import AGAIN, BLIND, CHANGES, CROSS, DARK, FOOLING, LADDER
from jurybox_stats.estimate import Estimate

EMPTY = Scores((), {}, {}, {})


def number(value, n=60, width=0.1):
    return Estimate(value, value - width, value + width, n)


def body(
    judge="Rule judge", study="trees", *, agreement=0.8, offset=4.0, since="2025-01-01", **more
):
    gap = "gap on the newest since before: "
    rows = [
        row(AGREEMENT, "AUROC on “did”, all generators", SHARE, number(agreement), state="follows"),
        row(AGREEMENT, "AUROC on “did”, newest third", SHARE, number(0.7), state="follows"),
        row(AGREEMENT, f"{gap}generators got better", POINTS, number(10, width=2)),
        row(
            AGREEMENT,
            f"{gap}it reads newer otherwise",
            POINTS,
            number(offset, width=1),
            since=since,
            state="drifts",
            reason="",
        ),
        row(DARK, "empty picture: score", SCORE, number(0.3)),
        row(DARK, "grey picture: score", SCORE, number(0.5)),
        not_measured(POSITION, "it scores one picture at a time"),
        row(
            LADDER,
            "ladder of blur: falls over all steps by",
            SCORE,
            number(0.6),
            ladder="blur",
            told=2,
        ),
        row(CROSS, "JPEG, quality 90: score moves by", SCORE, number(-0.02)),
        row(BLIND, "picture removed: score moves by", SCORE, number(-0.7)),
        row(FOOLING, "watermark: score moves by", SCORE, number(0.25)),
        not_measured(FAMILY, "no generator of its family"),
        row(AGAIN, "the same picture again: score moves by", SCORE, number(0.0)),
        row(COST, "an image takes", "s", number(1.5)),
    ]
    return {
        "study": study,
        "simulated": False,
        "judge": "rule",
        "title": judge,
        "facts": {
            "name": "rule",
            "fingerprint": "f1",
            "method": "yes-no 1",
            "engine": "rule 1",
            "weights": "",
            "revision": "",
            "prompt": "hidden prompt",
            "options": {"base_url": "http://10.0.0.7/v1"},
            "released": None,
        },
        "generators": [],
        "valid": {
            "newest": since,
            "until": "2026-01-01",
            "months": 12,
            "generators": 3,
            "newer": 0,
            "alarm": False,
        },
        "images": 60,
        "failed": {},
        "rows": rows,
        "signature": {
            "version": "0.2.0",
            "data": "d" * 64,
            "interval": "95 %",
            "pictures": "1",
            "report": "",
        },
        **more,
    }


def write_card(folder: Path, name="card.json", *, licence="CC-BY-4.0", scores=EMPTY, **how) -> Path:
    file = folder / name
    signed = make_certificate(body(**how), scores, licence=licence)
    file.write_text(json.dumps(signed, ensure_ascii=False))
    return file


def write_cards(folder: Path, count: int, images: int = 60) -> list[Path]:
    """With the scores of all changes enclosed, as a card of the usual size has them."""
    rng = random.Random(count)
    rows = tuple((image, image // 2) for image in range(images))
    whole = [row for row in body()["rows"] if row["part"] in (AGREEMENT, POSITION, FAMILY, COST)]
    files = []
    for place in range(count):
        base = {image: (round(rng.random(), 6), rng.random() < 0.5) for image, _ in rows}
        made = {
            change: {image: (round(rng.random(), 6), rng.random() < 0.5) for image, _ in rows}
            for change in CHANGES
        }
        scores = Scores(rows, base, made, {})
        how = {"judge": f"Judge {place}", "rows": [*whole, *rows_of_pictures(scores)]}
        files.append(write_card(folder, f"{place}.json", scores=scores, **how))
    return files
