"""Testing a judge on a published set: its scores beside people's, and its place among published judges."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotations.access import PersonsRequest
from annotations.errors import ImportRefused
from annotations.studies.owners import expect_maker
from audit.exhibits import Column
from audit.test_judge.published import SETS
from audit.test_judge.sent_files import LARGEST_SET, LARGEST_TABLE, place_sent_files
from audit.test_judge.sentences import place_words

PERCENT = Column("accuracy", "accuracy", decimals=1)


@require_http_methods(["GET", "POST"])
def published_sets(request: PersonsRequest) -> HttpResponse:
    """The form; after it was sent the answer below, which is kept nowhere."""
    expect_maker(request.user, "Tests of judges")
    context: dict[str, Any] = {
        "sets": [known.title for known in SETS.values()],
        "largest_set": LARGEST_SET // 1_000_000,
        "largest_table": LARGEST_TABLE // 1_000_000,
    }
    status = 200
    if request.method == "POST":
        try:
            found = _find_place(request)
            context |= {"found": found, "sentences": place_words(found), "rows": _rows(found)}
        except ImportRefused as refusal:
            context["refusal"], status = refusal.message, refusal.status
    return render(request, "audit/published_sets.html", context, status=status)


def _find_place(request: PersonsRequest) -> dict[str, Any]:
    known, judge = request.FILES.get("file"), request.FILES.get("scores")
    if known is None or judge is None:
        raise ImportRefused("Choose two files: the set’s own, and the judge’s scores or votes.")
    return place_sent_files(known, judge)


def _rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The published judges with this one among them, best first; without a number it has no place."""
    own = {"judge": "This judge", "cell": PERCENT.cell(found["official"])}
    rows = [
        {**one, "cell": PERCENT.cell({"value": one["accuracy"], "low": None, "high": None, "n": 0})}
        for one in found["published"]
    ]
    value = found["official"].get("value")
    place = sum(value is None or one["accuracy"] > value for one in found["published"])
    return [*rows[:place], own, *rows[place:]]
