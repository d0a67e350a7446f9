"""The three watches of an explanation: two of them read people's answers and are stored with it; the one of
the judge reads its scores of anchors, which changes without any answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import numpy as np

from annotations.studies.queries import drawn_with
from audit.why.sides import Watched
from judges.models import AnchorScoring, Run, Score
from jurybox_stats.estimate import Undefined
from jurybox_stats.over_time import three_watches
from jurybox_stats.over_time.three_watches import EACH, Watch


def of_people(watched: Watched) -> dict[str, Any]:
    gap = three_watches.compare_sides(watched.gap, watched.second, watched.prompts, watched.days)
    people = three_watches.again(watched.again, watched.again_prompts, watched.again_days)
    return {
        "level": EACH,
        "gap": _watch_body(gap),
        "people": {**_watch_body(people), "other_words": watched.other_words},
        "new_form": watched.new_form,
    }


def of_judge(body: Mapping[str, Any]) -> dict[str, Any]:
    """Of the judge of the second side: its scorings of anchors, each against its score before."""
    fingerprint = body["signature"]["judges"][body["judge_now"]]
    runs = Run.objects.filter(study__slug=body["study"], judge__fingerprint=fingerprint)
    run = runs.order_by("-pk").first()
    mine = AnchorScoring.objects.filter(payload__run=run and run.pk, state=AnchorScoring.State.DONE)
    scorings = list(mine.order_by("pk")) if run is not None else []
    if run is None or not scorings:
        return {"undefined": "the judge has not scored anchors again"}
    compared = _compare_scores(run, scorings)
    scores = np.array([then for one in compared for _, then, _ in one] or [0.0])
    rang, shown = three_watches.scored_again(
        [
            ([now - then for now, then, _ in one], [prompt for *_, prompt in one])
            for one in compared
        ],
        spread=float(scores.max() - scores.min()),
    )
    if not any(shown):
        return {"undefined": "fewer than 30 anchors have a score then and now"}
    day = None if rang is None else (scorings[rang].finished_at or scorings[rang].created_at)
    last = next(one for one in reversed(shown) if one is not None)
    return {
        "rang": day.date().isoformat() if day else None,
        "looks": sum(one is not None for one in shown),
        "moved": last.interval().as_dict(),
    }


def _compare_scores(
    run: Run, scorings: list[AnchorScoring]
) -> list[list[tuple[float, float, str]]]:
    """Of each scoring: score now, score before, what it is drawn with. Before is the run's own score, else that of the
    first time that the set was scored."""
    keys = {row["image"] for one in scorings for row in one.scores}
    drawn = drawn_with(run.study)
    rows = Score.objects.filter(run=run, image__key__in=keys, value__isnull=False).order_by()
    own = {
        key: (value, at) for key, value, at in rows.values_list("image__key", "value", "created_at")
    }
    first: dict[int, dict[str, float]] = {}
    found = []
    for scoring in scorings:
        earliest = first.get(scoring.payload["anchors"], {})
        told = []
        for row in sorted(scoring.scores, key=lambda row: row["image"]):
            if row["score"] is None:
                continue
            kept = own.get(row["image"])
            then = kept[0] if kept and kept[1] <= scoring.created_at else earliest.get(row["image"])
            if then is not None:
                told.append((row["score"], then, drawn.get(row["prompt"], row["prompt"])))
        found.append(told)
        first.setdefault(
            scoring.payload["anchors"],
            {row["image"]: row["score"] for row in scoring.scores if row["score"] is not None},
        )
    return found


def _watch_body(watch: Watch | Undefined) -> dict[str, Any]:
    if isinstance(watch, Undefined):
        return watch.as_dict()
    rang = None
    if watch.rang is not None:
        rang = date.fromordinal(int(watch.rang)).isoformat() if watch.rang else "unknown"
    return {
        "rang": rang,
        "evidence": watch.evidence,
        "looks": watch.looks,
        "moved": watch.moved.as_dict(),
    }
