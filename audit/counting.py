"""Has a worker count what pages show about all labels of a large study: `annotations.kept.figures`."""

from __future__ import annotations

from annotations.kept.figures import behind, count_again
from annotations.models import Kept, Study
from annotations.pages import form
from annotations.studies import adjudication, annotator_quality, queries
from audit.images import browse
from audit.reports import pairing
from judges.exports import tables

COUNTERS = (
    annotator_quality.PEOPLE,
    adjudication.DISAGREEMENTS,
    queries.STUDY,
    form.ANSWERED,
    tables.ROWS,
    pairing.QUESTIONS,
    browse.TAGS,
)


def is_due(*, study: Study) -> bool:
    return bool(behind(study, COUNTERS))


def recount_all() -> int:
    """Of all that is kept, whoever asked for it: how many figures were put right."""
    named = {counter.name: counter for counter in COUNTERS}
    rows = Kept.objects.filter(name__in=named).select_related("study").defer("body", "keys")
    return sum(count_again(row.study, named[row.name]) for row in rows)


def keep(*, study: Study) -> None:
    for counter in behind(study, COUNTERS):
        count_again(study, counter)
