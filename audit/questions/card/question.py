"""What is this judge like as an instrument?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question, choose
from audit.models import Report
from audit.questions.card.agreement import newest_report, rows_of_agreement, rows_of_position
from audit.questions.card.family import rows_of_family
from audit.questions.card.looking import rows_of_pictures, rows_without_pictures
from audit.questions.card.rows import COST, not_measured, row
from audit.questions.card.scores import Scores
from audit.questions.card.validity import validity
from audit.reports import freshness
from audit.reports.options import VERSION
from judges.cards.changes import MAKER
from judges.cards.pictures import COUNT, MOST, DrawnImages
from judges.cards.plan import NEVER_TIMED, cost_of_picture
from judges.models import MadeScore, Run
from judges.names import runs_by_name, title
from jurybox_stats.cards.changes import mean_of
from jurybox_stats.estimate import Estimate

MOST_TIMED = 10_000  # images


NOT_PUBLIC = ("/", "~", ".", "local-dir:")


INTERVAL = "95 %, errors by prompt: Student’s t, shares by exact limits (mid-p)"
NOT_YET = "no picture was made for it yet: measure the judge first"
NO_JUDGE = "No judge has scored this study yet."


def _judges(study: Study, body: Mapping[str, Any]) -> dict[str, str]:
    return {name: title(name) for name in runs_by_name(study)}


@dataclass(frozen=True, slots=True)
class Parameters:
    """`judge`: by the name that reports use. `family`: its family or the generators of it, where names do
    not tell."""

    judge: str = choose(gettext_noop("judge"), _judges)
    count: int | str = COUNT
    family: str = ""

    @property
    def images(self) -> int:
        text = str(self.count)
        if not (text.isascii() and text.isdecimal() and 1 <= int(text[:9]) <= MOST):
            raise Refused(f"count is a number of images from 1 to {MOST:,}, not “{text[:40]}”.")
        return int(text)


def run_called(study: Study, name: str) -> tuple[str, Run]:
    """The run of the judge of this name; of the only one where none is named."""
    runs = runs_by_name(study)
    if not runs:
        raise Refused(NO_JUDGE)
    if not name and len(runs) == 1:
        name = next(iter(runs))
    if name not in runs:
        which = f"There is no judge “{name[:120]}” here." if name else "Say which judge."
        raise Refused(f"{which} Judges of this study: {', '.join(runs)}.")
    return name, runs[name]


def card(study: Study, parameters: Parameters) -> dict[str, Any]:
    name, run = run_called(study, parameters.judge)
    drawn = DrawnImages(run, parameters.images)
    scores = Scores.from_drawn(drawn)
    report = newest_report(study)
    rows = [
        *rows_of_agreement(report, name),
        *_rows_of_pictures(run, scores),
        *rows_of_position(study, run.judge),
        *rows_of_family(study, name, run.judge, parameters.family),
        *rows_of_cost(run),
    ]
    facts = judge_facts(run)
    data = hashlib.sha256(json.dumps([facts, rows], sort_keys=True, default=str).encode())
    return {
        "study": study.slug,
        "simulated": study.simulated,
        "judge": name,
        "title": title(name),
        "facts": facts,
        "generators": _generators(study),
        "valid": validity(study, scores, alarm=_has_alarm(report, name)),
        "images": scores.measured_images,
        "failed": scores.failed,
        "rows": rows,
        "signature": {
            "version": VERSION,
            "data": data.hexdigest(),
            "interval": INTERVAL,
            "pictures": MAKER,
            "report": report.data if report else "",
        },
    }


def _rows_of_pictures(run: Run, scores: Scores) -> list[dict[str, Any]]:
    if reason := run.judge.why_no_look:
        return rows_without_pictures(reason)
    return rows_of_pictures(scores) if scores.is_measured else rows_without_pictures(NOT_YET)


def _has_alarm(report: Report | None, name: str) -> bool:
    judged = report.body.get("judges", {}).get(name) if report else None
    return bool(judged and judged["drift"]["alarm"])


def judge_facts(run: Run) -> dict[str, Any]:
    judge = run.judge
    return {
        "name": judge.name,
        "fingerprint": judge.fingerprint,
        "method": f"{judge.method} {judge.method_version}",
        "engine": f"{judge.engine} {judge.engine_version}",
        "weights": public_weights(judge.checkpoint),
        "revision": judge.revision,
        "prompt": judge.template,
        "options": public_options(judge.options),
        "released": run.release_date.isoformat() if run.release_date else None,
    }


def _generators(study: Study) -> list[dict[str, Any]]:
    rows = study.generators.order_by("release_date", "name").values_list("name", "release_date")
    return [{"name": name, "released": date and date.isoformat()} for name, date in rows]


def _facts_now(study: Study, parameters: Parameters) -> str:
    """What changes a card beside labels and scores of the study: pictures scored since, and reports."""
    made = MadeScore.objects.filter(picture__image__study=study).order_by("-pk")
    newest = newest_report(study)
    return " ".join(
        [
            freshness.rows_now(study),
            str(made.values_list("pk", flat=True).first() or 0),
            str(newest.pk if newest else 0),
        ]
    )


CARD = Question(
    name="card", compute=card, parameters=Parameters, facts=_facts_now, reads_votes=True
)
QUESTIONS = (CARD,)


# A card is signed and given away, and a text among the settings may be the address of a server or a file of
# this machine. The fingerprint covers what is left out.
def public_options(options: dict[str, Any]) -> dict[str, Any]:
    """Numbers and flags, and the objects that hold any."""
    kept: dict[str, Any] = {}
    for name, value in options.items():
        if isinstance(value, dict):
            if inner := public_options(value):
                kept[name] = inner
        elif isinstance(value, int | float):
            kept[name] = value
    return kept


def public_weights(checkpoint: str) -> str:
    """A name on a hub; empty for a folder, a file or an address."""
    private = checkpoint.startswith(NOT_PUBLIC) or "://" in checkpoint or "\\" in checkpoint
    return "" if private else checkpoint


def rows_of_cost(run: Run) -> list[dict[str, Any]]:
    timed = run.scores.filter(seconds__gt=0).order_by("pk")
    found = list(timed.values_list("seconds", "image__prompt")[:MOST_TIMED])
    if found:
        seconds, prompts = (np.array(column, dtype=float) for column in zip(*found, strict=True))
        codes = np.unique(prompts, return_inverse=True)[1]
        rows = [row(COST, "seconds an image", "s", mean_of(seconds, codes))]
    else:
        rows = [not_measured(COST, NEVER_TIMED, "seconds an image")]
    price = cost_of_picture(run)
    what = gettext_noop("price of 1,000 images")
    if isinstance(price, str):
        return [*rows, not_measured(COST, price, what)]
    return [*rows, row(COST, what, "price", Estimate(1_000 * price, None, None, len(found)))]
