"""Whether a judge gives the anchors the scores that it gave them before.

“Before” is the score of its run in the study, and where the run has none, that of the first time that
the anchors were scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from django.db.models import QuerySet

from annotations.models import AnchorImage
from annotations.studies.queries import drawn_with
from audit import VERSION
from audit.reports.options import RESAMPLES, SEED
from audit.self_checks.counting import ALLOWED, share_of
from judges.models import AnchorScoring, Run, Score
from jurybox_stats import enough
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.resamples import Resamples

EXAMPLES = 5
# Scores of one judge differ in their last digits with the size of a batch; as in self-checks.
CLOSE = float(ALLOWED["again"])


@dataclass(frozen=True, slots=True)
class _Then:
    score: float
    day: date


def newest(run: Run) -> AnchorScoring | None:
    """The last time that the judge scored anchors."""
    return _finished_scorings(run).order_by("-pk").first()


def unanswered(run: Run) -> AnchorScoring | None:
    """The last request, as long as it has no answer."""
    last = AnchorScoring.objects.filter(payload__run=run.pk).order_by("-pk").first()
    return last if last is not None and last.state != AnchorScoring.State.DONE else None


def certificate(scoring: AnchorScoring) -> dict[str, Any]:
    """Counts, their intervals by prompts and what the server calls itself, as plain data."""
    then = _scores_before(scoring)
    now = {row["image"]: row for row in scoring.scores}
    left_out: Counter[str] = Counter()
    both: list[str] = []
    for key, row in now.items():
        if row["score"] is None:
            left_out[f"the judge gave no score: {row['reason']}"] += 1
        elif key not in then:
            left_out["it had no score before"] += 1
        else:
            both.append(key)
    if scoring.changed_pictures:
        left_out["its picture is not the one of the set"] = len(scoring.changed_pictures)
    if gone := scoring.anchors.count - len(now) - len(scoring.changed_pictures):
        left_out["the image is gone from the study"] = gone
    # One order whatever the rows: an interval hangs on it to the last digit.
    both.sort()
    old = np.array([then[key].score for key in both], float)
    new = np.array([now[key]["score"] for key in both], float)
    moved = new - old
    close = CLOSE * float(old.max() - old.min()) if both else 0.0
    other = np.abs(moved) > close
    drawn = drawn_with(scoring.run.study)
    pairs = {
        key: (now[key]["prompt"], bool(is_other)) for key, is_other in zip(both, other, strict=True)
    }
    prompts = [drawn.get(prompt, prompt) for prompt, _ in pairs.values()]
    largest = max(range(len(both)), key=lambda place: abs(moved[place]), default=None)
    return {
        "study": scoring.run.study.slug,
        "judge": scoring.judge,
        "fingerprint": scoring.run.judge.fingerprint,
        "anchors": {
            "made": scoring.anchors.made_at.date().isoformat(),
            "count": scoring.anchors.count,
            "of": scoring.anchors.of,
            "seed": scoring.anchors.seed,
        },
        "date": _day(scoring).isoformat(),
        "since": _span([then[key].day for key in both]),
        "compared": len(both),
        "same": int((~other).sum()),
        "changed": share_of(pairs, drawn).as_dict(),
        "moved": _moved(moved, prompts, other).as_dict(),
        "largest": None if largest is None else float(moved[largest]),
        "examples": [key for key, is_other in zip(both, other, strict=True) if is_other][:EXAMPLES],
        "left_out": dict(sorted(left_out.items(), key=lambda item: (-item[1], item[0]))),
        "changed_pictures": scoring.changed_pictures,
        "server": _server(scoring),
        "signature": {
            "version": VERSION,
            "seed": SEED,
            "resamples": RESAMPLES,
            "close": CLOSE,
            "interval": "95 %, by prompts",
        },
    }


def of_sides(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the judges that scored both sides of an explanation (`audit.questions.why.question`), as far as they have
    scored anchors."""
    prints = list(body["signature"]["judges"].values())
    runs = Run.objects.filter(study__slug=body["study"], judge__fingerprint__in=prints)
    return [certificate(found) for run in runs.order_by("pk") if (found := newest(run))]


def _finished_scorings(run: Run) -> QuerySet[AnchorScoring]:
    rows = AnchorScoring.objects.filter(payload__run=run.pk, state=AnchorScoring.State.DONE)
    return rows.select_related("study")


def _scores_before(scoring: AnchorScoring) -> dict[str, _Then]:
    then: dict[str, _Then] = {}
    first = _finished_scorings(scoring.run).filter(
        payload__anchors=scoring.anchors.pk, pk__lt=scoring.pk
    )
    if (earliest := first.order_by("pk").first()) is not None:
        for row in earliest.scores:
            if row["score"] is not None:
                then[row["image"]] = _Then(row["score"], _day(earliest))
    images = AnchorImage.objects.filter(anchors=scoring.anchors).values("image")
    rows = Score.objects.filter(run=scoring.run, image__in=images, value__isnull=False)
    for key, value, at in rows.order_by().values_list("image__key", "value", "created_at"):
        if value is not None and at <= scoring.created_at:
            then[key] = _Then(value, at.date())
    return then


def _moved(moved: np.ndarray, prompts: list[str], other: np.ndarray) -> Result:
    """The mean of now less then, in the judge's own unit."""
    if not other.any():
        return Undefined("no score has changed", moved.size)
    codes = {prompt: code for code, prompt in enumerate(sorted(set(prompts)))}
    draw = Resamples([codes[prompt] for prompt in prompts], resamples=RESAMPLES, seed=SEED)
    return enough.required(draw.mean(moved))


def _server(scoring: AnchorScoring) -> dict[str, Any] | None:
    """What the server called itself then and now: each name and fingerprint, with the number of
    replies. None for a judge that asks no server."""
    now = _tellers(scoring)
    if not now:
        return None
    then: Counter[tuple[str, str]] = Counter()
    since = None
    # The first time that any set was scored: runs do not keep what the server calls itself.
    for earlier in _finished_scorings(scoring.run).filter(pk__lt=scoring.pk).order_by("pk"):
        if then := _tellers(earlier):
            since = _day(earlier).isoformat()
            break
    return {
        "now": _list_tellers(now),
        "then": _list_tellers(then),
        "since": since,
        "model_changed": _names(then, 0) != _names(now, 0) if then else None,
        "system_changed": _names(then, 1) != _names(now, 1) if then else None,
    }


def _tellers(scoring: AnchorScoring) -> Counter[tuple[str, str]]:
    return Counter((reply[0], reply[1]) for row in scoring.scores for reply in row["replies"])


def _names(tellers: Mapping[tuple[str, str], int], place: int) -> set[str]:
    return {teller[place] for teller in tellers}


def _list_tellers(tellers: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"model": model, "system_fingerprint": system, "replies": number}
        for (model, system), number in sorted(tellers.items(), key=lambda item: (-item[1], item[0]))
    ]


def _day(scoring: AnchorScoring) -> date:
    return (scoring.finished_at or scoring.created_at).date()


def _span(days: list[date]) -> list[str]:
    """The first and the last day of the scores before; empty where there are none."""
    return [min(days).isoformat(), max(days).isoformat()] if days else []
