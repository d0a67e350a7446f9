"""The options of `report` and `audit`, and what all that resample share."""

from __future__ import annotations

from typing import Any

from django.core.management import CommandError

from annotations.management.command import Arguments
from audit.reports.options import CONSENSUS, RESAMPLES, SEED, Options


def add_seed_and_resamples(add: Arguments) -> None:
    add("--seed", type=int, default=SEED)
    add("--resamples", type=int, default=RESAMPLES)


def check_resamples(resamples: int) -> None:
    if resamples < 100:
        raise CommandError("Ask for at least 100 resamples; fewer give no usable interval.")


def add_report_options(add: Arguments) -> None:
    usual = Options()
    add("--question")
    add_seed_and_resamples(add)
    add("--positive-at", type=float, default=usual.positive_at)
    add("--threshold", type=float)
    add("--consensus", choices=list(CONSENSUS), default=usual.consensus)


def report_options(given: dict[str, Any]) -> Options:
    check_resamples(given["resamples"])
    names = ("question", "seed", "resamples", "positive_at", "threshold", "consensus")
    judges = tuple(given["judge"]) if given["judge"] else None
    return Options(judges=judges, **{name: given[name] for name in names})
