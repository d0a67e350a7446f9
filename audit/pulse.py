"""Have labels or scores changed since a report looked? One small row for each study says so.

Counting a million answers on every visit would be slow, and a counter that moves with every answer
would be one more write for each. So the number moves only when somebody has seen the present one: between
two reports the first change writes, and all further ones merely look.
"""

from __future__ import annotations

from django.db.models import F

from annotations.database.prepared import Prepared
from audit.models import Pulse

PULSE = Prepared(lambda mark: Pulse.objects.order_by().filter(study=mark("study")))


def stamp(study_id: int) -> str:
    """A cheap sign of the labels and scores of a study: another one as soon as they differ from
    what the last report saw."""
    found = Pulse.objects.filter(study_id=study_id).values_list("version", flat=True).first()
    return f"v{found or 0}"


def changed(study_id: int) -> None:
    """Labels or scores of this study were written, and the transaction has ended."""
    found = PULSE.first(study=study_id)
    if found is None:
        Pulse.objects.get_or_create(study_id=study_id, defaults={"version": 1})
    elif found.version in (found.seen, found.met):
        Pulse.objects.filter(pk=found.pk, version=found.version).update(version=F("version") + 1)


def seen(study_id: int) -> str:
    """A report is about to read. Said first: a change that comes while it reads counts as newer."""
    return _looked(study_id, "seen")


def met(study_id: int) -> str:
    """The same, of what is known of people among themselves: it is read at other times."""
    return _looked(study_id, "met")


def _looked(study_id: int, who: str) -> str:
    found, _ = Pulse.objects.get_or_create(study_id=study_id, defaults={"version": 1})
    Pulse.objects.filter(pk=found.pk).update(**{who: F("version")})
    return stamp(study_id)
